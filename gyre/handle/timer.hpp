// SPDX-License-Identifier: Apache-2.0
// Timer: calls back once after a delay, or again and again. Timers run in their own phase, at the
// loop's cached time, earliest first, those of one instant in the order of their starts.
// For the loop's own thread only, beside those of Handle: repeat, due_in.
#pragma once

#include <algorithm>

#include "gyre/handle/handle.hpp"
#include "gyre/kernel/timer_op.hpp"

namespace gyre::handle {

class Timer final : public Handle, private TimerOp {
public:
    using OnTime = Callback<Timer&>;

    explicit Timer(PhasedLoop& loop,
                   const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at) {}
    ~Timer() = default;

    [[nodiscard]] const char* kind() const noexcept override { return "timer"; }

    // From the loop's cached now; a timer that runs already starts anew. A delay too long to be
    // counted never ends. With a repeat it is armed again before each callback, from the cached
    // now.
    Carried<Status> start(OnTime on_time, Duration delay, Duration repeat = Duration(0));
    Carried<Status> stop();
    // A timer with a repeat starts anew with that as its delay; another one is left alone. The
    // error `invalid_argument` when it was never started.
    Carried<Status> again();
    // Counts from the next arming on.
    Carried<Status> set_repeat(Duration repeat);

    [[nodiscard]] Duration repeat() const noexcept { return repeat_; }
    // 0 when it is due, or not active.
    [[nodiscard]] Duration due_in() const noexcept;

private:
    friend class PhasedLoop;
    enum : std::uint8_t { was_started = 1, is_in_wheel = 2 };

    static Timer& of(Op& op) noexcept { return static_cast<Timer&>(static_cast<TimerOp&>(op)); }
    void fire() noexcept;
    void arm(Duration delay) noexcept;
    void rearm(Duration delay) noexcept;
    void enter_wheel() noexcept;
    void leave_wheel() noexcept;  // the loop has taken it out
    void disarm() noexcept;
    void on_close() noexcept override { disarm(); }

    void keep_repeat(Duration repeat) noexcept { repeat_ = std::max(Duration(0), repeat); }

    Duration repeat_{0};
};

}  // namespace gyre::handle
