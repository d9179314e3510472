// SPDX-License-Identifier: Apache-2.0
// sleep, sleep_until, Interval, yield: wait for time, and let other tasks run.
//
//     co_await sleep(100ms);
//     co_await sleep_until(deadline);
//     Interval interval(1s);
//     for (;;) {
//         co_await interval.next();
//         send_heartbeat();
//     }
//     co_await yield();
//
// Thread: the task's thread; an interval serves one task at a time.
// Lifetime: the timer is in the frame of the coroutine. An interval outlives its waits.
// Cancel: did nothing; a cancelled sleep ends at once.
#pragma once

#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/detail/suspension.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"

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

// The awaitables of `sleep` and `sleep_until`, in nanoseconds. Enums and not classes, because g++
// keeps the operand of co_await in the frame unless it is a number.
enum class [[nodiscard]] Sleep : Duration::rep {};
enum class [[nodiscard]] SleepUntil : std::uint64_t {};

[[nodiscard]] inline SleepAwait await_in(Sleep delay, PromiseBase& promise) noexcept {
    return {promise, promise.task().executor().now() + Duration(static_cast<Duration::rep>(delay))};
}
[[nodiscard]] inline SleepAwait await_in(SleepUntil when, PromiseBase& promise) noexcept {
    return {promise, Instant(static_cast<std::uint64_t>(when))};
}

// The delay counts from the time of the loop's turn.
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

enum class MissedTicks : unsigned char { skip, delay, burst };

// Ticks one period apart, never early and without drift: each is due a multiple of the period after
// the first wait began, however long the work between two ticks took. A tick is missed if its time
// passes while nobody waits; it then comes at the next wait, at once. The policy says what follows.
// With a period of 10, and the wait after the tick of 10 beginning at 35:
//
//   skip    the tick of 20 at 35, then 40, 50: the other missed ticks are left out
//   delay   the tick of 20 at 35, then 45, 55: the distance is kept
//   burst   the ticks of 20 and 30 at 35, then 40, 50: none is left out
class Interval {
public:
    explicit Interval(Duration period, MissedTicks policy = MissedTicks::skip) noexcept
        : period_(period), policy_(policy) {
        GYRE_ASSERT(period > Duration::zero(), "an interval needs a period above zero");
    }

    // Waits for the next tick; gives the time for which it was due. The first one is due a period
    // after this is first awaited. Cancel class: did nothing; the tick is still to come.
    [[nodiscard]] Future<Instant> next();

private:
    [[nodiscard]] Instant following(Instant tick, Instant now) const noexcept;

    const Duration period_;
    const MissedTicks policy_;
    Instant due_ = Instant::never();  // until the first wait
};

}  // namespace gyre
