// SPDX-License-Identifier: Apache-2.0
// Medium: what everything simulated is made of: the time, the seed's chance, the events to come and
// the open descriptors. One thread; it outlives the things that use it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gyre/base/random.hpp"
#include "gyre/sim/descriptors.hpp"
#include "gyre/sim/options.hpp"
#include "gyre/sim/timeline.hpp"
#include "gyre/sim/virtual_clock.hpp"

namespace gyre::sim {

class Medium {
public:
    Medium(VirtualClock& time, const SimOptions& how)
        : clock(time),
          options(how),
          random(how.seed),
          timeline(random),
          descriptors(how.descriptor_count_max) {}

    [[nodiscard]] Instant now() const noexcept { return clock.peek(); }

    [[nodiscard]] Duration draw(DurationRange range) noexcept {
        GYRE_ASSERT(range.min <= range.max, "a range of delays ends before it starts");
        const auto width = static_cast<std::uint64_t>((range.max - range.min).count());
        return range.min + Duration(static_cast<Duration::rep>(random.below(width + 1)));
    }

    // How many bytes a transfer moves that could move `possible`: at least one.
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
