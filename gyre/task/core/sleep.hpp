// SPDX-License-Identifier: Apache-2.0
// sleep, sleep_until, yield: wait for time, and let other tasks run.
//
//     co_await sleep(100ms);
//     co_await sleep_until(deadline);
//     co_await yield();
//
// Thread: the task's thread.
// Lifetime: the timer is in the frame of the coroutine.
// Cancel: did nothing; a cancelled sleep ends at once.
#pragma once

#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/detail/suspension.hpp"
#include "gyre/task/core/executor.hpp"

namespace gyre {

class SleepAwait final : public TimerWait {
public:
    SleepAwait(PromiseBase& promise, Instant when) noexcept : TimerWait(when) { attach(promise); }
    [[nodiscard]] bool await_ready() noexcept { return begin(); }
    void await_suspend(std::coroutine_handle<> by) noexcept {
        executor().submit_for(*this);
        wait(by);
    }
    void await_resume() { end(); }

    void cancel() noexcept override { executor().cancel(timer()); }
    [[nodiscard]] const char* what() const noexcept override { return "sleep"; }
    [[nodiscard]] const Op* pending_op() const noexcept override { return &timer(); }
};

// What `sleep` and `sleep_until` give: to be awaited, in nanoseconds. Numbers and not classes,
// since g++ keeps what is made for an await in the frame, unless it is a number. For the same
// reason a delay is taken in its own unit.
enum class [[nodiscard]] Sleep : Duration::rep {};
enum class [[nodiscard]] SleepUntil : std::uint64_t {};

[[nodiscard]] inline SleepAwait await_in(Sleep delay, PromiseBase& promise) noexcept {
    return {promise, promise.task().executor().now() + Duration(static_cast<Duration::rep>(delay))};
}
[[nodiscard]] inline SleepAwait await_in(SleepUntil when, PromiseBase& promise) noexcept {
    return {promise, Instant(static_cast<std::uint64_t>(when))};
}

// Counted from the time of the loop's turn.
template <class Rep, class Period>
[[nodiscard]] Sleep sleep(std::chrono::duration<Rep, Period> delay) noexcept {
    return Sleep{Duration(delay).count()};
}
[[nodiscard]] inline SleepUntil sleep_until(Instant when) noexcept {
    return SleepUntil{when.nanoseconds()};
}

class [[nodiscard]] Yield {
public:
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept { return Await(promise); }

private:
    class Await {
    public:
        explicit Await(PromiseBase& promise) noexcept : promise_(promise) {}
        [[nodiscard]] bool await_ready() const noexcept { return promise_.is_cancel_due(); }
        GYRE_ALWAYS_INLINE void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {
            promise_.go_last();
        }
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
