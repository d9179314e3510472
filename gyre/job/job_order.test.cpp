// SPDX-License-Identifier: Apache-2.0
// Node's order, rule by rule, with C++ callbacks in virtual time. tests/job_order compares it with
// a model, and with Node itself, on random programs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>

#include "gyre/base/random.hpp"
#include "gyre/job/job_world.test.hpp"
#include "gyre/job/promise.hpp"

namespace gyre::job {
namespace {

// A chain of jobs, each of which queues the next one.
struct Chain {
    JobWorld& world;
    void (Scheduler::*queue)(Callback<>&&);
    int left = 0;
    int ran = 0;
    void step() {
        ++ran;
        if (--left > 0) (world.jobs.*queue)(Callback<>([this] { step(); }));
    }
};

TEST(JobOrder, a_main_script_is_followed_by_ticks_then_microtasks_then_due_timers_then_immediates) {
    // clause: J06, J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_immediate(world.says("immediate"));
        world.jobs.set_timeout(world.says("timeout"), 0ms);
        world.jobs.queue_microtask([&world] {
            world.log("micro 1");
            world.jobs.queue_microtask(world.says("micro 3"));
        });
        world.jobs.next_tick(world.says("tick 1"));
        world.jobs.queue_microtask(world.says("micro 2"));
        world.jobs.next_tick(world.says("tick 2"));
        world.log("main");
        world.block(5ms);
    }),
              (Lines{"main", "tick 1", "tick 2", "micro 1", "micro 2", "micro 3", "timeout",
                     "immediate"}));
}

TEST(JobOrder, a_tick_queued_by_a_microtask_waits_for_all_microtasks) {
    // clause: J06
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.next_tick([&world] {
            world.log("tick 1");
            world.jobs.next_tick(world.says("tick 2"));
            world.jobs.queue_microtask(world.says("micro 3"));
        });
        world.jobs.queue_microtask([&world] {
            world.log("micro 1");
            world.jobs.next_tick(world.says("tick 3"));
            world.jobs.queue_microtask(world.says("micro 4"));
        });
        world.jobs.queue_microtask(world.says("micro 2"));
    }),
              (Lines{"tick 1", "tick 2", "micro 1", "micro 2", "micro 3", "micro 4", "tick 3"}));
}

TEST(JobOrder, promise_jobs_and_microtasks_are_one_queue_behind_all_ticks) {
    // clause: J05, J06
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        Promise::resolve(world.jobs).then([&world](const Value&) {
            world.log("then 1");
            world.jobs.next_tick(world.says("tick 3"));
            world.jobs.queue_microtask(world.says("micro 2"));
            return Value();
        });
        world.jobs.queue_microtask(world.says("micro 1"));
        Promise::resolve(world.jobs).then([&world](const Value&) {
            world.log("then 2");
            return Value();
        });
        world.jobs.next_tick([&world] {
            world.log("tick 1");
            world.jobs.next_tick(world.says("tick 2"));
        });
    }),
              (Lines{"tick 1", "tick 2", "then 1", "micro 1", "then 2", "micro 2", "tick 3"}));
}

TEST(JobOrder, a_module_as_main_script_runs_in_a_job_so_microtasks_come_before_ticks) {
    // clause: J06
    JobWorld world;
    world.run([&world] {
        world.jobs.queue_microtask([&world] {
            world.jobs.next_tick(world.says("tick"));
            world.jobs.queue_microtask(world.says("micro"));
            world.log("body");
        });
    });
    EXPECT_EQ(world.host.lines, (Lines{"body", "micro", "tick"}));
}

TEST(JobOrder, an_immediate_comes_before_a_timer_that_is_not_due) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_timeout(world.says("timeout"), 0ms);
        world.jobs.set_immediate(world.says("immediate"));
    }),
              (Lines{"immediate", "timeout"}));
}

