// SPDX-License-Identifier: Apache-2.0
// Which random programs a test tries: 500, with GYRE_TEST_LONG=1 20,000, under a sanitizer a fifth
// of either; GYRE_VELA_SEED=n runs only that one, to debug a failure.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace gyre::vela {

struct Seeds {
    std::uint64_t first = 1;
    std::uint64_t last = 500;
};

inline Seeds seeds_to_try() {
    if (const char* one = std::getenv("GYRE_VELA_SEED")) {
        const std::uint64_t seed = std::strtoull(one, nullptr, 10);
        return {seed, seed};
    }
    const std::uint64_t count = std::getenv("GYRE_TEST_LONG") != nullptr ? 20000 : 500;
#ifdef VELA_SANITIZED
    return {1, count / 5};
#else
    return {1, count};
#endif
}

}  // namespace gyre::vela
