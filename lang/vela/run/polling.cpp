// SPDX-License-Identifier: Apache-2.0
// Futures that a class of the program implements by `poll(waker)`, and the steps of tasks in words.
#include "lang/vela/run/internal/polling.hpp"

#include "gyre/kernel/loop.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

// The Waker that `poll` gets. Its `wake` ends the wait that follows, also if it comes before.
struct WakerThing final : HostThing {
    WakerThing(const TypeInfo* of, Deferred* what) noexcept : HostThing(of), gate(what) {}
    void trace(Marker& marker) override { marker.mark(gate); }
    Deferred* gate;
};

Word polled_once(Vm& vm, Instance& object, Word waker) {
    Rooted roots(vm);
    roots.add(waker);
    return vm.call(roots.add(vm.bound_method(&object, "poll")), {&waker, 1});
}

NativeRoutine polled(Vm* vm, Instance* object) {
    for (;;) {
        Deferred* gate = vm->tasks->make_pending();
        const Word waker = vm->heap.make<WakerThing>(vm->standard_type("Waker"), gate);
        const Word answer = polled_once(*vm, *object, waker);
        auto& variant = as<Variant>(answer, Kind::variant);
        if (variant.count > 0) co_return variant.payload()[0];
        const Settled settled = co_await gate;
        // A wake gives nothing; only a cancellation is an error.
        if (settled.is_error) co_return settled.get();
    }
}

Word wake(Vm& vm, std::span<const Word> args) {
    Deferred& gate = *static_cast<WakerThing&>(as<HostThing>(args[0], Kind::host)).gate;
    if (!gate.is_settled()) vm.tasks->settle(gate, FutureState::fulfilled, Word::nothing());
    return Word::nothing();
}

}  // namespace

Word future_of_object(Vm& vm, Word word) {
    auto& object = as<Instance>(word, Kind::instance);
    if (object.actor == nullptr) {
        object.actor = vm.tasks->make_native(object.shape->type->name.text,
                                             polled(&vm, &object).keeping({&object}));
    }
    return object.actor;
}

void add_waker_natives(NativeTable& table) {
    table["Waker.wake"] = wake;
}

// ---- steps

namespace {

std::string name_of(const Deferred& future) {
    return future.name().empty() ? "a promise" : std::string(future.name());
}

// A long value is cut.
std::string shown_briefly(Word word) {
    constexpr std::size_t shown_bytes_max = 60;
    std::string text = printed(word);
    if (text.size() > shown_bytes_max) {
        text.resize(shown_bytes_max);
        text += "...";
    }
    return text;
}

}  // namespace

void Tasks::tell(const VelaTask& task, const std::string& text) {
    const std::string line = concat("task ", std::to_string(task.number), ": ", text);
    if (vm.options.shows_steps) {
        vm.host.step(concat("step ", std::to_string(++step_count_), "  ", line));
    }
    // A mark keeps its first 23 bytes: without the number of the task.
    if (Observer* observer = scope.executor().loop().observer()) observer->on_mark(text);
}

void Tasks::tell_turn(const VelaTask& task, const Resume& with) {
    if (task.interrupted != nullptr) return tell(task, "goes on after an interruption");
    const Deferred& body = *task.chain.back();
    if (!task.is_started) return tell(task, concat(name_of(body), " starts: Start"));
    const bool is_error = with.kind == ResumeKind::error;
    tell(task, concat("woken: ", name_of(body), is_error ? " throws " : " goes on with ",
                      shown_briefly(with.value)));
}

void Tasks::tell_end(const VelaTask& task, const Deferred& ended, const Step& step) {
    const bool is_error = step.kind == StepKind::fails;
    tell(task, concat(name_of(ended), is_error ? " ends: Error(" : " ends: Done(",
                      shown_briefly(step.value), ")"));
}

void Tasks::tell_await(const VelaTask& task, const Deferred& awaited) {
    const Deferred& body = *task.chain.back();
    // A sleep waits for itself.
    const std::string what = &awaited == &body ? "its timer" : name_of(awaited);
    std::string text = concat(name_of(body), " polls ", what, ": ");
    if (awaited.is_settled()) {
        const bool is_error = awaited.state == FutureState::rejected;
        text += concat(is_error ? "Error(" : "Ready(", shown_briefly(awaited.result), ")");
    } else if (awaited.state == FutureState::unstarted) {
        text += "Start";
    } else {
        text += "Pending, a waker is registered, the task is suspended";
    }
    if (body.is_frame) {
        const auto& frame = static_cast<const Frame&>(body);
        text += concat(" ", place_in_line(Vm::place_text(*frame.function, frame.at)));
    }
    tell(task, text);
}

std::string Tasks::place_in_line(const std::string& place) {
    const std::size_t open = place.find('(');
    return open == std::string::npos ? std::string() : place.substr(open);
}

}  // namespace gyre::vela::vm
