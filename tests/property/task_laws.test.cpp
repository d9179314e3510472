// SPDX-License-Identifier: Apache-2.0
// The laws of tasks over random programs, in orders that a seed draws. A failure prints its seed,
// which is the whole bug report.
#include <gtest/gtest.h>

#include "gyre/task/core/detail/frame_pool.hpp"
#include "tests/property/seeds.hpp"
#include "tests/property/task_program.hpp"

namespace gyre::property {
namespace {

constexpr std::uint64_t seed_count_long = 2'000;

// Gives the trace.
std::string run_program(std::uint64_t seed, ActionCounts& total) {
    const std::int64_t frames_before = FramePool::live_count();
    std::string trace;
    {
        TaskProgram program(seed);
        program.run();
        for (const std::string& violation : program.ledger().violations()) {
            ADD_FAILURE() << "broken: " << violation << '\n' << run_again(seed);
        }
        trace = program.trace();
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += program.actions()[i];
    }
    EXPECT_EQ(FramePool::live_count(), frames_before) << "frames are left\n" << run_again(seed);
    return trace;
}

TEST(TaskLaws, hold_for_random_programs_in_random_orders) {
    // clause: A10, A22, A23, A24, A25, A28
    ActionCounts total{};
    const auto count = for_each_seed(seed_count_long, [&](std::uint64_t seed) {
        const std::string first = run_program(seed, total);
        const std::string second = run_program(seed, total);
        EXPECT_FALSE(first.empty());
        EXPECT_TRUE(first == second) << "the same seed gave another trace\n" << run_again(seed);
    });
    if (HasFailure() || !count.has_value()) return;
    for (std::size_t i = 0; i < total.size(); ++i) {
        EXPECT_GE(total[i], *count) << "action " << i << " is done too rarely to mean much";
    }
}

}  // namespace
}  // namespace gyre::property