TEST(JobOrder, from_a_timer_an_immediate_comes_before_a_new_timer_however_overdue) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_timeout(
            [&world] {
                world.jobs.set_timeout(world.says("timeout"), 0ms);
                world.jobs.set_immediate(world.says("immediate"));
                world.block(10ms);
            },
            1ms);
    }),
              (Lines{"immediate", "timeout"}));
}

TEST(JobOrder, from_a_host_callback_an_immediate_comes_before_a_new_timer_however_overdue) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.queue_callback([&world] {
            world.jobs.set_timeout(world.says("timeout"), 0ms);
            world.jobs.set_immediate(world.says("immediate"));
            world.block(10ms);
        });
    }),
              (Lines{"immediate", "timeout"}));
}

TEST(JobOrder, one_phase_runs_every_due_timer_with_a_checkpoint_after_each) {
    // clause: J07, J13
    JobWorld world;
    const auto start = [&world](const std::string& number) {
        world.log("timer " + number);
        world.jobs.set_immediate(world.says("immediate " + number));
        world.jobs.queue_microtask(world.says("micro " + number));
        world.jobs.next_tick(world.says("tick " + number));
    };
    EXPECT_EQ(world.run([&] {
        for (const int n : {1, 2, 3}) {
            world.jobs.set_timeout([&start, n] { start(std::to_string(n)); },
                                   std::chrono::milliseconds(n));
        }
        world.block(10ms);
    }),
              (Lines{"timer 1", "tick 1", "micro 1", "timer 2", "tick 2", "micro 2", "timer 3",
                     "tick 3", "micro 3", "immediate 1", "immediate 2", "immediate 3"}));
}

TEST(JobOrder, a_checkpoint_follows_each_timer_host_callback_immediate_and_end_of_a_close) {
    // clause: J07
    JobWorld world;
    Lines wanted;
    const auto noisy = [&](const std::string& name) -> Callback<> {
        wanted.insert(wanted.end(), {name, name + ", tick", name + ", micro"});
        return [&world, name] {
            world.log(name);
            world.jobs.queue_microtask(world.says(name + ", micro"));
            world.jobs.next_tick(world.says(name + ", tick"));
        };
    };
    world.run([&] {
        for (const char* name : {"timer 1", "timer 2"}) world.jobs.set_timeout(noisy(name), 1ms);
        for (const char* name : {"callback 1", "callback 2"}) {
            world.jobs.queue_callback(noisy(name));
        }
        for (const char* name : {"immediate 1", "immediate 2"}) {
            world.jobs.set_immediate(noisy(name));
        }
        Callback<> first = noisy("close 1");  // the last that is queued
        world.jobs.queue_close(noisy("close 2"));
        world.jobs.queue_close(std::move(first));
        world.block(5ms);
    });
    EXPECT_EQ(world.host.lines, wanted);
}

TEST(JobOrder, what_was_closed_ends_after_immediates_and_before_timers_the_last_first) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.queue_callback([&world] {
            world.log("callback");
            world.jobs.set_timeout(world.says("timer"), 0ms);
            world.jobs.queue_close([&world] {
                world.log("closed");
                world.jobs.queue_close(world.says("closed by that"));
                world.jobs.set_immediate(world.says("immediate of the next iteration"));
            });
            world.jobs.queue_close(world.says("closed last"));
            world.jobs.set_immediate(world.says("immediate"));
            world.block(5ms);
        });
    }),
              (Lines{"callback", "immediate", "closed last", "closed", "timer",
                     "immediate of the next iteration", "closed by that"}));
}

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
                world.jobs.clear_interval(interval);  // Its list goes with it.
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
    std::vector<std::int64_t> runs;
    JobId id = 0;
    world.run([&] {
        id = world.jobs.set_interval(
            [&] {
                runs.push_back(world.passed_ms());
                world.block(7ms);
                if (runs.size() == 3) world.jobs.clear_interval(id);
            },
            10ms);
    });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{10, 20, 30}));
}

