// SPDX-License-Identifier: Apache-2.0
// What a language's host hands over, and what it is told. All of it is called on the pump's thread;
// it must outlive the scheduler.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "gyre/job/job.hpp"

namespace gyre::job {

// Names a promise to the tracker of rejections. The engine chooses it; no two promises share one.
using PromiseId = std::uint64_t;

enum class AfterError : std::uint8_t { go_on, stop };

class Host {
public:
    virtual ~Host() = default;

    // A job threw. Whether the other jobs still run is for the host to say; by default it logs the
    // error and stops.
    virtual AfterError on_error(std::exception_ptr error);
    // A promise was rejected and nobody handled it by the end of the checkpoint. By default it is
    // an error.
    virtual void on_rejection(PromiseId promise, const std::any& reason);
    // A promise that on_rejection named is handled after all.
    virtual void on_rejection_handled(PromiseId /*promise*/) {}
    // The loop has run dry: what is started here keeps it going (see run_to_exit).
    virtual void on_before_exit() {}
    virtual void on_exit() {}
};

// ECMA-262's HostMakeJobCallback and HostCallJobCallback. Each context that `make` gave is dropped
// once, after the last call or instead of it.
class JobCallbackHooks {
public:
    virtual ~JobCallbackHooks() = default;
    // A job is queued by code that runs in the context `current`.
    [[nodiscard]] virtual Context make(Context current) = 0;
    virtual void call(Callback<>& callback, Context context) = 0;
    virtual void drop(Context /*context*/) noexcept {}
};

// The microtasks of an engine that keeps its own queue of promise jobs.
class JobSource {
public:
    virtual ~JobSource() = default;
    [[nodiscard]] virtual std::size_t pending() const noexcept = 0;
    // Runs the first of them. Throws what it throws.
    virtual void run_one() = 0;
};

// What promises need of a host: HostEnqueuePromiseJob and HostPromiseRejectionTracker.
class PromiseHost {
public:
    virtual ~PromiseHost() = default;
    [[nodiscard]] virtual PromiseId next_promise_id() noexcept = 0;
    // HostMakeJobCallback for a handler: the context in which it is to be called. It is dropped
    // once: by enqueue_promise_job, whatever becomes of the job, or by drop_context.
    [[nodiscard]] virtual Context make_context() = 0;
    virtual void drop_context(Context context) noexcept = 0;
    virtual void enqueue_promise_job(Callback<> job, Context context) = 0;
    // Rejected while it has no handler.
    virtual void track_rejected(PromiseId promise, std::any reason) = 0;
    // The first handler of a promise that was tracked.
    virtual void track_handled(PromiseId promise) = 0;
    // A tracked promise is gone: nobody can handle it any more.
    virtual void forget(PromiseId promise) noexcept = 0;
};

}  // namespace gyre::job
