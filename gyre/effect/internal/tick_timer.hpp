// SPDX-License-Identifier: Apache-2.0
// TickTimer: whether a tick has used up its time. Lives for one tick, on the scheduler's thread. Reads
// the clock after each step of an engine; after the steps of other guests, which take some 30 ns, at
// growing distances while they are quick. No further step of an engine begins if one as long as the last would be over
// for more than half of it: a tick takes its time on average. On a simulated platform nothing is timed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gyre/base/detail/compiler.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/platform.hpp"

namespace gyre::effect {

class TickTimer {
public:
    GYRE_ALWAYS_INLINE TickTimer(Platform& platform, Duration time_max) noexcept
        : platform_(platform), time_max_(time_max) {}

    // Before a step of an engine, which may take long. Else the time begins after the first step.
    GYRE_ALWAYS_INLINE void start() noexcept {
        if (!has_started_) begin();
    }
    // Whether time is counted, from start() on.
    [[nodiscard]] bool is_on() const noexcept { return is_on_; }
    GYRE_ALWAYS_INLINE bool is_over(bool is_engine) noexcept {
        if (!is_engine && --steps_left_ > 0) return false;
        return read(is_engine);
    }

private:
    static constexpr std::uint32_t distance_max = 32;
    static constexpr Duration quick = std::chrono::microseconds(4);

    [[gnu::noinline]] void begin() noexcept {
        has_started_ = true;
        is_on_ = time_max_ > Duration(0) && !platform_.is_simulated();
        if (!is_on_) return;
        last_ = platform_.now();
        end_ = last_ + time_max_;
    }
    [[gnu::noinline]] bool read(bool is_engine) noexcept {
        if (!has_started_) {
            begin();
            steps_left_ = distance_;
            return false;
        }
        if (!is_on_) return false;
        const Instant now = platform_.now();
        const Duration took = now - last_;
        const bool is_quick = took < quick;
        distance_ = is_quick ? std::min(2 * distance_, distance_max) : 1;
        steps_left_ = distance_;
        last_ = now;
        return now + (is_engine ? took / 2 : Duration(0)) >= end_;
    }

    Platform& platform_;
    Instant last_;
    Instant end_;
    std::uint32_t distance_ = 1;
    std::uint32_t steps_left_ = 1;
    const Duration time_max_;
    bool has_started_ = false;
    bool is_on_ = false;
};

}  // namespace gyre::effect