TEST(JobOrder, an_interval_that_is_late_does_not_catch_up) {
    // clause: J03
    JobWorld world;
    std::vector<std::int64_t> runs;
    JobId id = 0;
    world.run([&] {
        id = world.jobs.set_interval(
            [&] {
                runs.push_back(world.passed_ms());
                if (runs.size() == 1) world.block(25ms);
                if (runs.size() == 3) world.jobs.clear_interval(id);
            },
            10ms);
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

TEST(JobOrder, an_immediate_queued_by_an_immediate_waits_one_iteration) {
    // clause: J04
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_immediate([&world] {
            world.log("A");
            world.jobs.set_immediate([&world] {
                world.log("C");
                world.jobs.set_immediate(world.says("D"));
            });
            world.jobs.set_timeout(world.says("timer"), 0ms);
            world.block(5ms);
        });
        world.jobs.set_immediate(world.says("B"));
    }),
              (Lines{"A", "B", "timer", "C", "D"}));
}

TEST(JobOrder, an_immediate_queued_by_a_microtask_or_tick_of_an_immediate_waits_as_well) {
    // clause: J04
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_immediate([&world] {
            world.log("A");
            world.jobs.queue_microtask([&world] { world.jobs.set_immediate(world.says("D")); });
            world.jobs.next_tick([&world] { world.jobs.set_immediate(world.says("C")); });
            world.jobs.set_timeout(world.says("timer"), 0ms);
            world.block(5ms);
        });
        world.jobs.set_immediate(world.says("B"));
    }),
              (Lines{"A", "B", "timer", "C", "D"}));
}

TEST(JobOrder, members_of_a_batch_can_be_cleared_by_each_other_and_by_microtasks_between) {
    // clause: J02, J04
    JobWorld world;
    JobId t2 = 0;
    JobId i2 = 0;
    JobId i3 = 0;
    EXPECT_EQ(world.run([&] {
        world.jobs.set_timeout(
            [&] {
                world.log("t1 clears t2");
                world.jobs.clear_timeout(t2);
            },
            1ms);
        t2 = world.jobs.set_timeout(world.says("t2"), 1ms);
        world.jobs.set_immediate([&] {
            world.log("i1 clears i2");
            world.jobs.clear_immediate(i2);
            world.jobs.queue_microtask([&] {
                world.log("micro clears i3");
                world.jobs.clear_immediate(i3);
            });
        });
        i2 = world.jobs.set_immediate(world.says("i2"));
        i3 = world.jobs.set_immediate(world.says("i3"));
        world.jobs.set_immediate(world.says("i4"));
        world.block(5ms);
    }),
              (Lines{"t1 clears t2", "i1 clears i2", "micro clears i3", "i4"}));
}

