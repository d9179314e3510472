// SPDX-License-Identifier: Apache-2.0
// Interval: ticks a period apart, never early, without drift: each is due a multiple of the period
// after the first wait began, however long the work between two took. It belongs to one task at a
// time.
//
//     Interval interval(1s);
//     for (;;) {
//         co_await interval.next();
//         send_heartbeat();
//     }
//
// A tick that is missed, because its time passes while nobody waits, comes at the next wait at
// once. What follows it is a matter of policy; with a period of 10, and the waits after the tick of
// 10 beginning at 35:
//
//   skip    the tick of 20 at 35, then 40, 50: what else was missed is left out
//   delay   the tick of 20 at 35, then 45, 55: the work gets its distance
//   burst   the ticks of 20 and 30 at 35, then 40, 50: none is left out
#pragma once

#include "gyre/base/assert.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/task/future.hpp"

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
