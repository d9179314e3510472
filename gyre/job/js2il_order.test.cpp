// SPDX-License-Identifier: Apache-2.0
// The iteration of JS2IL, step by step, with C++ callbacks in virtual time.
#include <gtest/gtest.h>

#include "gyre/job/job_world.test.hpp"

namespace gyre::job {
namespace {

struct Js2ilWorld : JobWorld {
    explicit Js2ilWorld(std::uint32_t bound = 1024)
        : JobWorld({.profile = Profile::js2il, .slice = bound}) {}
};

TEST(Js2ilOrder, immediates_then_one_timer_then_microtasks) {
    // clause: J13
    Js2ilWorld world;
    EXPECT_EQ(
        world.run([&world] {
            world.jobs.set_timeout(world.says("timer 1"), 0ms);
            world.jobs.set_timeout(world.says("timer 2"), 0ms);
            world.jobs.set_immediate([&world] {
                world.log("immediate");
                world.jobs.set_immediate(world.says("immediate of the next iteration"));
            });
            world.jobs.queue_microtask(world.says("micro"));
        }),
        (Lines{"immediate", "micro", "timer 1", "immediate of the next iteration", "timer 2"}));
}

TEST(Js2ilOrder, no_checkpoint_stands_between_the_main_script_and_the_first_callback) {
    // clause: J13
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.queue_microtask(world.says("micro"));
        world.jobs.set_timeout(world.says("timer"), 0ms);
    }),
              (Lines{"timer", "micro"}));
}

TEST(Js2ilOrder, a_checkpoint_follows_each_immediate) {
    // clause: J07
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        for (const char* name : {"1", "2"}) {
            world.jobs.set_immediate([&world, name] {
                world.log(std::string("immediate ") + name);
                world.jobs.queue_microtask(world.says(std::string("micro ") + name));
            });
        }
    }),
              (Lines{"immediate 1", "micro 1", "immediate 2", "micro 2"}));
}

TEST(Js2ilOrder, immediates_beyond_the_bound_wait_in_front_of_new_ones) {
    // clause: J13
    Js2ilWorld world(2);
    EXPECT_EQ(world.run([&world] {
        for (const char* name : {"1", "2", "3"}) {
            world.jobs.set_immediate([&world, name] {
                world.log(name);
                if (*name == '1') world.jobs.set_immediate(world.says("new"));
            });
        }
        world.jobs.set_timeout(world.says("timer"), 0ms);
    }),
              (Lines{"1", "2", "timer", "3", "new"}));
}

TEST(Js2ilOrder, a_checkpoint_leaves_what_is_beyond_the_bound_for_the_next_drain) {
    // clause: J08, J09
    Js2ilWorld world(3);
    Lines wanted;
    world.run([&world] {
        for (int i = 1; i <= 7; ++i) {
            world.jobs.queue_microtask(world.says("micro " + std::to_string(i)));
        }
        world.jobs.set_timeout(world.says("timer 1"), 0ms);
        world.jobs.set_timeout(world.says("timer 2"), 0ms);
        world.jobs.set_timeout(world.says("timer 3"), 0ms);
    });
    EXPECT_EQ(world.host.lines, (Lines{"timer 1", "micro 1", "micro 2", "micro 3", "timer 2",
                                       "micro 4", "micro 5", "micro 6", "timer 3", "micro 7"}));
}

TEST(Js2ilOrder, an_iteration_runs_one_callback_of_the_host_or_one_timer) {
    // clause: J13
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.queue_callback([&world] {
            world.log("callback 1");
            world.jobs.set_immediate(world.says("immediate"));
        });
        world.jobs.queue_callback(world.says("callback 2"));
        world.jobs.set_timeout(world.says("timer"), 0ms);
    }),
              (Lines{"callback 1", "immediate", "callback 2", "timer"}));
}

TEST(Js2ilOrder, a_tick_is_a_microtask) {
    // clause: J06
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.queue_microtask(world.says("micro"));
        world.jobs.next_tick(world.says("tick"));
    }),
              (Lines{"micro", "tick"}));
}

TEST(Js2ilOrder, timers_run_by_due_time_and_in_start_order_at_one_instant) {
    // clause: J13
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_timeout(world.says("2.5 ms"), 2500us);
        world.jobs.set_timeout(world.says("2.4 ms"), 2400us);
        world.jobs.set_timeout(world.says("2.5 ms again"), 2500us);
        world.jobs.set_timeout(world.says("negative"), -3ms);
    }),
              (Lines{"negative", "2.4 ms", "2.5 ms", "2.5 ms again"}));
}

TEST(Js2ilOrder, an_interval_is_started_again_before_its_callback) {
    // clause: J03
    Js2ilWorld world;
    std::vector<std::int64_t> runs;
    JobId id = 0;
    world.run([&] {
        id = world.jobs.set_interval(
            [&] {
                runs.push_back(world.passed_ms());
                EXPECT_EQ(world.jobs.timer_count(), 1u);
                if (runs.size() == 1) fail("and goes on");
                if (runs.size() == 3) world.jobs.clear_interval(id);
            },
            10ms);
    });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{10, 20, 30}));
    EXPECT_EQ(world.jobs.timer_count(), 0u);
}

TEST(Js2ilOrder, an_interval_of_0_fires_once) {
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] { world.jobs.set_interval(world.says("once"), 0ms); }),
              (Lines{"once"}));
}

TEST(Js2ilOrder, clear_interval_leaves_a_timeout_and_clear_timeout_takes_an_interval) {
    // clause: J02, J03
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.clear_interval(world.jobs.set_timeout(world.says("timeout"), 1ms));
        world.jobs.clear_timeout(world.jobs.set_interval(world.says("interval"), 1ms));
    }),
              (Lines{"timeout"}));
}

TEST(Js2ilOrder, a_timer_cleared_between_its_promotion_and_its_turn_does_not_run) {
    // clause: J02
    Js2ilWorld world;
    JobId timer = 0;
    EXPECT_EQ(world.run([&] {
        world.jobs.queue_callback(
            [&] { world.jobs.queue_microtask([&] { world.jobs.clear_timeout(timer); }); });
        world.jobs.queue_callback(world.says("another"));
        timer = world.jobs.set_timeout(world.says("timer"), 0ms);
    }),
              (Lines{"another"}));
}

TEST(Js2ilOrder, the_wait_is_clamped) {
    // clause: J12
    Js2ilWorld world;
    world.run([&] {
        world.jobs.set_timeout([&] { EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 50ms); },
                               10ms);
        world.jobs.set_timeout([] {}, 10s);
    });
}

}  // namespace
}  // namespace gyre::job
