// SPDX-License-Identifier: Apache-2.0
// Rules of the pump that only show at an edge: a late promotion, the middle of a slice, two handlers
// that come late, jobs behind a stop, the context of a post, a delay that is no number.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <thread>

#include "gyre/job/job_world.test.hpp"
#include "gyre/job/promise.hpp"

namespace gyre::job {
namespace {

Value nothing(const Value& /*reason*/) {
    return {};
}

TEST(PumpEdges, J03_an_interval_of_js2il_that_is_promoted_late_counts_from_then) {
    JobWorld world({.profile = Profile::js2il});
    std::vector<std::int64_t> runs;
    JobId id = 0;
    world.run([&] {
        id = world.jobs.set_interval(
            [&] {
                runs.push_back(world.passed_ms());
                if (runs.size() == 3) world.jobs.clear_interval(id);
            },
            10ms);
        world.block(25ms);
    });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{25, 35, 45}));
}

TEST(PumpEdges, J02_a_delay_that_is_no_number_is_none) {
    EXPECT_EQ(Scheduler::delay_of(std::nan("")), Duration(0));
    EXPECT_EQ(Scheduler::delay_of(-std::nan("")), Duration(0));
    EXPECT_EQ(Scheduler::delay_of(1.5), Duration(1'500'000));
}

// The ends of closes that a phase has taken are in no queue of the scheduler any more.
TEST(PumpEdges, J12_a_host_does_not_wait_in_the_middle_of_a_slice) {
    constexpr int count = 20;
    JobWorld world({.slice = 1});
    int ran = 0;
    world.pump.start();
    static_cast<void>(world.loop.run());
    for (int i = 0; i < count; ++i) world.jobs.queue_close([&ran] { ++ran; });
    while (ran == 0) world.loop.turn();
    ASSERT_LT(ran, count);
    EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 0ms);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(ran, count);
    EXPECT_EQ(world.pump.wait_time(world.clock.peek()), Duration::max());
}

TEST(PumpEdges, J10_a_post_has_not_the_context_of_the_job_before_it) {
    JobWorld world;
    int red = 0;
    std::optional<Context> seen;
    world.run([&] {
        world.jobs.set_context(&red);
        std::thread([&] { world.jobs.post([&] { seen = world.jobs.context(); }); }).join();
    });
    ASSERT_TRUE(seen);
    EXPECT_EQ(*seen, nullptr);
}

TEST(PumpEdges, J16_two_handlers_that_come_late_are_reported_in_one_checkpoint) {
    JobWorld world({.profile = Profile::js2il});
    std::optional<Promise> one;
    std::optional<Promise> two;
    EXPECT_EQ(world.run([&] {
        one = Promise::reject(world.jobs, std::string("one"));
        two = Promise::reject(world.jobs, std::string("two"));
        world.jobs.set_timeout(
            [&] {
                one->catch_error(nothing);
                two->catch_error(nothing);
                world.jobs.set_immediate(world.says("next"));
            },
            1ms);
    }),
              (Lines{"unhandled one", "unhandled two", "rejection handled", "rejection handled",
                     "next"}));
}

TEST(PumpEdges, J15_no_job_runs_behind_a_stop_in_either_profile) {
    for (const Profile profile : {Profile::node, Profile::js2il}) {
        JobWorld world({.profile = profile});
        EXPECT_EQ(world.run([&] {
            world.jobs.set_immediate([&] {
                world.log("stops");
                world.jobs.queue_microtask(world.says("microtask"));
                world.jobs.queue_callback(world.says("callback"));
                world.jobs.set_timeout(world.says("timer"), 0ms);
                world.pump.stop();
            });
            world.jobs.set_immediate(world.says("immediate"));
        }),
                  (Lines{"stops"}));
    }
}

}  // namespace
}  // namespace gyre::job
