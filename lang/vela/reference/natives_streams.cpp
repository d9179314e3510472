// SPDX-License-Identifier: Apache-2.0
// Streams of the standard surface.
#include "lang/vela/reference/internal/native_tables.hpp"
#include "lang/vela/reference/native_routine.hpp"

namespace gyre::vela::internal {
namespace {

Value payload_of(const Value& variant) {
    return variant.as<EnumValue>()->payload[0];
}

// Yields `change` of each value; void skips it.
using Change = Value (*)(Runtime& runtime, const Value& function, const Value& value);
NativeRoutine changed(Runtime* runtime, Iterator* source, Value function, Change change) {
    while (true) {
        Future* wanted = runtime->next(*source);
        const Settled settled = co_await wanted;
        const Value next = settled.get();
        if (is_variant(next, "None")) co_return Value();
        Value made;
        std::optional<Value> error;
        try {
            made = change(*runtime, function, payload_of(next));
        } catch (const Thrown& thrown) {
            error = thrown.error;
        }
        bool goes_on = !error;
        if (goes_on && !made.is_void()) goes_on = co_yield payload_of(made);
        if (goes_on) continue;
        Future* closing = runtime->close(*source);
        const Settled closed = co_await closing;
        if (error) throw Thrown{*error};
        co_return closed.get();
    }
}

NativeRoutine taken(Runtime* runtime, Iterator* source, std::int64_t count) {
    for (std::int64_t i = 1; i <= count; ++i) {
        Future* wanted = runtime->next(*source);
        const Settled settled = co_await wanted;
        const Value next = settled.get();
        if (is_variant(next, "None")) co_return Value();
        bool is_closing = i == count;
        if (!is_closing) {
            const bool goes_on = co_yield payload_of(next);
            is_closing = !goes_on;
            if (goes_on) continue;
        }
        Future* closing = runtime->close(*source);
        const Settled closed = co_await closing;
        static_cast<void>(closed.get());
        if (i == count) static_cast<void>(co_yield payload_of(next));
        co_return Value();
    }
    co_return Value();
}

NativeRoutine collected(Runtime* runtime, Iterator* source) {
    auto* list = runtime->heap.make<List>();
    while (true) {
        Future* wanted = runtime->next(*source);
        const Settled settled = co_await wanted;
        const Value next = settled.get();
        if (is_variant(next, "None")) co_return Value(list);
        list->items.push_back(payload_of(next));
    }
}

NativeRoutine listed(Values items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool goes_on = co_yield items[i];
        if (!goes_on) break;
    }
    co_return Value();
}

NativeRoutine ticking(Runtime* runtime, std::int64_t delay_ms, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        Future* pause = sleeping(*runtime, delay_ms);
        const Settled settled = co_await pause;
        static_cast<void>(settled.get());
        const bool goes_on = co_yield Value(i);
        if (!goes_on) break;
    }
    co_return Value();
}

}  // namespace

void add_stream_natives(NativeTable& table) {
    table["AsyncIterator.next"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        return runtime.next(*self.as<Iterator>());
    };
    table["AsyncIterator.map"] = [](Runtime& runtime, const Value& self,
                                    const Values& args) -> Value {
        const Change change = [](Runtime& of, const Value& function, const Value& value) {
            return of.heap.some(function.as<Function>()->call({value}));
        };
        return runtime.make_iterator(changed(&runtime, self.as<Iterator>(), args[0], change));
    };
    table["AsyncIterator.filter"] = [](Runtime& runtime, const Value& self,
                                       const Values& args) -> Value {
        const Change change = [](Runtime& of, const Value& function, const Value& value) {
            return *function.as<Function>()->call({value}).truth() ? of.heap.some(value) : Value();
        };
        return runtime.make_iterator(changed(&runtime, self.as<Iterator>(), args[0], change));
    };
    table["AsyncIterator.take"] = [](Runtime& runtime, const Value& self,
                                     const Values& args) -> Value {
        return runtime.make_iterator(taken(&runtime, self.as<Iterator>(), *args[0].number()));
    };
    table["AsyncIterator.collect"] = [](Runtime& runtime, const Value& self,
                                        const Values&) -> Value {
        return runtime.make_future("collect", collected(&runtime, self.as<Iterator>()));
    };
    table["AsyncIterator.fromList"] = [](Runtime& runtime, const Value&,
                                         const Values& args) -> Value {
        return runtime.make_iterator(listed(items_of(runtime, args[0])));
    };
    table["AsyncIterator.interval"] = [](Runtime& runtime, const Value&,
                                         const Values& args) -> Value {
        return runtime.make_iterator(ticking(&runtime, *args[0].number(), *args[1].number()));
    };
}

}  // namespace gyre::vela::internal
