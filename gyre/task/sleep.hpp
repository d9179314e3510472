// SPDX-License-Identifier: Apache-2.0
// Waiting for time, and letting others go first.
//
//     co_await sleep(100ms);          co_await sleep_until(deadline);          co_await yield();
//
// Cancelling a sleep ends it at once. Cancel class of all three: did nothing.
#pragma once

#include "gyre/kernel/timer_op.hpp"
#include "gyre/task/coroutine.hpp"
#include "gyre/task/executor.hpp"

namespace gyre {

class SleepAwait final : public Suspension, private TimerOp {
public:
    SleepAwait(PromiseBase& promise, Instant when) noexcept : TimerOp(when) { attach(promise); }
    [[nodiscard]] bool await_ready() noexcept { return begin(); }
    void await_suspend(std::coroutine_handle<> by) noexcept {
        executor().submit_for(*this, *this);
        wait(by);
    }
    void await_resume() { end(); }

    void cancel() noexcept override { executor().cancel(static_cast<TimerOp&>(*this)); }
    void on_complete(Op& op) noexcept override { op.is_cancelled() ? wake_cancelled() : wake(); }
    [[nodiscard]] const char* what() const noexcept override { return "sleep"; }
    [[nodiscard]] const Op* pending_op() const noexcept override { return this; }
};

struct [[nodiscard]] Sleep {
    Duration delay;
    [[nodiscard]] SleepAwait await_in(PromiseBase& promise) const noexcept {
        return {promise, promise.task().executor().now() + delay};
    }
};
struct [[nodiscard]] SleepUntil {
    Instant when;
    [[nodiscard]] SleepAwait await_in(PromiseBase& promise) const noexcept {
        return {promise, when};
    }
};
// Counted from the time of the loop's turn.
[[nodiscard]] inline Sleep sleep(Duration delay) noexcept {
    return {delay};
}
[[nodiscard]] inline SleepUntil sleep_until(Instant when) noexcept {
    return {when};
}

class [[nodiscard]] Yield {
public:
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept { return Await(promise); }

private:
    class Await {
    public:
        explicit Await(PromiseBase& promise) noexcept : promise_(promise) {}
        [[nodiscard]] bool await_ready() const noexcept { return promise_.is_cancel_due(); }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept { promise_.go_last(); }
        void await_resume() const {
            if (promise_.is_cancel_due()) promise_.deliver_cancel();
        }

    private:
        PromiseBase& promise_;
    };
};

// Every other task that is ready runs before this one goes on.
[[nodiscard]] inline Yield yield() noexcept {
    return {};
}

}  // namespace gyre
