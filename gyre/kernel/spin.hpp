// SPDX-License-Identifier: Apache-2.0
// Spin: how long a loop looks for a post before it sleeps. Sleeping and being woken costs tens of
// microseconds; looking costs a core. So it looks while that has paid, half as long after each time
// it did not, and starts again when a sleep turns out to have been short. Only the loop's thread.
#pragma once

#include <algorithm>

#include "gyre/base/atomic.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre {

class Spin {
public:
    explicit Spin(Duration longest) noexcept : longest_(longest), window_(longest) {}

    // True as soon as `found` is. `clock` has now(); `until` is a deadline that ends the look.
    template <class Clock, class Found>
    [[nodiscard]] bool look(Clock& clock, Instant until, Found found) noexcept {
        if (window_ < shortest) return false;
        const Instant end = clock.now() + window_;
        do {
            for (int i = 0; i < looks_between_clock_reads; ++i) {
                if (found()) {
                    window_ = longest_;
                    return true;
                }
                spin_pause();
            }
        } while (clock.now() < std::min(end, until));
        window_ /= 2;
        return false;
    }

    // After a sleep that a post ended.
    void note_sleep(Duration slept) noexcept {
        if (slept < longest_) window_ = longest_;
    }

    [[nodiscard]] Duration window() const noexcept { return window_; }

private:
    static constexpr Duration shortest = std::chrono::microseconds(1);
    static constexpr int looks_between_clock_reads = 8;

    const Duration longest_;
    Duration window_;
};

}  // namespace gyre
