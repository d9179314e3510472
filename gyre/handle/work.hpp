// SPDX-License-Identifier: Apache-2.0
// Work: a request that runs a function on a thread of the loop's Offload and calls back on the
// loop's own. `queue` and `cancel` may be called by any thread; the function runs on a foreign one
// and must not touch the loop but through what a foreign thread may call.
#pragma once

#include <exception>

#include "gyre/handle/active_request.hpp"
#include "gyre/kernel/offload.hpp"

namespace gyre::handle {

class Work final : public ActiveRequest, private WorkOp {
public:
    // "operation canceled" when it was cancelled in time, "resource unavailable" when the pool's
    // queue is full, "state not recoverable" when the function threw: see exception().
    using OnDone = Callback<Work&, Status>;

    explicit Work(PhasedLoop& home,
                  const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at), WorkOp(&run_function), home_(home) {}
    ~Work() = default;

    [[nodiscard]] const char* kind() const noexcept override { return "work"; }

    // The error `invalid_argument` while it is active.
    Carried<Status> queue(Callback<> function, OnDone on_done);
    // Queued work never runs and comes back as cancelled. The error `device_or_resource_busy` when
    // it has begun already, `invalid_argument` when it is not active. From the start to the
    // callback.
    Carried<Status> cancel();

    // What the function threw; null otherwise.
    [[nodiscard]] std::exception_ptr exception() const noexcept { return exception_; }

private:
    static std::int32_t run_function(WorkOp& op) noexcept;
    Status cancel_here() noexcept;
    void on_done(Op& op) noexcept override;

    PhasedLoop& home_;
    Callback<> function_;
    AnyCallback callback_;
    std::exception_ptr exception_;
};

}  // namespace gyre::handle
