// SPDX-License-Identifier: Apache-2.0
// The kernel's laws over random programs. A failure prints its seed, which is the whole bug report:
// GYRE_TEST_SEED=<seed> runs that program alone. GYRE_TEST_LONG=1 tries many more.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/property/program.hpp"

namespace gyre::property {
namespace {

constexpr std::uint64_t seed_count = 500;
constexpr std::uint64_t seed_count_long = 5'000;
// How often a feature must occur: once in so many programs, on average.
constexpr std::uint64_t seeds_per_occurrence = 10;

std::optional<std::uint64_t> seed_from_environment() {
    const char* text = std::getenv("GYRE_TEST_SEED");
    if (text == nullptr) return std::nullopt;
    return std::strtoull(text, nullptr, 10);
}

std::uint64_t seed_count_wanted() {
    const char* text = std::getenv("GYRE_TEST_LONG");
    return text != nullptr && std::string(text) == "1" ? seed_count_long : seed_count;
}

std::string run_again(std::uint64_t seed) {
    return "GYRE_TEST_SEED=" + std::to_string(seed) + " runs this program alone";
}

// An assertion of the kernel ends the process at once: the seed must be told by then.
std::uint64_t seed_under_way = 0;
void tell_seed(int /*signal*/) {
    std::fprintf(stderr, "%s\n", run_again(seed_under_way).c_str());
}

// Adds what the program did. The program runs twice, to compare.
void expect_laws(std::uint64_t seed, Coverage& total) {
    seed_under_way = seed;
    Program program(seed);
    program.run();
    for (const std::string& violation : program.ledger().violations()) {
        ADD_FAILURE() << "broken: " << violation << '\n' << run_again(seed);
    }
    Program again(seed);
    again.run();
    EXPECT_TRUE(program.trace() == again.trace()) << "the same seed gave another trace\n"
                                                  << run_again(seed);
    EXPECT_FALSE(program.trace().empty());
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += program.ledger().coverage()[i];
}

TEST(KernelLaws, hold_for_random_trees_of_machines_over_several_loops) {
    // clause: K08, K09, K10, K13, K20, K21, K23
    std::signal(SIGABRT, tell_seed);
    Coverage total{};
    if (const auto seed = seed_from_environment()) {
        expect_laws(*seed, total);
        return;
    }
    const std::uint64_t count = seed_count_wanted();
    for (std::uint64_t seed = 0; seed < count && !HasFailure(); ++seed) expect_laws(seed, total);
    if (HasFailure()) return;
    for (std::size_t i = 0; i < total.size(); ++i) {
        EXPECT_GE(total[i], count / seeds_per_occurrence)
            << name_of(static_cast<Feature>(i)) << " occurs too rarely for the laws to mean much";
    }
}

}  // namespace
}  // namespace gyre::property