TEST(JobOrder, the_last_immediate_of_a_batch_can_be_cleared_by_a_microtask) {
    // clause: J04
    JobWorld world;
    JobId last = 0;
    EXPECT_EQ(world.run([&] {
        world.jobs.set_immediate(
            [&] { world.jobs.queue_microtask([&] { world.jobs.clear_immediate(last); }); });
        last = world.jobs.set_immediate(world.says("never"));
    }),
              Lines{});
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

TEST(JobOrder, has_the_limits_that_its_options_name) {
    // clause: J09, J12, J13
    constexpr SchedulerOptions options;
    EXPECT_EQ(options.profile, Profile::node);
    EXPECT_EQ(options.slice, 1024u);
    EXPECT_EQ(options.starvation_limit, 10'000'000u);
    EXPECT_EQ(options.wait_max, 50ms);
}

TEST(JobOrder, nothing_bounds_ticks_microtasks_and_immediates_before_a_due_timer) {
    // clause: J09
    JobWorld world;
    Chain microtasks{
        .world = world, .queue = &Scheduler::queue_microtask<Callback<>>, .left = 5'000};
    Chain ticks{.world = world, .queue = &Scheduler::next_tick<Callback<>>, .left = 5'000};
    int immediates = 0;
    EXPECT_EQ(world.run([&] {
        world.jobs.set_immediate([&] {
            world.jobs.set_timeout(
                [&] {
                    world.log(std::to_string(ticks.ran) + " ticks, " +
                              std::to_string(microtasks.ran) + " microtasks, " +
                              std::to_string(immediates) + " immediates");
                },
                0ms);
            world.block(3ms);
            world.jobs.queue_microtask([&] { microtasks.step(); });
            world.jobs.next_tick([&] { ticks.step(); });
        });
        for (int i = 0; i < 3'000; ++i) world.jobs.set_immediate([&] { ++immediates; });
    }),
              (Lines{"5000 ticks, 5000 microtasks, 3000 immediates"}));
    EXPECT_GE(world.pump.counts().slices, 12u);
}

TEST(JobOrder, a_tick_queued_before_the_end_of_a_slice_still_waits_for_all_microtasks) {
    // clause: J09
    JobWorld world({.slice = 4});
    Lines wanted;
    world.run([&] {
        for (int i = 0; i < 10; ++i) {
            world.jobs.queue_microtask([&world, i] {
                world.log("micro " + std::to_string(i));
                if (i == 1) world.jobs.next_tick(world.says("tick"));
            });
            wanted.push_back("micro " + std::to_string(i));
        }
        wanted.emplace_back("tick");
    });
    EXPECT_EQ(world.host.lines, wanted);
}

TEST(JobOrder, an_error_in_a_callback_loses_no_other_callback_of_its_batch) {
    // clause: J07, J15
    JobWorld world;
    EXPECT_EQ(
        world.run([&world] {
            Scheduler& jobs = world.jobs;
            jobs.set_timeout(
                [&world] {
                    world.log("timer 1");
                    world.jobs.next_tick(world.says("tick of timer 1"));
                    fail("in timer 1");
                },
                1ms);
            jobs.set_timeout(world.says("timer 2"), 1ms);
            jobs.set_timeout(
                [&world] {
                    world.log("timer 3");
                    world.jobs.set_immediate([&world] {
                        world.log("immediate 1");
                        world.jobs.queue_microtask(world.says("micro of immediate 1"));
                        fail("in immediate 1");
                    });
                    world.jobs.set_immediate(world.says("immediate 2"));
                    world.jobs.next_tick([&world] {
                        world.log("tick 1");
                        fail("in tick 1");
                    });
                    world.jobs.next_tick(world.says("tick 2"));
                    world.jobs.queue_microtask([&world] {
                        world.log("micro 1");
                        fail("in micro 1");
                    });
                    world.jobs.queue_microtask(world.says("micro 2"));
                },
                1ms);
            world.block(5ms);
        }),
        (Lines{"timer 1", "error in timer 1", "timer 2", "tick of timer 1", "timer 3", "tick 1",
               "error in tick 1", "tick 2", "micro 1", "error in micro 1", "micro 2", "immediate 1",
               "error in immediate 1", "immediate 2", "micro of immediate 1"}));
}

TEST(JobOrder, a_host_callback_that_throws_lets_the_next_callback_go_first) {
    // clause: J07, J15
    JobWorld world;
    const auto throwing = [&world](const std::string& name) -> Callback<> {
        return [&world, name] {
            world.jobs.next_tick(world.says("tick of " + name));
            fail(name.c_str());
        };
    };
    EXPECT_EQ(world.run([&] {
        world.jobs.queue_callback(throwing("callback 1"));
        world.jobs.queue_callback(world.says("callback 2"));
        world.jobs.queue_callback(throwing("callback 3"));
        world.jobs.set_immediate(world.says("immediate 1"));
        world.jobs.set_immediate(world.says("immediate 2"));
    }),
              (Lines{"error callback 1", "callback 2", "tick of callback 1", "error callback 3",
                     "tick of callback 3", "immediate 1", "immediate 2"}));
}

TEST(JobOrder, an_end_of_a_close_that_throws_lets_the_next_end_or_timer_go_first) {
    // clause: J07, J15
    for (const bool is_last : {false, true}) {
        JobWorld world;
        world.run([&] {
            world.jobs.set_immediate([&] {
                if (!is_last) world.jobs.queue_close(world.says("other"));
                world.jobs.queue_close([&world] {
                    world.jobs.next_tick(world.says("tick"));
                    fail("at the end");
                });
                world.jobs.set_timeout(world.says("timer"), 1ms);
                world.block(5ms);
            });
        });
        EXPECT_EQ(world.host.lines, is_last
                                        ? (Lines{"error at the end", "timer", "tick"})
                                        : (Lines{"error at the end", "other", "tick", "timer"}));
    }
}

TEST(JobOrder, ticks_that_throw_let_the_next_callback_go_first) {
    // clause: J07
    JobWorld world;
    const auto throwing = [&world](const std::string& name) -> Callback<> {
        return [&world, name] {
            world.log(name);
            fail(name.c_str());
        };
    };
    EXPECT_EQ(world.run([&] {
        world.jobs.set_timeout(
            [&] {
                world.log("t1");
                for (const char* name : {"k1", "k2", "k3"}) world.jobs.next_tick(throwing(name));
            },
            1ms);
        world.jobs.set_timeout(world.says("t2"), 1ms);
        world.jobs.set_immediate([&] { world.log("i1"); });
        world.block(5ms);
    }),
              (Lines{"t1", "k1", "error k1", "t2", "k2", "error k2", "k3", "error k3", "i1"}));
}

TEST(JobOrder, a_list_that_a_throwing_tick_emptied_has_its_checkpoint_before_the_next_list) {
    // clause: J07
    JobWorld world;
    JobId last = 0;
    EXPECT_EQ(world.run([&] {
        world.jobs.set_timeout(
            [&] {
                world.log("t1");
                world.jobs.next_tick([&] {
                    world.jobs.clear_timeout(last);
                    fail("tick");
                });
                world.jobs.queue_microtask(world.says("micro"));
            },
            1ms);
        last = world.jobs.set_timeout(world.says("never"), 1ms);
        world.jobs.set_ref(last, false);  // So its list stays, without a timer.
        world.jobs.set_timeout(world.says("t2"), 2ms);
        world.block(5ms);
    }),
              (Lines{"t1", "error tick", "micro", "t2"}));
}

TEST(JobOrder, when_the_last_immediate_throws_those_it_queued_follow_before_its_ticks) {
    // clause: J07
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_immediate([&world] {
            world.log("i1");
            world.jobs.set_immediate(world.says("j1"));
            world.jobs.set_immediate(world.says("j2"));
        });
        world.jobs.set_immediate([&world] {
            world.log("i2");
            world.jobs.next_tick(world.says("tick"));
            fail("i2");
        });
    }),
              (Lines{"i1", "i2", "error i2", "j1", "tick", "j2"}));
}

TEST(JobOrder, a_main_script_that_throws_has_its_checkpoint_before_timers) {
    // clause: J07, J15
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_immediate(world.says("immediate"));
        world.jobs.set_timeout(world.says("timer"), 1ms);
        world.jobs.next_tick(world.says("tick"));
        world.jobs.queue_microtask(world.says("micro"));
        world.block(5ms);
        fail("in main");
    }),
              (Lines{"error in main", "tick", "micro", "timer", "immediate"}));
}

