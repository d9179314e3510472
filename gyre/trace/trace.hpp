// SPDX-License-Identifier: Apache-2.0
// Trace: what the loops of a program did, each in a ring of its own. Give a ring to a loop as its
// observer. Loops are added on one thread, before they turn; the trace outlives them, and is read
// when none of them turns any more.
#pragma once

#include <deque>

#include "gyre/trace/ring.hpp"

namespace gyre::trace {

struct TraceOptions {
    // Gives the processor's counter its scale. Null in simulated time: then only the turns tell the
    // time, and one seed gives one trace, byte by byte.
    Clock* clock = nullptr;
    Instant simulated_start = {};  // what a simulated clock shows before the first turn
    RingLimits limits = {};        // of each loop
};

class Trace {
public:
    explicit Trace(TraceOptions options = {})
        : options_(options), stamps_(options.clock, options.simulated_start) {}
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    Ring& add_loop(LoopName name) {
        return rings_.emplace_back(std::move(name), options_.limits, stamps_);
    }

    // In the order in which they were added.
    [[nodiscard]] const std::deque<Ring>& rings() const noexcept { return rings_; }
    [[nodiscard]] TimeScale time_scale() const noexcept { return stamps_.scale(); }

private:
    const TraceOptions options_;
    Stamps stamps_;
    std::deque<Ring> rings_;
};

}  // namespace gyre::trace
