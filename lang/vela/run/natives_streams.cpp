// SPDX-License-Identifier: Apache-2.0
// Streams of the standard surface.
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

Word value_in(Word option) {
    return as<Variant>(option, Kind::variant).payload()[0];
}

// Yields `change` of each value; a missing word skips it.
using Change = Word (*)(Vm& vm, Word function, Word value);
NativeRoutine changed(Vm* vm, Stream* source, Word function, Change change) {
    for (;;) {
        Deferred* wanted = vm->tasks->next(*source);
        const Settled settled = co_await wanted;
        const Word next = settled.get();
        if (!vm->has_value(next)) co_return Word::nothing();
        Word made;
        Word error;
        try {
            made = change(*vm, function, value_in(next));
        } catch (const Thrown& thrown) {
            error = thrown.error;
        }
        bool goes_on = error.is_missing();
        if (goes_on && !made.is_missing()) goes_on = co_yield made;
        if (goes_on) continue;
        Kept kept = co_await keep();
        kept.add(error);
        Deferred* closing = vm->tasks->close(*source);
        const Settled closed = co_await closing;
        if (!error.is_missing()) throw Thrown{error};
        co_return closed.get();
    }
}

NativeRoutine taken(Vm* vm, Stream* source, std::int64_t count) {
    Kept kept = co_await keep();
    for (std::int64_t i = 1; i <= count; ++i) {
        Deferred* wanted = vm->tasks->next(*source);
        const Settled settled = co_await wanted;
        const Word next = settled.get();
        if (!vm->has_value(next)) co_return Word::nothing();
        if (i < count) {
            const bool goes_on = co_yield value_in(next);
            if (goes_on) continue;
        }
        kept.add(next);
        Deferred* closing = vm->tasks->close(*source);
        const Settled closed = co_await closing;
        static_cast<void>(closed.get());
        if (i == count) static_cast<void>(co_yield value_in(next));
        co_return Word::nothing();
    }
    co_return Word::nothing();
}

NativeRoutine collected(Vm* vm, Stream* source) {
    Kept kept = co_await keep();
    auto* list = vm->heap.make<List>();
    kept.add(list);
    for (;;) {
        Deferred* wanted = vm->tasks->next(*source);
        const Settled settled = co_await wanted;
        const Word next = settled.get();
        if (!vm->has_value(next)) co_return list;
        list->items.push_back(value_in(next));
    }
}

NativeRoutine listed(List* items) {
    for (std::size_t i = 0; i < items->items.size(); ++i) {
        const bool goes_on = co_yield items->items[i];
        if (!goes_on) break;
    }
    co_return Word::nothing();
}

NativeRoutine ticking(Vm* vm, std::int64_t delay_ms, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        Deferred* pause = vm->tasks->sleep(delay_ms);
        const Settled settled = co_await pause;
        static_cast<void>(settled.get());
        const bool goes_on = co_yield vm->heap.number(i);
        if (!goes_on) break;
    }
    co_return Word::nothing();
}

Stream& stream_of(Word word) {
    return as<Stream>(word, Kind::stream);
}

Word make_stream(Vm& vm, std::unique_ptr<Routine> routine) {
    return vm.heap.make<Stream>(std::move(routine));
}

Word stream_map(Vm& vm, Args args) {
    const Change change = [](Vm& of, Word function, Word value) {
        return of.call(function, {&value, 1});
    };
    return make_stream(vm, changed(&vm, &stream_of(args[0]), args[1], change).keeping(args));
}
Word stream_filter(Vm& vm, Args args) {
    const Change change = [](Vm& of, Word function, Word value) {
        Rooted roots(of);
        roots.add(value);
        return truth_of(of.call(function, {&value, 1})) ? value : Word();
    };
    return make_stream(vm, changed(&vm, &stream_of(args[0]), args[1], change).keeping(args));
}
Word stream_take(Vm& vm, Args args) {
    return make_stream(vm, taken(&vm, &stream_of(args[0]), number_of(args[1])).keeping(args));
}
Word stream_collect(Vm& vm, Args args) {
    return vm.tasks->make_native("collect", collected(&vm, &stream_of(args[0])).keeping(args));
}
Word stream_from_list(Vm& vm, Args args) {
    auto* items = vm.heap.make<List>(vm.items_of(args[0]));
    return make_stream(vm, listed(items).keeping({items}));
}
Word stream_interval(Vm& vm, Args args) {
    return make_stream(vm, ticking(&vm, number_of(args[0]), number_of(args[1])));
}

}  // namespace

void add_stream_natives(NativeTable& table) {
    table["AsyncIterator.next"] = [](Vm& vm, Args args) {
        return Word(vm.tasks->next(stream_of(args[0])));
    };
    table["AsyncIterator.map"] = stream_map;
    table["AsyncIterator.filter"] = stream_filter;
    table["AsyncIterator.take"] = stream_take;
    table["AsyncIterator.collect"] = stream_collect;
    table["AsyncIterator.fromList"] = stream_from_list;
    table["AsyncIterator.interval"] = stream_interval;
}

}  // namespace gyre::vela::vm
