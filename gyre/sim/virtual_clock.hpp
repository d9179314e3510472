// SPDX-License-Identifier: Apache-2.0
// VirtualClock: time that moves only when somebody moves it. The platforms of a simulation do, when
// nothing can run; tests may. One thread at a time; it outlives whatever reads it.
#pragma once

#include <algorithm>

#include "gyre/base/assert.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

struct VirtualClockOptions {
    // Not 0, so that a forgotten deadline (the default Instant) is not taken for the present.
    Instant starts_at = Instant(1'000'000'000);
    // How far each reading by a program moves the time, so that a program that spins on the clock
    // ends.
    Duration step_per_read = Duration(0);
};

class VirtualClock : public Clock {
public:
    explicit VirtualClock(VirtualClockOptions options = {}) noexcept
        : now_(options.starts_at), step_per_read_(options.step_per_read) {}

    // For programs: moves the time by the step, then tells it.
    [[nodiscard]] Instant now() noexcept override {
        now_ = now_ + step_per_read_;
        return now_;
    }

    // For loops and simulated things: tells the time and leaves it.
    [[nodiscard]] Instant peek() const noexcept { return now_; }

    // Never back: an instant in the past changes nothing.
    void advance_to(Instant when) noexcept {
        GYRE_ASSERT(when != Instant::never(),
                    "the clock cannot be moved to an instant that never "
                    "comes: find an event or a deadline first");
        now_ = std::max(now_, when);
    }
    void advance(Duration by) noexcept { advance_to(now_ + by); }

private:
    Instant now_;
    const Duration step_per_read_;
};

}  // namespace gyre::sim
