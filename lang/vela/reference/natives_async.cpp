// SPDX-License-Identifier: Apache-2.0
// The async part of the standard surface: futures and their combinators, promises, tasks, timers;
// and output.
#include "lang/vela/reference/internal/native_tables.hpp"
#include "lang/vela/reference/native_routine.hpp"

namespace gyre::vela::internal {
namespace {

Future* future_of(const Value& value) {
    auto* future = value.as<Future>();
    if (future == nullptr) throw InternalError{"no Future: " + printed(value)};
    return future;
}

Value call(const Value& function, const Values& args) {
    return function.as<Function>()->call(args);
}

void fulfil(Runtime& runtime, Future& future, Value value) {
    if (!future.is_settled()) runtime.settle(future, FutureState::fulfilled, value);
}
void reject(Runtime& runtime, Future& future, Value error) {
    if (!future.is_settled()) runtime.settle(future, FutureState::rejected, error);
}

// Calls back when the future settles, at once if it has.
void when_settled(Future& future, std::function<void()> callback) {
    future.is_observed = true;
    if (future.is_settled()) {
        callback();
    } else {
        future.waiting.push_back({nullptr, std::move(callback)});
    }
}

NativeRoutine slept(Runtime* runtime, std::int64_t delay_ms) {
    Future* fired = runtime->make_pending();
    Timer* timer = runtime->start_timer(
        delay_ms, [runtime, fired] { runtime->settle(*fired, FutureState::fulfilled, {}); });
    const Settled settled = co_await fired;
    // A cancelled sleep removes its timer.
    timer->on_fired = nullptr;
    co_return settled.get();
}

// A future that `done` settles from the outcomes of others, which are started at once.
struct Gathering : Thing {
    Values values;
    std::size_t missing_count = 0;
};

NativeRoutine gathered(Runtime* runtime, Values futures, bool is_tuple) {
    auto* gathering = runtime->heap.make<Gathering>();
    Future* gate = runtime->make_pending();
    gathering->values.resize(futures.size());
    gathering->missing_count = futures.size();
    const auto finish = [runtime, gathering, gate, is_tuple] {
        Value all = is_tuple ? Value(runtime->heap.make<Tuple>(gathering->values))
                             : Value(runtime->heap.make<List>(gathering->values));
        fulfil(*runtime, *gate, all);
    };
    if (futures.empty()) finish();
    for (std::size_t i = 0; i < futures.size(); ++i) {
        Future* part = future_of(futures[i]);
        runtime->start(*part);
        when_settled(*part, [runtime, gathering, gate, finish, part, i] {
            if (part->state == FutureState::rejected) {
                reject(*runtime, *gate, part->result);
                return;
            }
            gathering->values[i] = part->result;
            if (--gathering->missing_count == 0) finish();
        });
    }
    const Settled settled = co_await gate;
    co_return settled.get();
}

NativeRoutine raced(Runtime* runtime, Values futures) {
    Future* gate = runtime->make_pending();
    for (std::size_t i = 0; i < futures.size(); ++i) {
        Future* part = future_of(futures[i]);
        runtime->start(*part);
        when_settled(*part, [runtime, gate, part] {
            if (gate->is_settled()) return;
            runtime->settle(*gate, part->state, part->result);
        });
    }
    const Settled settled = co_await gate;
    co_return settled.get();
}

NativeRoutine timed(Runtime* runtime, Future* future, std::int64_t limit_ms) {
    Future* gate = runtime->make_pending();
    Timer* timer = runtime->start_timer(limit_ms, [runtime, gate, limit_ms] {
        const Value late =
            runtime->error("TimeoutError", "Timeout after " + std::to_string(limit_ms) + "ms");
        fulfil(*runtime, *gate, runtime->heap.variant("Err", {late}));
    });
    runtime->start(*future);
    when_settled(*future, [runtime, future, gate, timer] {
        timer->on_fired = nullptr;
        if (future->state == FutureState::rejected) {
            reject(*runtime, *gate, future->result);
        } else {
            fulfil(*runtime, *gate, runtime->heap.variant("Ok", {future->result}));
        }
    });
    const Settled settled = co_await gate;
    timer->on_fired = nullptr;
    co_return settled.get();
}

NativeRoutine mapped(Future* future, Value function) {
    const Settled settled = co_await future;
    const Value value = settled.get();
    co_return call(function, {value});
}

NativeRoutine flat_mapped(Future* future, Value function) {
    const Settled settled = co_await future;
    const Value value = settled.get();
    Future* inner = future_of(call(function, {value}));
    const Settled second = co_await inner;
    co_return second.get();
}

// A cancellation is not an Error and propagates.
NativeRoutine caught(Runtime* runtime, Future* future, Value function) {
    const Settled settled = co_await future;
    if (!settled.is_error || !runtime->is_error(settled.value)) co_return settled.get();
    const Value value = call(function, {settled.value});
    auto* inner = value.as<Future>();
    if (inner == nullptr) co_return value;
    const Settled second = co_await inner;
    co_return second.get();
}

NativeRoutine otherwise(Runtime* runtime, Future* future, Future* other) {
    const Settled settled = co_await future;
    if (!settled.is_error || !runtime->is_error(settled.value)) co_return settled.get();
    const Settled second = co_await other;
    co_return second.get();
}

// Calls a callback in a turn of its own.
void call_later(Runtime& runtime, Value function, std::string_view name) {
    runtime.enqueue([&runtime, function, name] {
        try {
            call(function, {});
        } catch (const Thrown& thrown) {
            runtime.outcome.errors.push_back("unhandled rejection in task " + std::string(name) +
                                             ": " + printed(thrown.error));
        }
    });
}

void add_futures(NativeTable& table) {
    table["Future.ready"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        Future* future = runtime.make_pending();
        runtime.settle(*future, FutureState::fulfilled, args[0]);
        return future;
    };
    table["Future.reject"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        Future* future = runtime.make_pending();
        runtime.settle(*future, FutureState::rejected, args[0]);
        return future;
    };
    table["Future.pending"] = [](Runtime& runtime, const Value&, const Values&) -> Value {
        return runtime.make_pending();
    };
    table["Future.fromPromise"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        const auto* promise = args[0].as<Promise>();
        return promise == nullptr ? runtime.make_pending() : promise->future;
    };
    table["Future.all"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        return runtime.make_future("all", gathered(&runtime, items_of(runtime, args[0]), false));
    };
    table["Future.race"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        return runtime.make_future("race", raced(&runtime, items_of(runtime, args[0])));
    };
    table["Future.timeout"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        return runtime.make_future("timeout",
                                   timed(&runtime, future_of(args[0]), *args[1].number()));
    };
    table["Future.map"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        return runtime.make_future("map", mapped(future_of(self), args[0]));
    };
    table["Future.flatMap"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        return runtime.make_future("flatMap", flat_mapped(future_of(self), args[0]));
    };
    table["Future.then"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        Future* body = runtime.make_future("then", mapped(future_of(self), args[0]));
        return runtime.spawn(*body);
    };
    table["Future.catch"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        return runtime.make_future("catch", caught(&runtime, future_of(self), args[0]));
    };
    table["Future.and"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        return runtime.make_future("and", gathered(&runtime, {self, args[0]}, true));
    };
    table["Future.or"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        return runtime.make_future("or", otherwise(&runtime, future_of(self), future_of(args[0])));
    };
    table["Future.poll"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        Future& future = *future_of(self);
        future.is_observed = true;
        runtime.start(future);
        if (future.state == FutureState::rejected) throw Thrown{future.result};
        if (future.is_settled()) return runtime.heap.variant("Ready", {future.result});
        const Value waker = args[0];
        future.waiting.push_back({nullptr, [&runtime, waker] {
                                      call_later(runtime, runtime.method_of(waker, "wake"), "wake");
                                  }});
        return runtime.heap.variant("Pending", {});
    };
}

void settle_promise(Runtime& runtime, const Value& self, FutureState state, Value value) {
    Future& future = *self.as<Promise>()->future;
    if (future.is_settled()) runtime.fail("Error", "Promise already settled");
    runtime.settle(future, state, value);
}

void add_promises(NativeTable& table) {
    const NativeCall resolve = [](Runtime& runtime, const Value& self,
                                  const Values& args) -> Value {
        settle_promise(runtime, self, FutureState::fulfilled, args[0]);
        return {};
    };
    table["Promise.resolve"] = resolve;
    table["Promise.send"] = resolve;
    table["Promise.reject"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        settle_promise(runtime, self, FutureState::rejected, args[0]);
        return {};
    };
    table["Promise.future"] = [](Runtime&, const Value& self, const Values&) -> Value {
        return self.as<Promise>()->future;
    };
    table["TaskHandle.cancel"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        return runtime.cancel(*self.as<TaskHandle>());
    };
    table["TaskHandle.onComplete"] = [](Runtime& runtime, const Value& self,
                                        const Values& args) -> Value {
        Future& future = *future_of(self);
        const bool was_observed = future.is_observed;
        const Value function = args[0];
        when_settled(future, [&runtime, function] { call_later(runtime, function, "onComplete"); });
        future.is_observed = was_observed;
        return {};
    };
}

void add_outside(NativeTable& table) {
    const NativeCall print = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        runtime.print(args.empty() ? "" : printed(args[0]));
        return {};
    };
    table["print"] = print;
    table["println"] = print;
    table["sleep"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        return sleeping(runtime, *args[0].number());
    };
    table["now"] = [](Runtime& runtime, const Value&, const Values&) -> Value {
        return runtime.now();
    };
    table["setTimeout"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        const Value function = args[0];
        return runtime.start_timer(*args[1].number(), [&runtime, function] {
            call_later(runtime, function, "setTimeout");
        });
    };
    table["clearTimeout"] = [](Runtime&, const Value&, const Values& args) -> Value {
        args[0].as<Timer>()->on_fired = nullptr;
        return {};
    };
    table["panic"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        runtime.fail("Error", text_of(args[0]));
    };
    table["assert"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        if (*args[0].truth()) return {};
        const bool has_text = args.size() > 1 && !args[1].is_void();
        runtime.fail("AssertionError", has_text ? text_of(args[1]) : "");
    };
}

}  // namespace

Future* sleeping(Runtime& runtime, std::int64_t delay_ms) {
    return runtime.make_future("sleep", slept(&runtime, delay_ms));
}

void add_async_natives(NativeTable& table) {
    add_futures(table);
    add_promises(table);
    add_outside(table);
}

}  // namespace gyre::vela::internal
