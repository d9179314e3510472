// SPDX-License-Identifier: Apache-2.0
// Instant, Duration, Clock: a point of monotonic time in nanoseconds, the difference of two
// instants, and the interface of clocks.
//
//     const Instant deadline = clock.now() + std::chrono::seconds(5);
//
// Thread: instants are values; a Clock may be read by any thread.
// Lifetime: a Clock outlives every object that reads it.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace gyre {

using Duration = std::chrono::nanoseconds;

// A point of monotonic time. Addition saturates, so that a far deadline never wraps into the past.
class Instant {
public:
    constexpr Instant() noexcept = default;
    constexpr explicit Instant(std::uint64_t nanoseconds) noexcept : nanoseconds_(nanoseconds) {}

    // Later than every other instant: a deadline that is never reached.
    static constexpr Instant never() noexcept {
        return Instant(std::numeric_limits<std::uint64_t>::max());
    }

    [[nodiscard]] constexpr std::uint64_t nanoseconds() const noexcept { return nanoseconds_; }

    friend constexpr auto operator<=>(Instant, Instant) noexcept = default;

    friend constexpr Instant operator+(Instant instant, Duration delay) noexcept {
        if (delay.count() < 0) {
            const auto back = static_cast<std::uint64_t>(-(delay.count() + 1)) + 1;
            return Instant(back > instant.nanoseconds_ ? 0 : instant.nanoseconds_ - back);
        }
        const auto forward = static_cast<std::uint64_t>(delay.count());
        const std::uint64_t sum = instant.nanoseconds_ + forward;
        return sum < forward ? never() : Instant(sum);
    }

    // The difference, saturated to the range of Duration.
    friend constexpr Duration operator-(Instant later, Instant earlier) noexcept {
        if (later < earlier) return -(earlier - later);
        const std::uint64_t distance = later.nanoseconds_ - earlier.nanoseconds_;
        constexpr auto longest = static_cast<std::uint64_t>(Duration::max().count());
        return Duration(static_cast<Duration::rep>(distance > longest ? longest : distance));
    }

private:
    std::uint64_t nanoseconds_ = 0;
};

// The source of time: the system clock, or a simulated one.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Instant now() noexcept = 0;
};

}  // namespace gyre
