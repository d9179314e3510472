// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/chance.hpp"

#include <chrono>

#include "gyre/base/assert.hpp"
#include "gyre/sim/host_memory.hpp"

namespace gyre::sim {

bool ChancePoints::draw(std::string_view name, std::uint64_t part, std::uint64_t of) {
    GYRE_ASSERT(of > 0, "a chance of %llu in 0 does not exist",
                static_cast<unsigned long long>(part));
    const OutsideHost outside;
    Count& count = counts_[std::string(name)];
    const auto [enabled, is_new] = is_enabled_.try_emplace(std::string(name), false);
    // Three of four points are enabled in a run. The draw does not depend on the order of points.
    if (is_new) {
        std::uint64_t mixed = random_.next();
        for (const char letter : name) mixed = mixed * 31 + static_cast<unsigned char>(letter);
        enabled->second = !Random(mixed).one_in(4);
    }
    ++count.reached;
    const bool is_taken = enabled->second && random_.below(of) < part;
    count.taken += is_taken ? 1 : 0;
    return is_taken;
}

Duration ChancePoints::draw_delay(std::string_view name) {
    constexpr std::uint64_t longest = 100'000'000;
    if (!draw(name, 1, 10)) return Duration(0);
    return Duration(static_cast<Duration::rep>(1 + random_.below(longest)));
}

}  // namespace gyre::sim
