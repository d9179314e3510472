// SPDX-License-Identifier: Apache-2.0
// Which random programs a test tries: GYRE_TEST_SEED=n only the one that a failure named,
// GYRE_TEST_LONG=1 all of them, otherwise a tenth. One test at a time.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace gyre::property {

inline std::optional<std::uint64_t> seed_from_environment() {
    const char* text = std::getenv("GYRE_TEST_SEED");
    if (text == nullptr) return std::nullopt;
    return std::strtoull(text, nullptr, 10);
}

inline std::string run_again(std::uint64_t seed) {
    return "GYRE_TEST_SEED=" + std::to_string(seed) + " runs this program alone";
}

// An assertion ends the process at once: the seed must be told by then.
inline std::uint64_t seed_under_way = 0;
inline void tell_seed(int /*signal*/) {
    std::fprintf(stderr, "%s\n", run_again(seed_under_way).c_str());
}

// Calls it with each seed, up to the first failure; gives how many were wanted, none where the
// environment names one.
template <class F>
std::optional<std::uint64_t> for_each_seed(std::uint64_t count_long, F expect_laws) {
    std::signal(SIGABRT, tell_seed);
    const auto only = seed_from_environment();
    const char* is_long = std::getenv("GYRE_TEST_LONG");
    const std::uint64_t count =
        is_long != nullptr && std::string(is_long) == "1" ? count_long : count_long / 10;
    const std::uint64_t first = only.value_or(0);
    const std::uint64_t end = only.has_value() ? *only + 1 : count;
    for (std::uint64_t seed = first; seed < end && !::testing::Test::HasFailure(); ++seed) {
        seed_under_way = seed;
        expect_laws(seed);
    }
    if (only.has_value()) return std::nullopt;
    return count;
}

}  // namespace gyre::property
