// SPDX-License-Identifier: Apache-2.0
// The iteration of JS2IL, step by step, with C++ callbacks in virtual time.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "gyre/job/job_world.test.hpp"
#include "gyre/job/promise.hpp"

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

TEST(Js2ilOrder, an_iteration_promotes_one_timer_behind_the_callbacks_that_wait) {
    // clause: J13
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_timeout(
            [&world] {
                world.log("timer 1");
                world.jobs.queue_callback(world.says("callback of timer 1"));
                world.jobs.queue_close(world.says("close"));
            },
            0ms);
        world.jobs.set_timeout(world.says("timer 2"), 0ms);
    }),
              (Lines{"timer 1", "callback of timer 1", "close", "timer 2"}));
}

TEST(Js2ilOrder, a_checkpoint_follows_the_callback_or_timer_of_an_iteration) {
    // clause: J07
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.queue_callback([&world] {
            world.log("callback");
            world.jobs.queue_microtask(world.says("micro 1"));
        });
        world.jobs.set_timeout(
            [&world] {
                world.log("timer");
                world.jobs.queue_microtask(world.says("micro 2"));
            },
            0ms);
        world.jobs.queue_callback(world.says("callback 2"));
    }),
              (Lines{"callback", "micro 1", "callback 2", "timer", "micro 2"}));
}

TEST(Js2ilOrder, an_endless_chain_of_microtasks_lets_everything_else_in) {
    // clause: J08, J09
    Js2ilWorld world(3);
    int microtasks = 0;
    std::function<void()> chain = [&] {
        ++microtasks;
        if (world.host.lines.size() < 3) world.jobs.queue_microtask(chain);
    };
    EXPECT_EQ(world.run([&] {
        world.jobs.queue_microtask(chain);
        world.jobs.set_immediate(world.says("immediate"));
        world.jobs.queue_callback(world.says("callback"));
        world.jobs.set_timeout(world.says("timer"), 0ms);
    }),
              (Lines{"immediate", "callback", "timer"}));
    EXPECT_EQ(microtasks, 7);  // three drains, and the one that ends the chain
}

TEST(Js2ilOrder, an_error_in_a_job_loses_no_other_job) {
    // clause: J15
    Js2ilWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_immediate([] { fail("in an immediate"); });
        world.jobs.set_immediate(world.says("immediate"));
        world.jobs.queue_microtask([] { fail("in a microtask"); });
        world.jobs.queue_microtask(world.says("micro"));
        world.jobs.queue_callback([] { fail("in a callback"); });
        world.jobs.queue_callback(world.says("callback"));
        world.jobs.set_timeout([] { fail("in a timer"); }, 0ms);
        world.jobs.set_timeout(world.says("timer"), 0ms);
        fail("in main");
    }),
              (Lines{"error in main", "error in an immediate", "error in a microtask", "micro",
                     "immediate", "error in a callback", "callback", "error in a timer", "timer"}));
}

TEST(Js2ilOrder, a_rejection_is_reported_after_the_drain_and_withdrawn_where_handled_later) {
    // clause: J16
    Js2ilWorld world;
    std::optional<Promise> late;
    EXPECT_EQ(
        world.run([&] {
            world.jobs.set_immediate([&] {
                late = Promise::reject(world.jobs, std::string("late"));
                const Promise soon = Promise::reject(world.jobs, std::string("soon"));
                world.jobs.queue_microtask([&world, soon] {
                    world.log("micro adds a handler");
                    soon.catch_error([](const Value&) { return Value(); });
                });
            });
            world.jobs.set_immediate(world.says("next immediate"));
            world.jobs.set_timeout([&] { late->catch_error([](const Value&) { return Value(); }); },
                                   1ms);
        }),
        (Lines{"micro adds a handler", "unhandled late", "next immediate", "rejection handled"}));
}

TEST(Js2ilOrder, an_iteration_without_callbacks_ends_in_a_checkpoint) {
    // clause: J17
    Js2ilWorld world;
    world.pump.start();
    EXPECT_EQ(world.loop.run(), Loop::End::idle);
    world.jobs.queue_microtask(world.says("micro"));
    EXPECT_EQ(world.loop.run(), Loop::End::idle);
    EXPECT_EQ(world.host.lines, (Lines{"micro"}));
}

TEST(Js2ilOrder, iterations_without_callbacks_run_the_microtasks_of_the_main_script) {
    // clause: J17
    Js2ilWorld world(2);
    world.pump.start([&world] {
        for (const char* name : {"1", "2", "3"}) world.jobs.queue_microtask(world.says(name));
    });
    // Not until it is idle: without the checkpoints it never would be.
    for (int turn = 0; turn < 10; ++turn) world.loop.turn(world.loop.now());
    EXPECT_EQ(world.host.lines, (Lines{"1", "2", "3"}));
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
    const auto runs = world.three_runs_of_an_interval(10ms, [&](std::size_t run) {
        EXPECT_EQ(world.jobs.timer_count(), 1u);
        if (run == 1) fail("and goes on");
    });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{10, 20, 30}));
    EXPECT_EQ(world.jobs.timer_count(), 0u);
}

TEST(Js2ilOrder, an_interval_counts_from_its_promotion_and_not_from_the_end_of_its_callback) {
    // clause: J03
    Js2ilWorld world;
    const auto runs =
        world.three_runs_of_an_interval(10ms, [&](std::size_t /*run*/) { world.block(7ms); });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{10, 20, 30}));
}

TEST(Js2ilOrder, clearing_an_interval_drops_the_entry_that_waits_for_its_turn_and_the_next_one) {
    // clause: J03
    Js2ilWorld world;
    JobId id = 0;
    EXPECT_EQ(world.run([&] {
        world.jobs.queue_callback(
            [&] { world.jobs.queue_microtask([&] { world.jobs.clear_interval(id); }); });
        world.jobs.queue_callback(world.says("another"));
        id = world.jobs.set_interval(world.says("interval"), 1ms);
        world.block(2ms);
    }),
              (Lines{"another"}));
    EXPECT_EQ(world.jobs.timer_count(), 0u);
}

TEST(Js2ilOrder, a_timer_can_be_refreshed_while_it_waits_and_while_it_runs) {
    Js2ilWorld world;
    std::vector<std::int64_t> runs;
    JobId id = 0;
    world.run([&] {
        id = world.jobs.set_timeout(
            [&] {
                runs.push_back(world.passed_ms());
                if (runs.size() == 3) return;
                EXPECT_TRUE(world.jobs.refresh(id));
            },
            10ms);
        world.block(4ms);
        EXPECT_TRUE(world.jobs.refresh(id));
    });
    EXPECT_EQ(runs, (std::vector<std::int64_t>{14, 24, 34}));
    EXPECT_EQ(world.jobs.timer_count(), 0u);
}

TEST(Js2ilOrder, an_interval_of_0_fires_once) {
    // clause: J03
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
        world.jobs.set_timeout(
            [&] {
                EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 50ms);
                world.jobs.set_timeout([] {}, 20ms);
                EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 20ms);
                world.jobs.queue_microtask([] {});
                EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 0ms);
            },
            10ms);
        world.jobs.set_timeout([] {}, 10s);
    });
    EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 50ms);
}

}  // namespace
}  // namespace gyre::job
