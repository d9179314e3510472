// SPDX-License-Identifier: Apache-2.0
// Which random programs a test tries: 500, with GYRE_TEST_LONG=1 20,000, under a sanitizer a fifth
// of either; GYRE_VELA_SEED=n runs only that one, to debug a failure, and GYRE_VELA_FIRST=n with
// GYRE_VELA_PROGRAMS=m a part of a long run.
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
    const char* const part = std::getenv("GYRE_VELA_FIRST");
    const char* const size = std::getenv("GYRE_VELA_PROGRAMS");
    if (part != nullptr && size != nullptr) {
        const std::uint64_t from = std::strtoull(part, nullptr, 10);
        return {from, from + std::strtoull(size, nullptr, 10) - 1};
    }
    const std::uint64_t count = std::getenv("GYRE_TEST_LONG") != nullptr ? 20000 : 500;
#ifdef VELA_SANITIZED
    return {1, count / 5};
#else
    return {1, count};
#endif
}

}  // namespace gyre::vela
