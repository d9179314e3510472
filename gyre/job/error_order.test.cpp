// SPDX-License-Identifier: Apache-2.0
// Node's order after errors, and of rejections, rule by rule, in virtual time.
#include <gtest/gtest.h>

#include <optional>

#include "gyre/job/job_world.test.hpp"
#include "gyre/job/promise.hpp"

namespace gyre::job {
namespace {

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

}  // namespace
}  // namespace gyre::job
