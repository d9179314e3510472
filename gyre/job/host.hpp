// SPDX-License-Identifier: Apache-2.0
// Host: the interface that a language's host implements, to be told of errors, unhandled rejections
// and the end of the program. Also here: the hooks of jobs (JobCallbackHooks), an engine's own
// queue of microtasks or ticks (JobSource), its immediates (ImmediateSource) and the host of promises
// (PromiseHost).
//
//     struct Shell : job::Host {
//         void on_exit() override { log(LogLevel::info, "done"); }
//     } shell;
//     job::Scheduler scheduler(clock, shell);
//
// Thread: called on the pump's thread.
// Lifetime: it outlives the scheduler.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "gyre/base/detail/callback.hpp"

namespace gyre::job {

// Identifies a timer or an immediate; never reused, and 0 is none. Always below 2^53, so that it
// fits a JavaScript number.
using JobId = std::uint64_t;

// The host's async context of a job: the context of the code that queued it.
using Context = void*;

// ECMA-262's JobCallback Record: a function and a host-defined value.
struct JobCallback {
    Callback<> callback;
    Context context = nullptr;
};

// The order of jobs. `node`: exactly Node's. `js2il`: the bounded iteration of JS2IL, in which a
// tick is a microtask. docs/guide/give-your-language-an-event-loop.md shows both.
enum class Profile : std::uint8_t { node, js2il };

// Identifies a promise to the rejection tracker. The engine chooses it; no two promises share one.
using PromiseId = std::uint64_t;

enum class AfterError : std::uint8_t { go_on, stop };

class Host {
public:
    virtual ~Host() = default;

    // A job threw. Returns whether the other jobs still run; the default logs the error and stops.
    virtual AfterError on_error(std::exception_ptr error);
    // A rejected promise has no handler at the end of the checkpoint. The default throws, which is
    // an error of the job: it ends the checkpoint, and the other rejections of this report are
    // dropped, as in Node 20.
    virtual void on_rejection(PromiseId promise, const std::any& reason);
    // A promise that was reported to on_rejection got a handler.
    virtual void on_rejection_handled(PromiseId /*promise*/) {}
    // The loop has no more work. Work that this starts keeps it running (see run_to_exit).
    virtual void on_before_exit() {}
    virtual void on_exit() {}
};

// ECMA-262's HostMakeJobCallback and HostCallJobCallback. Each context that `make` returned is
// dropped once, after the last call or instead of it.
class JobCallbackHooks {
public:
    virtual ~JobCallbackHooks() = default;
    // Code that runs in the context `current` queues a job.
    [[nodiscard]] virtual Context make(Context current) = 0;
    virtual void call(Callback<>& callback, Context context) = 0;
    virtual void drop(Context /*context*/) noexcept {}
};

// What a JobSource did in one call.
struct JobsRun {
    std::size_t count = 0;     // jobs that ran, also the one that failed
    std::exception_ptr error;  // of the last one
};

// The queue of microtasks, or of ticks, of an engine that keeps its own. No exception leaves it.
class JobSource {
public:
    virtual ~JobSource() = default;
    [[nodiscard]] virtual std::size_t pending() const noexcept = 0;
    // Runs at most `max` jobs, the oldest first, including those that they add; stops after a job
    // that fails. Sets the scheduler's context for each. An engine that reports an error itself
    // (Scheduler::report_error) goes on.
    virtual JobsRun run_some(std::size_t max) noexcept = 0;
    // Queues a job of the host behind the others.
    virtual void queue(Callback<> job) = 0;
};

// The immediates of an engine that keeps its own. Those that were queued when a check phase began
// are its batch.
class ImmediateSource {
public:
    virtual ~ImmediateSource() = default;
    // Whether an immediate waits, of the batch or behind it.
    [[nodiscard]] virtual bool has_any() const noexcept = 0;
    [[nodiscard]] virtual bool has_batch() const noexcept = 0;
    // Of all that wait, those that keep the loop alive.
    [[nodiscard]] virtual std::size_t reference_count() const noexcept = 0;
    // Moves the immediates behind the batch to its end.
    virtual void take_batch() noexcept = 0;
    // Runs at most `max` immediates of the batch. Stops after one that fails, or behind which a
    // checkpoint has work, also such that was there before.
    virtual JobsRun run_batch(std::size_t max) noexcept = 0;
    // Queues an immediate that does nothing.
    virtual void queue_nothing() noexcept = 0;
};

// The host of Promise: HostEnqueuePromiseJob and HostPromiseRejectionTracker.
class PromiseHost {
public:
    virtual ~PromiseHost() = default;
    [[nodiscard]] virtual PromiseId next_promise_id() noexcept = 0;
    // HostMakeJobCallback for a handler: the context that it will be called in. It is dropped once:
    // by enqueue_promise_job, even when the job does not run, or by drop_context.
    [[nodiscard]] virtual Context make_context() = 0;
    virtual void drop_context(Context context) noexcept = 0;
    virtual void enqueue_promise_job(Callback<> job, Context context) = 0;
    // The promise was rejected without a handler.
    virtual void track_rejected(PromiseId promise, std::any reason) = 0;
    // A tracked promise got its first handler. A promise is forgotten when it is reported: one that
    // is not known any more was reported.
    virtual void track_handled(PromiseId promise) = 0;
};

}  // namespace gyre::job
