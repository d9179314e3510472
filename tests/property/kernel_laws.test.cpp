// SPDX-License-Identifier: Apache-2.0
// The kernel's laws over random programs. A failure prints its seed, which is the whole bug report.
#include <gtest/gtest.h>

#include "tests/property/program.hpp"
#include "tests/property/seeds.hpp"

namespace gyre::property {
namespace {

constexpr std::uint64_t seed_count_long = 5'000;
// How often a feature must occur: once in so many programs, on average.
constexpr std::uint64_t seeds_per_occurrence = 10;

// Adds what the program did. The program runs twice, to compare.
void expect_laws(std::uint64_t seed, Coverage& total) {
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
    Coverage total{};
    const auto count =
        for_each_seed(seed_count_long, [&](std::uint64_t seed) { expect_laws(seed, total); });
    if (HasFailure() || !count.has_value()) return;
    for (std::size_t i = 0; i < total.size(); ++i) {
        EXPECT_GE(total[i], *count / seeds_per_occurrence)
            << name_of(static_cast<Feature>(i)) << " occurs too rarely for the laws to mean much";
    }
}

}  // namespace
}  // namespace gyre::property
