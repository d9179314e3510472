// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/timer.hpp"

#include <algorithm>

#include "gyre/base/detail/compiler.hpp"
#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

GYRE_ALWAYS_INLINE void Timer::disarm() noexcept {
    if (!is_active()) return;
    if ((bits_ & is_in_wheel) != 0) {
        loop().timers_.remove(*this);
    } else {
        static_cast<Op&>(*this).unlink();  // due and not called yet, or started in this pass
    }
    leave_wheel();
    deactivate();
}

CallResult<Status> Timer::start(OnTime on_time, Duration delay, Duration repeat) {
    return call_on_loop([this, on_time = std::move(on_time), delay, repeat]() mutable -> Status {
        if (const Status open = check_open(); !open) return open;
        if (!on_time) return std::unexpected(Error(std::errc::invalid_argument));
        callback_ = std::move(on_time);
        keep_repeat(repeat);
        bits_ |= was_started;
        rearm(delay);
        return {};
    });
}

CallResult<Status> Timer::stop() {
    return call_on_loop([this] { disarm(); });
}

CallResult<Status> Timer::again() {
    return call_on_loop([this]() -> Status {
        if (const Status open = check_open(); !open) return open;
        if ((bits_ & was_started) == 0) return std::unexpected(Error(std::errc::invalid_argument));
        if (repeat() == Duration(0)) return {};
        rearm(repeat());
        return {};
    });
}

CallResult<Status> Timer::set_repeat(Duration repeat) {
    return call_on_loop([this, repeat] { keep_repeat(repeat); });
}

Duration Timer::due_in() const noexcept {
    if (!is_active()) return Duration(0);
    return std::max(Duration(0), deadline - loop().now());
}

void Timer::arm(Duration delay) noexcept {
    deadline = loop().now() + std::max(Duration(0), delay);
    if (loop().is_in_timer_pass_) {
        loop().started_timers_.push_back(*this);
    } else {
        enter_wheel();
    }
    activate();
}

// An armed timer is moved in the wheel: an idle timeout is restarted often.
void Timer::rearm(Duration delay) noexcept {
    if ((bits_ & is_in_wheel) != 0 && !loop().is_in_timer_pass_) {
        loop().timers_.move(*this, loop().now() + std::max(Duration(0), delay));
    } else {
        disarm();
        arm(delay);
    }
}

void Timer::enter_wheel() noexcept {
    loop().timers_.insert(*this);
    bits_ |= is_in_wheel;
}

void Timer::on_close() noexcept {
    disarm();
}

}  // namespace gyre::handle
