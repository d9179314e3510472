// SPDX-License-Identifier: Apache-2.0
// Node's order of timers, rule by rule, in virtual time.
#include <gtest/gtest.h>

#include <cmath>

#include "gyre/job/job_world.test.hpp"

namespace gyre::job {
namespace {

TEST(JobOrder, a_timer_made_in_a_phase_waits_for_the_next_one) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_timeout(
            [&world] {
                world.log("first");
                world.jobs.set_timeout(world.says("made in the phase"), 1ms);
                world.jobs.set_immediate(world.says("immediate"));
                world.block(10ms);
            },
            1ms);
        world.jobs.set_timeout(world.says("second"), 2ms);
        world.block(10ms);
    }),
              (Lines{"first", "second", "immediate", "made in the phase"}));
}

TEST(JobOrder, a_due_list_runs_all_its_due_timers_before_the_next_list) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_timeout(world.says("5 ms, due at 5"), 5ms);
        world.block(2ms);
        world.jobs.set_timeout(world.says("4 ms, due at 6"), 4ms);
        world.block(2ms);
        world.jobs.set_timeout(world.says("5 ms, due at 9"), 5ms);
        world.block(10ms);
    }),
              (Lines{"5 ms, due at 5", "5 ms, due at 9", "4 ms, due at 6"}));
}

TEST(JobOrder, lists_of_one_expiry_run_by_age) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_timeout(world.says("older"), 3ms);
        world.block(1ms);
        world.jobs.set_timeout(world.says("younger"), 2ms);
        world.block(10ms);
    }),
              (Lines{"older", "younger"}));
}

TEST(JobOrder, timers_of_one_instant_run_by_the_age_of_their_lists_in_whatever_turn_they_began) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_timeout(world.says("5 ms, from 0"), 5ms);
        world.jobs.set_timeout(
            [&world] {
                world.jobs.set_timeout(world.says("3 ms, from 2"), 3ms);
                world.jobs.set_timeout(world.says("3 ms, from 2 again"), 3ms);
            },
            2ms);
        world.jobs.set_timeout(
            [&world] {
                world.jobs.set_timeout(world.says("2 ms, from 3"), 2ms);
                world.jobs.set_timeout(world.says("1 ms, from 3"), 1ms);
            },
            3ms);
        world.jobs.set_timeout(
            [&world] { world.jobs.set_timeout(world.says("1 ms, from 4"), 1ms); }, 4ms);
    }),
              (Lines{"1 ms, from 3", "5 ms, from 0", "2 ms, from 3", "3 ms, from 2",
                     "3 ms, from 2 again", "1 ms, from 4"}));
}

TEST(JobOrder, a_refreshed_timer_starts_anew_behind_the_others_of_its_duration) {
    // clause: J02, J13
    JobWorld world;
    JobId first = 0;
    std::vector<std::int64_t> due;
    const auto says_when = [&](const char* name) -> Callback<> {
        return [&, name] {
            world.log(name);
            due.push_back(world.passed_ms());
        };
    };
    world.run([&] {
        first = world.jobs.set_timeout(says_when("refreshed"), 5ms);
        world.jobs.set_timeout(says_when("other"), 5ms);
        world.block(2ms);
        world.jobs.set_timeout(says_when("younger"), 5ms);
        EXPECT_TRUE(world.jobs.refresh(first));
        EXPECT_EQ(world.jobs.timer_count(), 3u);
    });
    EXPECT_EQ(world.host.lines, (Lines{"other", "younger", "refreshed"}));
    EXPECT_EQ(due, (std::vector<std::int64_t>{5, 7, 7}));
    EXPECT_FALSE(world.jobs.refresh(first));
    EXPECT_EQ(world.jobs.timer_count(), 0u);
}

TEST(JobOrder, a_timer_refreshed_in_its_callback_runs_again_unless_it_is_cleared) {
    // clause: J02, J03
    JobWorld world;
    std::vector<std::int64_t> timeouts;
    std::vector<std::int64_t> intervals;
    JobId timeout = 0;
    JobId interval = 0;
    world.run([&] {
        timeout = world.jobs.set_timeout(
            [&] {
                timeouts.push_back(world.passed_ms());
                EXPECT_TRUE(world.jobs.refresh(timeout));
                if (timeouts.size() < 3) return;
                world.jobs.clear_timeout(timeout);
                EXPECT_FALSE(world.jobs.refresh(timeout));
            },
            10ms);
        interval = world.jobs.set_interval(
            [&] {
                intervals.push_back(world.passed_ms());
                EXPECT_TRUE(world.jobs.refresh(interval));
                if (intervals.size() == 2) world.jobs.clear_interval(interval);
            },
            7ms);
        EXPECT_FALSE(world.jobs.refresh(world.jobs.set_immediate([] {})));
        EXPECT_FALSE(world.jobs.refresh(0));
    });
    EXPECT_EQ(timeouts, (std::vector<std::int64_t>{10, 20, 30}));
    EXPECT_EQ(intervals, (std::vector<std::int64_t>{7, 14}));
    EXPECT_EQ(world.jobs.timer_count(), 0u);
}

