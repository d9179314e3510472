// SPDX-License-Identifier: Apache-2.0
// Node's order, rule by rule, with C++ callbacks in virtual time; that of timers is in
// timer_order.test.cpp, that after errors in error_order.test.cpp. tests/job_order compares all of
// it with a model, and with Node itself, on random programs.
#include <gtest/gtest.h>

#include <functional>

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
