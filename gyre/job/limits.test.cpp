// SPDX-License-Identifier: Apache-2.0
// The limits of a scheduler of jobs: each is crossed, and its error names it.
#include <gtest/gtest.h>

#include <any>
#include <string>

#include "gyre/base/failure.hpp"
#include "gyre/job/job_world.test.hpp"

namespace gyre::job {
namespace {

// The name of the limit that the function crosses.
template <class F>
std::string limit_of(F function) {
    try {
        function();
    } catch (const LimitError& error) {
        return error.limit();
    }
    return "none";
}

TEST(JobLimits, of_a_server_are_small_by_default) {
    // clause: K29
    const SchedulerOptions options;
    EXPECT_LE(options.queue_size_max, std::size_t{1} << 20u);
    EXPECT_LE(options.job_count_max, std::size_t{1} << 20u);
    EXPECT_LE(options.post_count_max, std::size_t{1} << 20u);
    EXPECT_LE(options.rejection_count_max, std::size_t{1} << 20u);
}

TEST(JobLimits, hold_for_ticks_microtasks_callbacks_and_close_callbacks) {
    // clause: K29
    JobWorld world({.queue_size_max = 64});
    int run_count = 0;
    const auto count = [&] { ++run_count; };
    const auto cross = [&](auto queue) {
        for (int i = 0; i < 64; ++i) queue();
        return limit_of(queue);
    };
    world.run([&] {
        EXPECT_EQ(cross([&] { world.jobs.next_tick(count); }), "queue_size_max");
        EXPECT_EQ(cross([&] { world.jobs.queue_microtask(count); }), "queue_size_max");
        EXPECT_EQ(cross([&] { world.jobs.queue_callback(count); }), "queue_size_max");
        EXPECT_EQ(cross([&] { world.jobs.queue_close(count); }), "queue_size_max");
    });
    EXPECT_EQ(run_count, 4 * 64) << "the jobs below the limit run";
}

TEST(JobLimits, hold_for_rejections_and_the_host_is_told) {
    // clause: K29
    JobWorld world({.rejection_count_max = 3});
    world.run([&] {
        for (PromiseId promise = 1; promise <= 5; ++promise) {
            world.jobs.track_rejected(promise, std::string("r") + std::to_string(promise));
        }
    });
    EXPECT_EQ(world.host.lines,
              (Lines{"unhandled r1", "unhandled r2", "unhandled r3",
                     "error keep a rejection: more than rejection_count_max = 3"}));
}

}  // namespace
}  // namespace gyre::job
