// SPDX-License-Identifier: Apache-2.0
// Timer: calls back once after a delay, or repeatedly. Timers run in their own phase, against the
// loop's cached time, the earliest first; timers due at the same instant in the order of their
// starts.
//
//     Timer timer(loop);
//     timer.start([](Timer&) { tick(); }, 100ms, 1s);   // after 100 ms, then every second
//
// Thread: any for operations that return a CallResult, else the loop's own.
// Lifetime: as Handle.
#pragma once

#include <algorithm>

#include "gyre/handle/handle.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre::handle {

class Timer final : public Handle, private TimerOp {
public:
    using OnTime = Callback<Timer&>;

    explicit Timer(PhasedLoop& loop,
                   const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at) {}
    ~Timer() = default;

    [[nodiscard]] const char* kind() const noexcept override { return "timer"; }

    // The delay counts from the loop's cached time; an active timer is restarted. A delay that
    // overflows never ends. With a repeat the timer is armed again before each callback, from the
    // cached time.
    CallResult<Status> start(OnTime on_time, Duration delay, Duration repeat = Duration(0));
    CallResult<Status> stop();
    // Restarts a timer with a repeat, with the repeat as its delay; no effect without a repeat. The
    // error `invalid_argument` when it was never started.
    CallResult<Status> again();
    // Takes effect when the timer is armed next.
    CallResult<Status> set_repeat(Duration repeat);

    [[nodiscard]] Duration repeat() const noexcept { return repeat_; }
    // 0 when it is due, or not active.
    [[nodiscard]] Duration due_in() const noexcept;

private:
    friend class PhasedLoop;
    enum : std::uint8_t { was_started = 1, is_in_wheel = 2 };

    static Timer& of(Op& op) noexcept { return static_cast<Timer&>(static_cast<TimerOp&>(op)); }
    void fire() noexcept {
        deactivate();
        if (repeat() > Duration(0)) arm(repeat());
        callback_.call<Timer&>(*this);
    }
    void arm(Duration delay) noexcept;
    void rearm(Duration delay) noexcept;
    void enter_wheel() noexcept;
    // The loop has taken it out.
    void leave_wheel() noexcept { bits_ &= static_cast<std::uint8_t>(~is_in_wheel); }
    void disarm() noexcept;
    void on_close() noexcept override;

    void keep_repeat(Duration repeat) noexcept { repeat_ = std::max(Duration(0), repeat); }

    Duration repeat_{0};
};

}  // namespace gyre::handle
