// SPDX-License-Identifier: Apache-2.0
// Guest: the interface of an engine that runs effectful functions for a Scheduler: an instance of a
// WebAssembly module, a set of C++ coroutines, a script. Derive from it to add an engine.
//
//     class Doubler final : public Guest {              // performs no ops
//         std::span<const OpInfo> ops() const noexcept override { return {}; }
//         Step start(std::string_view, Arguments arguments, TaskHost&) override {
//             Step step;
//             step.value = 2 * arguments.begin()->integer();
//             return step;                              // status value: the function has ended
//         }
//         Step resume(Continuation, Value, TaskHost&) override { return {}; }
//         void release(Continuation) noexcept override {}
//     };
//
// Thread: the scheduler's.
// Lifetime: it outlives its runs; many runs may use one guest.
// Protocol: a guest runs only inside `start`, `resume` and `end`, and each call returns one Step.
// An exception fails the run: a ProtocolError with its own kind, any other as guest_failed. Each
// continuation is passed to exactly one of `resume`, `end` and `release`, and each Held value to
// `drop`, or back to the guest by `take_held`. `release` and `drop` may come while the guest is
// inside another call: a function that cancels a task of its own run. All calls of a run come between
// its `begin_run` and its `end_run`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/value.hpp"

namespace gyre::effect {

// A suspended function of a guest, in the guest's own numbering. 0 is none.
using Continuation = std::uintptr_t;

// A value that stays inside the guest, such as a reference to an object of its heap, in the guest's own
// numbering. 0 is none.
using Held = std::uintptr_t;

// Identifies a run of one scheduler; never reused. 0 is no run.
using RunId = std::uint64_t;

// Names a task to the guest that spawned it. Random, so that a guest cannot guess others.
using Capability = std::int32_t;

enum class StepStatus : std::uint8_t {
    value,      // the function has ended, with `value`; a task also with `held`
    effect,     // a request: `op`, `kind`, `arguments`; resumes at `continuation`
    wait,       // for the task `capability`: resumes with 0 for a value, 1 failed, 2 cancelled
    yield,      // lets the other tasks of the run go first
    preempted,  // stopped by its engine: resumes at `continuation` with nothing, after other runs
                // and before the other tasks of its own run
};

// The result of one call into a guest. A guest may pass on unchecked data of its program: the
// scheduler validates the step before it looks for a handler.
struct Step {
    StepStatus status = StepStatus::value;
    ResumeKind kind = ResumeKind::resume;
    Capability capability = 0;
    const OpInfo* op = nullptr;  // an element of Guest::ops()
    Continuation continuation = 0;
    Held held = 0;  // owned by the step
    Value value;
    Arguments arguments;
};

// The scheduler's functions for a running guest: tasks inside its run.
class TaskHost {
public:
    // An attached task ends before its owner does; a detached one may outlive it.
    enum class Spawn : std::uint8_t { attached, detached };

    // Queues a task, which owns `body` from now on and resumes it with nothing.
    [[nodiscard]] virtual Capability spawn(Spawn how, Continuation body) = 0;
    // False when the task had ended, or the capability names none.
    virtual bool cancel(Capability task) = 0;
    // The value of a task that was waited for, or its Held, 0 for none: the guest owns it again. One
    // of both, once. Throws a ProtocolError (stale_task) for any other task.
    [[nodiscard]] virtual Value take_value(Capability task) = 0;
    [[nodiscard]] virtual Held take_held(Capability task) = 0;
    // Of a failed task. Throws a ProtocolError (stale_task) for any other, also a cancelled one.
    [[nodiscard]] virtual std::string failure_message(Capability task) = 0;
    // The run that the guest works for.
    [[nodiscard]] virtual RunId run() const noexcept = 0;

protected:
    ~TaskHost() = default;
};

class Guest {
public:
    virtual ~Guest() = default;

    // The ops that it may perform. Their addresses must not change.
    [[nodiscard]] virtual std::span<const OpInfo> ops() const noexcept = 0;
    // Whether a step may name this op.
    [[nodiscard]] virtual bool has_op(const OpInfo* op) const noexcept {
        const std::span<const OpInfo> all = ops();
        return op >= all.data() && op < all.data() + all.size();
    }

    // Whether a step may take long, because the guest runs code of others: the scheduler reads the
    // clock after each of its steps. Fixed before the first run.
    [[nodiscard]] virtual bool is_engine() const noexcept { return false; }

    // The first step of a run follows: what a guest keeps for each run is made here. An exception
    // fails the run.
    virtual void begin_run(RunId /*run*/) {}
    // After the last call of a run that has begun.
    virtual void end_run(RunId /*run*/) noexcept {}

    [[nodiscard]] virtual Step start(std::string_view entry, Arguments arguments,
                                     TaskHost& tasks) = 0;
    [[nodiscard]] virtual Step resume(Continuation at, Value answer, TaskHost& tasks) = 0;
    // A handler ends the function early: returns the value as its result, without resuming it.
    [[nodiscard]] virtual Step end(Continuation at, Value value, TaskHost& /*tasks*/) {
        release(at);
        Step step;
        step.value = std::move(value);
        return step;
    }
    // Frees a continuation that will not be resumed.
    virtual void release(Continuation at) noexcept = 0;
    // Frees the value of a task that nobody took.
    virtual void drop(Held /*value*/) noexcept {}
};

}  // namespace gyre::effect
