// SPDX-License-Identifier: Apache-2.0
// The walk over the decisions; see choices.hpp.
#include "choices.hpp"

#include <cstdio>
#include <cstdlib>

namespace model {

std::uint32_t Choices::choose(std::uint32_t count) {
    if (count == 1) return 0;
    if (position_ == decisions_.size()) decisions_.push_back({.chosen = 0, .count = count});
    const Decision& decision = decisions_[position_++];
    if (decision.count != count) {
        std::fputs("model: the scenario is not deterministic: a replay met another decision\n",
                   stderr);
        std::abort();
    }
    return decision.chosen;
}

bool Choices::advance() {
    while (!decisions_.empty()) {
        Decision& last = decisions_.back();
        if (++last.chosen < last.count) return true;
        decisions_.pop_back();
    }
    return false;
}

}  // namespace model
