// SPDX-License-Identifier: Apache-2.0
// Guest: what runs effectful functions for a scheduler: an instance of a WebAssembly module, a set
// of C++ coroutines, a script. It knows nothing of handlers and the scheduler nothing of engines.
// Derive from it. Many runs may use one guest; it belongs to their loop's thread and outlives them.
//
// A guest runs only inside `start`, `resume` and `end`, and each call ends with one Step. What it
// throws there fails the run: a ProtocolError as what it says, anything else as guest_failed. A
// continuation is given to exactly one of `resume`, `end` and `release`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/value.hpp"

namespace gyre::effect {

// Names a place where a guest can go on; the guest chooses it. 0 names none.
using Continuation = std::uintptr_t;

// Names a task inside a run to the guest that started it. Not to be guessed.
using Capability = std::int32_t;

enum class StepStatus : std::uint8_t {
    value,   // it has ended, with `value`
    effect,  // it asks: `op`, `kind`, `arguments`, and goes on at `continuation`
    wait,    // for the task `capability`: goes on with 0 for a value, 1 failed, 2 cancelled
    yield,   // other tasks of the run first
};

// How one call into a guest ended. A guest of another language fills in what it was told: all of it
// is checked before a handler is looked for.
struct Step {
    StepStatus status = StepStatus::value;
    ResumeKind kind = ResumeKind::resume;
    Capability capability = 0;
    const OpInfo* op = nullptr;  // one of the guest's own
    Continuation continuation = 0;
    Value value;
    Arguments arguments;
};

// What a guest may ask while it runs: tasks inside its run.
class TaskHost {
public:
    // An attached task ends before its owner does; a detached one may outlive it.
    enum class Spawn : std::uint8_t { attached, detached };

    // Queues a task: `body` is resumed with nothing when its turn comes, and is the task's from
    // here on.
    [[nodiscard]] virtual Capability spawn(Spawn how, Continuation body) = 0;
    // Whether it was still to be cancelled.
    virtual bool cancel(Capability task) = 0;
    // Of a task that was waited for. Throws where there is no such thing.
    [[nodiscard]] virtual Value take_value(Capability task) = 0;
    [[nodiscard]] virtual std::string failure_message(Capability task) = 0;

protected:
    ~TaskHost() = default;
};

class Guest {
public:
    virtual ~Guest() = default;

    // The ops it may perform, as far as that is known beforehand. They stay where they are.
    [[nodiscard]] virtual std::span<const OpInfo> ops() const noexcept = 0;
    // Whether a step may name this op.
    [[nodiscard]] virtual bool has_op(const OpInfo* op) const noexcept {
        const std::span<const OpInfo> all = ops();
        return op >= all.data() && op < all.data() + all.size();
    }

    [[nodiscard]] virtual Step start(std::string_view entry, Arguments arguments,
                                     TaskHost& tasks) = 0;
    [[nodiscard]] virtual Step resume(Continuation at, Value answer, TaskHost& tasks) = 0;
    // A handler ends the function early: gives the value as the function would, without going on.
    [[nodiscard]] virtual Step end(Continuation at, Value value, TaskHost& /*tasks*/) {
        release(at);
        Step step;
        step.value = std::move(value);
        return step;
    }
    // Nobody will go on there.
    virtual void release(Continuation at) noexcept = 0;
};

}  // namespace gyre::effect
