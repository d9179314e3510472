// SPDX-License-Identifier: Apache-2.0
// Spin: how long a loop polls its inbox before it blocks. Blocking and being woken costs tens of
// microseconds; spinning occupies a core. The window is halved after each spin that found nothing,
// and reset to the maximum when a spin finds a post or when a blocking wait turns out to have been
// short. Only the loop's thread.
#pragma once

#include <thread>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre {

class Spin {
public:
    explicit Spin(Duration longest) noexcept : longest_(longest), window_(longest) {}

    // Returns true as soon as `found` does. `clock` has now(); `until` is a deadline that ends the
    // spin.
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
            // The posting thread may be waiting for this very core.
            if (round % rounds_between_yields == 0) std::this_thread::yield();
        }
        window_ /= 2;
        return false;
    }

    // Called after a wait that a post ended.
    void note_sleep(Duration slept) noexcept {
        if (slept < longest_) window_ = longest_;
    }

    [[nodiscard]] bool is_on() const noexcept { return window_ >= shortest; }
    [[nodiscard]] Duration window() const noexcept { return window_; }

private:
    static constexpr Duration shortest = std::chrono::microseconds(1);
    static constexpr int looks_between_clock_reads = 8;
    static constexpr int rounds_between_yields = 4;
    // A lower bound for the duration of a round, so that the round limit ends a spin only if the
    // clock does not advance.
    static constexpr Duration shortest_round = std::chrono::nanoseconds(20);

    const Duration longest_;
    Duration window_;
};

}  // namespace gyre
