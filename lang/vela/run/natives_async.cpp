// SPDX-License-Identifier: Apache-2.0
// Futures and their combinators, promises, tasks, timers, output.
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/polling.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

Deferred& future_of(Word word) {
    const bool is_it = is_kind(word, Kind::future) || is_kind(word, Kind::task_handle);
    if (!is_it) wrong_kind(word, "a Future");
    return *static_cast<Deferred*>(word.thing());
}
bool is_future(Vm& vm, Word word) {
    if (is_kind(word, Kind::future) || is_kind(word, Kind::task_handle)) return true;
    if (!is_kind(word, Kind::instance)) return false;
    const auto line = line_of(static_cast<Instance*>(word.thing())->shape->type);
    return line.front() == vm.program.types.builtins.future;
}

void settle_once(Vm& vm, Deferred& future, FutureState state, Word value) {
    if (!future.is_settled()) vm.tasks->settle(future, state, value);
}

// The values of futures that were started together.
NativeRoutine gathered(Vm* vm, List* futures, bool is_tuple) {
    Kept kept = co_await keep();
    auto& gate = *static_cast<Deferred*>(kept.add(vm->tasks->make_pending()).thing());
    const std::size_t count = futures->items.size();
    auto* values = vm->heap.make<List>(std::vector<Word>(count));
    kept.add(values);
    // In a tuple of its own, so that callbacks share it.
    auto* missing =
        vm->heap.make<List>(std::vector<Word>{Word::small(static_cast<std::int64_t>(count))});
    kept.add(missing);
    const auto on_settled = [is_tuple](Vm& of, Args kept_words, std::size_t i) {
        auto& part = future_of(kept_words[0]);
        auto& whole = future_of(kept_words[1]);
        auto& all = as<List>(kept_words[2], Kind::list);
        auto& left = as<List>(kept_words[3], Kind::list).items[0];
        if (part.state == FutureState::rejected) {
            settle_once(of, whole, FutureState::rejected, part.result);
            return;
        }
        all.items[i] = part.result;
        left = Word::small(left.small_number() - 1);
        if (left.small_number() > 0) return;
        const Word made = is_tuple ? Word(of.heap.make<Tuple>(all.items)) : Word(&all);
        settle_once(of, whole, FutureState::fulfilled, made);
    };
    if (count == 0) vm->tasks->settle(gate, FutureState::fulfilled, values);
    for (std::size_t i = 0; i < count; ++i) {
        Deferred& part = future_of(as_future(*vm, futures->items[i]));
        vm->tasks->start(part);
        const auto callback = [on_settled, i](Vm& of, Args words) { on_settled(of, words, i); };
        vm->tasks->when_settled(part, {&part, &gate, values, missing}, callback);
    }
    const Settled settled = co_await &gate;
    co_return settled.get();
}

NativeRoutine raced(Vm* vm, List* futures) {
    Kept kept = co_await keep();
    auto& gate = *static_cast<Deferred*>(kept.add(vm->tasks->make_pending()).thing());
    for (std::size_t i = 0; i < futures->items.size(); ++i) {
        Deferred& part = future_of(as_future(*vm, futures->items[i]));
        vm->tasks->start(part);
        const auto callback = [](Vm& of, Args words) {
            const auto& ended = future_of(words[0]);
            settle_once(of, future_of(words[1]), ended.state, ended.result);
        };
        vm->tasks->when_settled(part, {&part, &gate}, callback);
    }
    const Settled settled = co_await &gate;
    co_return settled.get();
}

NativeRoutine timed(Vm* vm, Deferred* future, std::int64_t limit_ms) {
    Kept kept = co_await keep();
    auto& gate = *static_cast<Deferred*>(kept.add(vm->tasks->make_pending()).thing());
    auto& timer = *static_cast<Timer*>(kept.add(vm->tasks->start_timer(limit_ms)).thing());
    timer.gate = &gate;
    timer.gate_value = vm->err(
        vm->error("TimeoutError", concat("Timeout after ", std::to_string(limit_ms), "ms")));
    vm->tasks->start(*future);
    const auto callback = [](Vm& of, Args words) {
        const auto& ended = future_of(words[0]);
        static_cast<Timer*>(words[2].thing())->clear();
        const bool is_error = ended.state == FutureState::rejected;
        settle_once(of, future_of(words[1]), ended.state,
                    is_error ? ended.result : of.ok(ended.result));
    };
    vm->tasks->when_settled(*future, {future, &gate, &timer}, callback);
    const Settled settled = co_await &gate;
    timer.clear();
    co_return settled.get();
}

NativeRoutine mapped(Vm* vm, Deferred* future, Word function) {
    const Settled settled = co_await future;
    const Word value = settled.get();
    co_return vm->call(function, {&value, 1});
}

