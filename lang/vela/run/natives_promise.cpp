// SPDX-License-Identifier: Apache-2.0
// Promises, task handles, timers, output, errors.
#include "lang/vela/run/internal/exchange.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

Word settle_promise(Vm& vm, Args args, FutureState state) {
    auto& promise = as<Promise>(args[0], Kind::promise);
    bool is_new = !promise.future->is_settled();
    if (is_new && promise.shared != nullptr) {
        is_new = vm.exchange->settle(promise, state, args[1]);
    } else if (is_new) {
        const Word value = promise.is_sent ? copy_for_actor(vm, args[1]) : args[1];
        vm.tasks->settle(*promise.future, state, value);
    }
    if (!is_new) vm.fail("Error", "Promise already settled");
    return Word::nothing();
}
Word resolve(Vm& vm, Args args) {
    return settle_promise(vm, args, FutureState::fulfilled);
}
Word reject(Vm& vm, Args args) {
    return settle_promise(vm, args, FutureState::rejected);
}
// Through the interface Sender: to a promise or an actor.
Word send(Vm& vm, Args args) {
    if (is_kind(args[0], Kind::actor_ref)) {
        vm.tasks->send(*static_cast<ActorRef*>(args[0].thing()), args[1]);
        return Word::nothing();
    }
    return resolve(vm, args);
}

Word on_complete(Vm& vm, Args args) {
    auto& handle = as<TaskHandle>(args[0], Kind::task_handle);
    const bool was_observed = handle.is_observed;
    const auto callback = [](Vm& of, Args words) { of.tasks->call_later(words[0], "onComplete"); };
    vm.tasks->when_settled(handle, {args[1]}, callback);
    handle.is_observed = was_observed;
    return Word::nothing();
}

Word print(Vm& vm, Args args) {
    vm.host.print(args.empty() || args[0].is_missing() ? std::string() : printed(args[0]));
    return Word::nothing();
}

Word set_timeout(Vm& vm, Args args) {
    Timer* timer = vm.tasks->start_timer(number_of(args[1]));
    timer->function = args[0];
    return timer;
}

Word check(Vm& vm, Args args) {
    if (truth_of(args[0])) return Word::nothing();
    const bool has_text = args.size() > 1 && !args[1].is_missing();
    vm.fail("AssertionError", has_text ? text_of(args[1]) : std::string());
}

Word check_equal(Vm& vm, Args args) {
    if (are_equal(args[0], args[1])) return Word::nothing();
    const std::string expected = printed(args[1]);
    const std::string found = printed(args[0]);
    vm.host.differ(expected, found);
    vm.fail("AssertionError", "expected " + expected + ", found " + found);
}

Word construct_error(Vm& vm, Args args) {
    if (args.size() > 1 && !args[1].is_missing()) {
        vm.set_field(as<Instance>(args[0], Kind::instance), "message", args[1]);
    }
    return Word::nothing();
}

}  // namespace

void add_promise_natives(NativeTable& table) {
    table["Promise.resolve"] = resolve;
    table["Promise.send"] = resolve;
    table["Sender.send"] = send;
    table["Promise.reject"] = reject;
    table["Promise.future"] = [](Vm&, Args args) {
        return Word(as<Promise>(args[0], Kind::promise).future);
    };
    table["TaskHandle.cancel"] = [](Vm& vm, Args args) {
        return Word::boolean(vm.tasks->cancel(as<TaskHandle>(args[0], Kind::task_handle)));
    };
    table["TaskHandle.onComplete"] = on_complete;
    table["print"] = print;
    table["println"] = print;
    table["sleep"] = [](Vm& vm, Args args) { return Word(vm.tasks->sleep(number_of(args[0]))); };
    table["now"] = [](Vm& vm, Args) { return vm.heap.number(vm.tasks->now_ms()); };
    table["setTimeout"] = set_timeout;
    table["clearTimeout"] = [](Vm&, Args args) {
        as<Timer>(args[0], Kind::timer).clear();
        return Word::nothing();
    };
    table["panic"] = [](Vm& vm, Args args) -> Word { vm.fail("Error", text_of(args[0])); };
    table["assert"] = check;
    table["assertEqual"] = check_equal;
    table["Error.constructor"] = construct_error;
    table["IoError.constructor"] = construct_error;
}

const NativeTable& core_natives() {
    static const NativeTable table = [] {
        NativeTable made;
        add_text_natives(made);
        add_sequence_natives(made);
        add_collection_natives(made);
        add_number_natives(made);
        add_order_natives(made);
        add_time_natives(made);
        add_async_natives(made);
        add_waker_natives(made);
        add_promise_natives(made);
        add_stream_natives(made);
        add_json_natives(made);
        return made;
    }();
    return table;
}

}  // namespace gyre::vela::vm