TEST(JobOrder, a_rejection_is_reported_at_the_end_of_its_checkpoint_unless_handled_by_then) {
    // clause: J16
    JobWorld world;
    std::optional<Promise> late;
    EXPECT_EQ(world.run([&] {
        world.jobs.set_timeout(
            [&] {
                world.log("timer");
                late = Promise::reject(world.jobs, std::string("late"));
                const Promise soon = Promise::reject(world.jobs, std::string("soon"));
                world.jobs.queue_microtask([&world, soon] {
                    world.log("micro adds a handler");
                    soon.catch_error([](const Value&) { return Value(); });
                });
                world.jobs.next_tick(world.says("tick"));
            },
            1ms);
        world.jobs.set_timeout(world.says("next timer"), 1ms);
        world.jobs.set_timeout(
            [&] {
                world.log("handles late");
                late->catch_error([](const Value&) { return Value(); });
            },
            5ms);
    }),
              (Lines{"timer", "tick", "micro adds a handler", "unhandled late", "next timer",
                     "handles late", "rejection handled"}));
}

TEST(JobOrder, what_the_report_of_a_rejection_queues_belongs_to_the_same_checkpoint) {
    // clause: J16
    JobWorld world;
    world.host.when_rejected = [&world] {
        world.jobs.queue_microtask(world.says("micro of the report"));
        world.jobs.next_tick(world.says("tick of the report"));
    };
    EXPECT_EQ(
        world.run([&world] {
            world.jobs.set_immediate(
                [&world] { static_cast<void>(Promise::reject(world.jobs, std::string("gone"))); });
            world.jobs.set_immediate(world.says("next immediate"));
        }),
        (Lines{"unhandled gone", "tick of the report", "micro of the report", "next immediate"}));
}

