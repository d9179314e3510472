// SPDX-License-Identifier: Apache-2.0
// Timestamps: the source of event times. Reading a clock for each event would cost more than
// recording it, so in real time an event is stamped with the processor's counter, which a clock
// calibrates. In simulated time (no clock) an event has the time of its turn, and is at least one
// nanosecond later than the event before it, so that the order of events of one instant is visible,
// also between loops.
//
// Shared by the rings of a Trace. In real time any thread may call next; simulated loops share one
// thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "gyre/kernel/clock.hpp"

namespace gyre::trace {

// The processor's counter and the clock's time at one moment.
struct Anchor {
    std::uint64_t counter = 0;
    std::uint64_t time_ns = 0;
};

// Converts stamps to nanoseconds.
class TimeScale {
public:
    TimeScale(Anchor first, Anchor last) noexcept
        : first_(first),
          ns_per_count_(last.counter > first.counter
                            ? static_cast<double>(last.time_ns - first.time_ns) /
                                  static_cast<double>(last.counter - first.counter)
                            : 1.0),
          end_(last.counter) {}

    [[nodiscard]] std::uint64_t ns_of(std::uint64_t stamp) const noexcept {
        if (stamp <= first_.counter) return first_.time_ns;
        const auto distance = static_cast<double>(stamp - first_.counter);
        return first_.time_ns + static_cast<std::uint64_t>(distance * ns_per_count_);
    }
    // Later than every event.
    [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

private:
    Anchor first_;
    double ns_per_count_;
    std::uint64_t end_;
};

class Timestamps {
public:
    // `start` is the simulated time before the first turn.
    Timestamps(Clock* clock, Instant start) noexcept
        : clock_(clock), simulated_(start.nanoseconds()) {
        if (clock_ != nullptr) first_ = anchor();
    }

    [[nodiscard]] std::uint64_t next(Instant turn) noexcept {
        if (clock_ != nullptr) return read_counter();
        simulated_ = std::max(simulated_ + 1, turn.nanoseconds());
        return simulated_;
    }

    // Valid for events up to now.
    [[nodiscard]] TimeScale scale() const noexcept {
        if (clock_ != nullptr) return {first_, anchor()};
        return {{}, {simulated_ + 1, simulated_ + 1}};
    }

private:
    [[nodiscard]] std::uint64_t read_counter() const noexcept {
#if defined(__x86_64__)
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
        std::uint64_t value;
        asm volatile("mrs %0, cntvct_el0" : "=r"(value));
        return value;
#else
        return clock_->now().nanoseconds();
#endif
    }
    // Takes the best of a few readings: the thread may be preempted between counter and clock.
    [[nodiscard]] Anchor anchor() const noexcept {
        constexpr int reading_count = 8;
        Anchor closest;
        std::uint64_t least_distance = std::numeric_limits<std::uint64_t>::max();
        for (int i = 0; i < reading_count; ++i) {
            const std::uint64_t before = read_counter();
            const std::uint64_t time_ns = clock_->now().nanoseconds();
            const std::uint64_t after = read_counter();
            if (after - before > least_distance) continue;
            least_distance = after - before;
            closest = {after, time_ns};
        }
        return closest;
    }

    Clock* const clock_;
    Anchor first_;
    std::uint64_t simulated_;
};

}  // namespace gyre::trace