TEST(JobOrder, a_due_timer_that_the_checkpoint_before_it_refreshes_runs_all_the_same) {
    // clause: J13
    for (const std::uint32_t slice : {1u, 1024u}) {
        JobWorld world({.slice = slice});
        JobId second = 0;
        JobId third = 0;
        EXPECT_EQ(world.run([&] {
            world.jobs.set_timeout(
                [&] {
                    world.log("first");
                    world.jobs.refresh(third);
                    world.jobs.next_tick([&] { world.jobs.refresh(second); });
                },
                5ms);
            second = world.jobs.set_timeout(world.says("second"), 5ms);
            third = world.jobs.set_timeout(world.says("third"), 5ms);
            world.jobs.set_timeout([&] { world.log("other list"); }, 6ms);
            world.block(10ms);
        }),
                  (Lines{"first", "second", "other list", "third"}))
            << slice;
    }
}

TEST(JobOrder, the_first_timer_of_a_list_is_chosen_after_the_checkpoint_before_the_list) {
    // clause: J13
    JobWorld world;
    JobId interval = 0;
    JobId first = 0;
    EXPECT_EQ(world.run([&] {
        interval = world.jobs.set_interval(
            [&] {
                world.jobs.clear_interval(interval);  // Its list is removed too.
                world.jobs.next_tick([&] { world.jobs.refresh(first); });
            },
            2ms);
        first = world.jobs.set_timeout(world.says("refreshed"), 3ms);
        world.jobs.set_timeout(world.says("second"), 3ms);
        world.block(10ms);
    }),
              (Lines{"second", "refreshed"}));
}

TEST(JobOrder, a_timer_without_a_reference_has_none_when_it_is_refreshed) {
    JobWorld world;
    world.run([&world] {
        const JobId id = world.jobs.set_timeout(world.says("never"), 5ms);
        world.jobs.set_ref(id, false);
        EXPECT_TRUE(world.jobs.refresh(id));
        EXPECT_FALSE(world.jobs.has_ref(id));
    });
    EXPECT_EQ(world.host.lines, Lines{});
    EXPECT_EQ(world.passed_ms(), 0);
}

TEST(JobOrder, delays_are_whole_milliseconds_from_1_to_2_to_the_31) {
    // clause: J02
    JobWorld world;
    std::vector<std::int64_t> due;
    world.run([&] {
        for (const double ms : {0.0, -5.0, 0.9, 1.9, 2.5, std::nan(""), 2147483648.0, 3e300}) {
            world.jobs.set_timeout([&] { due.push_back(world.passed_ms()); },
                                   Scheduler::delay_of(ms));
        }
        world.jobs.set_timeout([&] { due.push_back(world.passed_ms()); },
                               Scheduler::delay_of(2147483647.0));
    });
    EXPECT_EQ(due, (std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 1, 2, 2147483647}));
}

TEST(JobOrder, a_timer_is_never_early_and_those_of_one_millisecond_come_together) {
    JobWorld world;
    std::vector<Instant> due;
    std::vector<Instant> started;
    world.run([&] {
        for (int i = 0; i < 3; ++i) {
            world.block(200us);
            started.push_back(world.clock.peek());
            world.jobs.set_timeout([&] { due.push_back(world.clock.peek()); }, 5ms);
        }
    });
    ASSERT_EQ(due.size(), 3u);
    EXPECT_EQ(due.front(), due.back());
    EXPECT_EQ(due.back(), started.back() + 5ms);
}

TEST(JobOrder, an_interval_repeats_under_its_id_from_the_start_of_each_run) {
    // clause: J03
    JobWorld world;
    const auto runs =
        world.three_runs_of_an_interval(10ms, [&](std::size_t /*run*/) { world.block(7ms); });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{10, 20, 30}));
}

TEST(JobOrder, an_interval_that_is_late_does_not_catch_up) {
    // clause: J03
    JobWorld world;
    const auto runs = world.three_runs_of_an_interval(10ms, [&](std::size_t run) {
        if (run == 1) world.block(25ms);
    });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{10, 35, 45}));
}

