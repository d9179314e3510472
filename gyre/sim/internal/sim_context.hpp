// SPDX-License-Identifier: Apache-2.0
// SimContext: the clock, the random numbers, the event queue and the descriptor table that all
// parts of a simulation share. One thread; it outlives every object that refers to it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gyre/base/random.hpp"
#include "gyre/sim/internal/descriptors.hpp"
#include "gyre/sim/internal/timeline.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"

namespace gyre::sim {

class SimContext {
public:
    SimContext(VirtualClock& time, const SimOptions& how)
        : clock(time),
          options(how),
          random(how.seed),
          timeline(random),
          descriptors(how.descriptor_count_max) {}

    [[nodiscard]] Instant now() const noexcept { return clock.peek(); }

    [[nodiscard]] Duration draw(DurationRange range) noexcept {
        GYRE_ASSERT(range.min <= range.max, "a delay range has min > max: swap them");
        const auto width = static_cast<std::uint64_t>((range.max - range.min).count());
        return range.min + Duration(static_cast<Duration::rep>(random.below(width + 1)));
    }

    // Draws how many of `possible` bytes a transfer moves: at least one.
    [[nodiscard]] std::size_t draw_transfer(std::size_t possible) noexcept {
        const std::uint64_t odds = options.short_transfer_one_in;
        if (possible < 2 || odds == 0 || !random.one_in(odds)) return possible;
        return 1 + random.below(possible - 1);
    }

    VirtualClock& clock;
    const SimOptions options;
    Random random;
    Timeline timeline;
    Descriptors descriptors;
};

}  // namespace gyre::sim