TEST(JobOrder, rejections_are_reported_in_their_order_and_those_of_a_report_after_its_jobs) {
    // clause: J16
    JobWorld world;
    world.host.when_rejected = [&world] {
        if (world.host.lines.size() > 1) return;
        static_cast<void>(Promise::reject(world.jobs, std::string("3")));
        world.jobs.next_tick(world.says("tick"));
    };
    EXPECT_EQ(world.run([&world] {
        static_cast<void>(Promise::reject(world.jobs, std::string("1")));
        static_cast<void>(Promise::reject(world.jobs, std::string("2")));
        world.jobs.set_immediate(world.says("immediate"));
    }),
              (Lines{"unhandled 1", "unhandled 2", "tick", "unhandled 3", "immediate"}));
}

TEST(JobOrder, a_handler_that_a_tick_of_a_microtask_adds_comes_in_time) {
    // clause: J16
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        const Promise promise = Promise::reject(world.jobs, std::string("in time"));
        world.jobs.queue_microtask([&world, promise] {
            world.jobs.next_tick(
                [promise] { promise.catch_error([](const Value&) { return Value(); }); });
        });
        world.jobs.set_immediate(world.says("immediate"));
    }),
              (Lines{"immediate"}));
}

TEST(JobOrder, a_rejection_waits_for_the_ticks_that_microtasks_queued) {
    // clause: J16
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        static_cast<void>(Promise::reject(world.jobs, std::string("gone")));
        world.jobs.queue_microtask([&world] {
            world.jobs.next_tick([&world] {
                world.log("tick");
                world.jobs.queue_microtask(world.says("micro"));
            });
        });
    }),
              (Lines{"tick", "micro", "unhandled gone"}));
}

TEST(JobOrder, is_the_same_on_every_run) {
    // clause: J14
    const auto play = [] {
        JobWorld world;
        Random random(7);
        std::function<void(int)> grow = [&](int depth) {
            world.log(std::to_string(depth) + " at " + std::to_string(world.passed_ms()));
            for (std::uint64_t i = random.below(4); depth > 0 && i > 0; --i) {
                const auto next = [&grow, depth] { grow(depth - 1); };
                switch (random.below(4)) {
                    case 0:
                        world.jobs.next_tick(next);
                        break;
                    case 1:
                        world.jobs.queue_microtask(next);
                        break;
                    case 2:
                        world.jobs.set_immediate(next);
                        break;
                    default:
                        world.jobs.set_timeout(
                            next, Scheduler::delay_of(static_cast<double>(random.below(9))));
                }
            }
        };
        return world.run([&grow] { grow(12); });
    };
    const Lines first = play();
    EXPECT_GT(first.size(), 50u);
    EXPECT_EQ(first, play());
}

}  // namespace
}  // namespace gyre::job