TEST(JobOrder, an_interval_is_started_again_after_its_callback_so_behind_what_that_started) {
    // clause: J03
    JobWorld world;
    JobId id = 0;
    EXPECT_EQ(world.run([&] {
        id = world.jobs.set_interval(
            [&] {
                world.log("interval");
                EXPECT_EQ(world.jobs.timer_count(), 0u);
                if (world.host.lines.size() > 1) return world.jobs.clear_interval(id);
                world.jobs.set_timeout(world.says("timeout of the same duration"), 10ms);
                world.block(3ms);
            },
            10ms);
    }),
              (Lines{"interval", "timeout of the same duration", "interval"}));
}

TEST(JobOrder, an_interval_of_0_has_a_period_of_1_and_goes_on_after_an_error) {
    // clause: J03
    JobWorld world;
    std::vector<std::int64_t> runs;
    JobId id = 0;
    world.run([&] {
        id = world.jobs.set_interval(
            [&, keeps = std::string("a callback that is allocated")] {
                runs.push_back(world.passed_ms());
                if (runs.size() == 3) world.jobs.clear_timeout(id);
                if (runs.size() == 1) fail("once");
            },
            0ms);
    });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(world.host.lines, (Lines{"error once"}));
}

TEST(JobOrder, an_interval_that_clears_itself_first_and_then_throws_is_gone) {
    // clause: J03
    JobWorld world;
    JobId id = 0;
    world.run([&] {
        id = world.jobs.set_interval(
            [&] {
                world.jobs.clear_interval(id);
                fail("last");
            },
            1ms);
    });
    EXPECT_EQ(world.host.lines, (Lines{"error last"}));
    EXPECT_EQ(world.jobs.timer_count(), 0u);
}

TEST(JobOrder, timeouts_and_intervals_are_cleared_by_either_name_twice_and_with_nothing) {
    // clause: J02, J03
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        Scheduler& jobs = world.jobs;
        jobs.clear_interval(jobs.set_timeout(world.says("x"), 1ms));
        jobs.clear_timeout(jobs.set_interval(world.says("y"), 1ms));
        const JobId twice = jobs.set_timeout(world.says("z"), 1ms);
        jobs.clear_timeout(twice);
        jobs.clear_timeout(twice);
        jobs.clear_timeout(0);
        jobs.clear_immediate(~JobId{0});
        jobs.clear_immediate(jobs.set_timeout(world.says("no immediate"), 1ms));
        jobs.clear_timeout(jobs.set_immediate(world.says("no timeout")));
    }),
              (Lines{"no timeout", "no immediate"}));
}

TEST(JobOrder, a_timeout_runs_once_with_its_arguments) {
    // clause: J02
    JobWorld world;
    const auto add = [&world](int number, const std::string& word) {
        world.log(word + std::to_string(number));
    };
    EXPECT_EQ(world.run([&] {
        const JobId id = world.jobs.set_timeout(add, 1ms, 7, std::string("seven "));
        world.jobs.set_timeout([&world, id] { world.jobs.clear_timeout(id); }, 10ms);
    }),
              (Lines{"seven 7"}));
}

TEST(JobOrder, a_timeout_that_is_cleared_is_gone_at_once) {
    // clause: J02
    JobWorld world;
    world.run([&world] {
        const JobId id = world.jobs.set_timeout(world.says("never"), 1h);
        EXPECT_EQ(world.jobs.timer_count(), 1u);
        world.jobs.clear_timeout(id);
        EXPECT_EQ(world.jobs.timer_count(), 0u);
    });
    EXPECT_EQ(world.host.lines, Lines{});
    EXPECT_EQ(world.passed_ms(), 0);
}

TEST(JobOrder, a_timer_of_another_list_can_be_cleared_by_a_callback_and_by_its_microtask) {
    // clause: J02
    JobWorld world;
    JobId by_callback = 0;
    JobId by_microtask = 0;
    EXPECT_EQ(world.run([&] {
        world.jobs.set_timeout(
            [&] {
                world.log("first");
                world.jobs.clear_timeout(by_callback);
                world.jobs.queue_microtask([&] { world.jobs.clear_timeout(by_microtask); });
            },
            1ms);
        by_callback = world.jobs.set_timeout(world.says("never"), 2ms);
        by_microtask = world.jobs.set_timeout(world.says("nor this"), 3ms);
        world.block(5ms);
    }),
              (Lines{"first"}));
}

}  // namespace
}  // namespace gyre::job
