// SPDX-License-Identifier: Apache-2.0
// live_ranges: for each register of a Code the instructions between which its value may be used, so
// that registers whose ranges are apart can share a place. A pure function; any thread.
#pragma once

#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela {

// From the first instruction that writes or holds the value to the last one, both included.
struct LiveRange {
    std::uint32_t first = UINT32_MAX;
    std::uint32_t last = 0;

    [[nodiscard]] bool is_empty() const noexcept { return first > last; }
    void include(std::uint32_t at) noexcept {
        if (at < first) first = at;
        if (at > last) last = at;
    }
};

[[nodiscard]] std::vector<LiveRange> live_ranges(const Code& code);

}  // namespace gyre::vela
