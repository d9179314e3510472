// SPDX-License-Identifier: Apache-2.0
// VirtualClock: a clock that advances only by explicit calls. A SimPlatform or a World advances it
// when nothing can run; a test may advance it too.
//
//     sim::VirtualClock clock;
//     const Instant start = clock.peek();
//     clock.advance(std::chrono::hours(24));
//     const Duration passed = clock.peek() - start;
//
// Thread: the thread of the simulation.
// Lifetime: outlives the platforms, loops and programs that read it.
#pragma once

#include <algorithm>

#include "gyre/base/assert.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

struct VirtualClockOptions {
    // Not 0: a forgotten deadline (the default Instant) is then in the past.
    Instant starts_at = Instant(1'000'000'000);
    // How far each now() advances the time, so that a program that spins on the clock ends.
    Duration step_per_read = Duration(0);
};

class VirtualClock : public Clock {
public:
    explicit VirtualClock(VirtualClockOptions options = {}) noexcept
        : now_(options.starts_at), step_per_read_(options.step_per_read) {}

    // For programs: advances the time by step_per_read first.
    [[nodiscard]] Instant now() noexcept override {
        now_ = now_ + step_per_read_;
        return now_;
    }

    // For loops and the simulation: does not advance the time.
    [[nodiscard]] Instant peek() const noexcept { return now_; }

    // The clock never goes back: an instant in the past is ignored.
    void advance_to(Instant when) noexcept {
        GYRE_ASSERT(when != Instant::never(),
                    "the clock cannot move to Instant::never(): find an event or a "
                    "deadline first");
        now_ = std::max(now_, when);
    }
    void advance(Duration by) noexcept { advance_to(now_ + by); }

private:
    Instant now_;
    const Duration step_per_read_;
};

}  // namespace gyre::sim
