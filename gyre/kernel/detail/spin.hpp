// SPDX-License-Identifier: Apache-2.0
// Spin: how long a loop looks for a post before it sleeps. Sleeping and being woken costs tens of
// microseconds; looking costs a core. So it looks while that has paid, half as long after each time
// it did not, and starts again when a sleep turns out to have been short. Only the loop's thread.
#pragma once

#include <thread>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre {

class Spin {
public:
    explicit Spin(Duration longest) noexcept : longest_(longest), window_(longest) {}

    // True as soon as `found` is. `clock` has now(); `until` is a deadline that ends the look.
    template <class Clock, class Found>
    [[nodiscard]] bool look(Clock& clock, Instant until, Found found) noexcept {
        if (!is_on()) return false;
        Instant end = clock.now() + window_;
        if (until < end) end = until;
        const Duration::rep rounds_max = window_ / shortest_round;
        for (Duration::rep round = 1; round <= rounds_max; ++round) {
            for (int i = 0; i < looks_between_clock_reads; ++i) {
                if (found()) {
                    window_ = longest_;
                    return true;
                }
                spin_pause();
            }
            if (clock.now() >= end) break;
            // Whoever is to post may be waiting for this very core.
            if (round % rounds_between_yields == 0) std::this_thread::yield();
        }
        window_ /= 2;
        return false;
    }

    // After a sleep that a post ended.
    void note_sleep(Duration slept) noexcept {
        if (slept < longest_) window_ = longest_;
    }

    [[nodiscard]] bool is_on() const noexcept { return window_ >= shortest; }
    [[nodiscard]] Duration window() const noexcept { return window_; }

private:
    static constexpr Duration shortest = std::chrono::microseconds(1);
    static constexpr int looks_between_clock_reads = 8;
    static constexpr int rounds_between_yields = 4;
    // No round is quicker, so that counting them ends a look only where the clock stands still.
    static constexpr Duration shortest_round = std::chrono::nanoseconds(20);

    const Duration longest_;
    Duration window_;
};

}  // namespace gyre
