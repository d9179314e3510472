// SPDX-License-Identifier: Apache-2.0
// Interval: ticks one period apart, never early and without drift: each is due a multiple of the
// period after the first wait began, however long the work between two ticks took.
//
//     Interval interval(1s);
//     for (;;) {
//         co_await interval.next();
//         send_heartbeat();
//     }
//
// Thread: one task at a time.
// Lifetime: outlives its waits.
// Cancel: did nothing.
//
// A tick is missed if its time passes while nobody waits; it then comes at the next wait, at once.
// The policy says what follows. With a period of 10, and the wait after the tick of 10 beginning at
// 35:
//
//   skip    the tick of 20 at 35, then 40, 50: the other missed ticks are left out
//   delay   the tick of 20 at 35, then 45, 55: the distance is kept
//   burst   the ticks of 20 and 30 at 35, then 40, 50: none is left out
#pragma once

#include "gyre/base/assert.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre {

enum class MissedTicks : unsigned char { skip, delay, burst };

class Interval {
public:
    explicit Interval(Duration period, MissedTicks policy = MissedTicks::skip) noexcept
        : period_(period), policy_(policy) {
        GYRE_ASSERT(period > Duration::zero(), "an interval needs a period above zero");
    }

    // Waits for the next tick; gives the time for which it was due. The first one is due a period
    // after this is first awaited. Cancel class: did nothing; the tick is still to come.
    [[nodiscard]] Future<Instant> next();

private:
    [[nodiscard]] Instant following(Instant tick, Instant now) const noexcept;

    const Duration period_;
    const MissedTicks policy_;
    Instant due_ = Instant::never();  // until the first wait
};

}  // namespace gyre