NativeRoutine flat_mapped(Vm* vm, Deferred* future, Word function) {
    const Settled settled = co_await future;
    const Word value = settled.get();
    Deferred* inner = &future_of(as_future(*vm, vm->call(function, {&value, 1})));
    const Settled second = co_await inner;
    co_return second.get();
}

// A cancellation is not an Error and passes.
NativeRoutine caught(Vm* vm, Deferred* future, Word function) {
    const Settled settled = co_await future;
    if (!settled.is_error || !vm->is_error(settled.value)) co_return settled.get();
    const Word value = vm->call(function, {&settled.value, 1});
    if (!is_future(*vm, value)) co_return value;
    Deferred* inner = &future_of(as_future(*vm, value));
    const Settled second = co_await inner;
    co_return second.get();
}

NativeRoutine otherwise(Vm* vm, Deferred* future, Deferred* other) {
    const Settled settled = co_await future;
    if (!settled.is_error || !vm->is_error(settled.value)) co_return settled.get();
    const Settled second = co_await other;
    co_return second.get();
}

Word settled_future(Vm& vm, FutureState state, Word value) {
    Deferred* future = vm.tasks->make_pending();
    vm.tasks->settle(*future, state, value);
    return future;
}

Word future_map(Vm& vm, Args args) {
    auto* future = &future_of(as_future(vm, args[0]));
    return vm.tasks->make_native("map", mapped(&vm, future, args[1]).keeping(args));
}
Word future_flat_map(Vm& vm, Args args) {
    auto* future = &future_of(as_future(vm, args[0]));
    return vm.tasks->make_native("flatMap", flat_mapped(&vm, future, args[1]).keeping(args));
}
Word future_then(Vm& vm, Args args) {
    auto* future = &future_of(as_future(vm, args[0]));
    return vm.tasks->spawn(
        *vm.tasks->make_native("then", mapped(&vm, future, args[1]).keeping(args)));
}
Word future_catch(Vm& vm, Args args) {
    auto* future = &future_of(as_future(vm, args[0]));
    return vm.tasks->make_native("catch", caught(&vm, future, args[1]).keeping(args));
}
Word future_or(Vm& vm, Args args) {
    auto* future = &future_of(as_future(vm, args[0]));
    return vm.tasks->make_native(
        "or", otherwise(&vm, future, &future_of(as_future(vm, args[1]))).keeping(args));
}
Word future_and(Vm& vm, Args args) {
    auto* both = vm.heap.make<List>(std::vector{args[0], args[1]});
    return vm.tasks->make_native("and", gathered(&vm, both, true).keeping({both}));
}
Word future_all(Vm& vm, Args args) {
    auto* list = vm.heap.make<List>(vm.items_of(args[0]));
    return vm.tasks->make_native("all", gathered(&vm, list, false).keeping({list}));
}
Word future_race(Vm& vm, Args args) {
    auto* list = vm.heap.make<List>(vm.items_of(args[0]));
    return vm.tasks->make_native("race", raced(&vm, list).keeping({list}));
}
Word future_timeout(Vm& vm, Args args) {
    auto* future = &future_of(as_future(vm, args[0]));
    return vm.tasks->make_native("timeout", timed(&vm, future, number_of(args[1])).keeping(args));
}

Word future_poll(Vm& vm, Args args) {
    Deferred& future = future_of(as_future(vm, args[0]));
    future.is_observed = true;
    vm.tasks->start(future);
    if (future.state == FutureState::rejected) throw Thrown{future.result};
    const TypeInfo* poll = vm.standard_type("Poll");
    if (future.is_settled()) {
        return vm.variant(vm.variant_info(poll, "Ready"), {&future.result, 1});
    }
    const auto callback = [](Vm& of, Args words) { of.tasks->wake_later(words[0]); };
    vm.tasks->when_settled(future, {args[1]}, callback);
    return vm.variant(vm.variant_info(poll, "Pending"));
}

}  // namespace

void add_async_natives(NativeTable& table) {
    table["Future.ready"] = [](Vm& vm, Args args) {
        return settled_future(vm, FutureState::fulfilled, args[0]);
    };
    table["Future.reject"] = [](Vm& vm, Args args) {
        return settled_future(vm, FutureState::rejected, args[0]);
    };
    table["Future.pending"] = [](Vm& vm, Args) { return Word(vm.tasks->make_pending()); };
    table["Future.fromPromise"] = [](Vm& vm, Args args) {
        if (!is_kind(args[0], Kind::promise)) return Word(vm.tasks->make_pending());
        return Word(static_cast<Promise*>(args[0].thing())->future);
    };
    table["Future.all"] = future_all;
    table["Future.race"] = future_race;
    table["Future.timeout"] = future_timeout;
    table["Future.map"] = future_map;
    table["Future.flatMap"] = future_flat_map;
    table["Future.then"] = future_then;
    table["Future.catch"] = future_catch;
    table["Future.and"] = future_and;
    table["Future.or"] = future_or;
    table["Future.poll"] = future_poll;
}

}  // namespace gyre::vela::vm
