// SPDX-License-Identifier: Apache-2.0
// The pump on a loop: what keeps it alive, how it waits and wakes, slices and starvation.
#include "gyre/job/pump.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <set>
#include <thread>

#include "gyre/base/log.hpp"
#include "gyre/job/job_world.test.hpp"
#include "gyre/job/promise.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "tests/support/timed_platform.hpp"

namespace gyre::job {
namespace {

// On a real clock and a real platform, so that a pump really waits.
struct RealWorld {
    TestHost host;
    platform::SystemClock clock;
    std::unique_ptr<Platform> platform = platform::make_platform(clock).value();
    Scheduler jobs{clock, host};
    Pump pump{jobs};
    Loop loop{*platform, pump};

    RealWorld() = default;
    RealWorld(const RealWorld&) = delete;
    RealWorld& operator=(const RealWorld&) = delete;
    ~RealWorld() { loop.close(); }
};

TEST(Pump, a_post_from_another_thread_wakes_it_and_runs_on_its_thread) {
    // clause: J01, J11
    RealWorld world;
    std::thread other;
    std::thread::id ran_on;
    world.pump.start([&] {
        world.jobs.hold();
        other = std::thread([&] {
            world.jobs.post([&] {
                ran_on = std::this_thread::get_id();
                world.jobs.release();
            });
        });
    });
    EXPECT_EQ(run_to_exit(world.loop, world.pump), Loop::End::idle);
    other.join();
    EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(Pump, goes_on_with_a_chain_of_jobs_until_its_time_in_the_turn_is_over) {
    // clause: J08
    TestHost host;
    sim::VirtualClock clock;
    test::TimedPlatform platform{clock};
    Scheduler jobs(clock, host, {.slice = 100, .time_per_turn_max = 2ms});
    Pump pump{jobs};
    Loop loop{platform, pump, {.spin_max = Duration(0)}};
    std::function<void()> next = [&] {
        clock.advance(1us);
        jobs.queue_microtask([&next] { next(); });
    };
    pump.start([&] { next(); });
    loop.turn();
    for (int turn = 0; turn < 10; ++turn) {
        const Instant before = clock.peek();
        loop.turn();
        EXPECT_GE(clock.peek() - before, 2ms);
        EXPECT_LE(clock.peek() - before, 2ms + 200us);  // and two slices
    }
    next = [] {};
    static_cast<void>(loop.run());
    loop.close();
}

TEST(Pump, a_clear_from_another_thread_wakes_it_and_ends_a_wait_for_that_timer) {
    // clause: J02, J11
    RealWorld world;
    std::thread other;
    world.pump.start([&] {
        const JobId id = world.jobs.set_timeout([] { fail("a day has passed"); }, 24h);
        other = std::thread([&, id] { world.jobs.post_clear(id); });
    });
    EXPECT_EQ(run_to_exit(world.loop, world.pump), Loop::End::idle);
    other.join();
    EXPECT_EQ(world.host.lines, Lines{});
}

TEST(Pump, that_waits_is_woken_by_what_another_thread_posts_or_clears) {
    // clause: J11
    JobWorld posted;
    posted.run([&posted] { posted.jobs.hold(); });
    std::thread([&posted] { posted.jobs.post(posted.says("posted")); }).join();
    EXPECT_EQ(posted.host.lines, Lines{});
    static_cast<void>(posted.loop.run());
    EXPECT_EQ(posted.host.lines, (Lines{"posted"}));
    posted.jobs.release();

    JobWorld cleared;
    JobId id = 0;
    cleared.pump.start([&] { id = cleared.jobs.set_timeout(cleared.says("a day later"), 24h); });
    cleared.loop.turn();
    cleared.loop.turn(cleared.clock.peek());
    std::thread([&] { cleared.jobs.post_clear(id); }).join();
    EXPECT_EQ(cleared.loop.run(), Loop::End::idle);
    EXPECT_EQ(cleared.host.lines, Lines{});
    EXPECT_EQ(cleared.passed_ms(), 0);
}

TEST(Pump, posts_of_many_threads_all_run_once_and_each_threads_in_order) {
    // clause: J01
    RealWorld world;
    constexpr int thread_count = 4;
    constexpr int post_count = 2'000;
    std::vector<int> seen(thread_count, 0);
    std::vector<std::thread> threads;
    world.pump.start([&] {
        for (int t = 0; t < thread_count; ++t) {
            world.jobs.hold();
            threads.emplace_back([&, t] {
                for (int i = 0; i < post_count; ++i) {
                    world.jobs.post([&, t, i] {
                        EXPECT_EQ(seen[static_cast<std::size_t>(t)]++, i);
                        if (i + 1 == post_count) world.jobs.release();
                    });
                }
            });
        }
    });
    EXPECT_EQ(run_to_exit(world.loop, world.pump), Loop::End::idle);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(seen, std::vector<int>(thread_count, post_count));
}

TEST(Pump, what_is_posted_before_the_start_waits_for_it_and_after_the_close_for_ever) {
    // clause: J01
    JobWorld world;
    world.jobs.post(world.says("early"));
    EXPECT_EQ(world.run([&world] { world.log("main"); }), (Lines{"main", "early"}));
    world.loop.close();
    world.jobs.post(world.says("late"));
    world.jobs.wake();
    EXPECT_EQ(world.host.lines, (Lines{"main", "early"}));
}

TEST(Pump, a_wake_gives_an_iteration_which_ends_in_a_checkpoint) {
    // clause: J17
    JobWorld world;
    world.run([&world] {
        world.jobs.set_ref(world.jobs.set_immediate(world.says("without a reference")), false);
        world.jobs.hold();
    });
    // The loop is stuck on the hold: nothing but the wake can let it go on.
    EXPECT_EQ(world.host.lines, Lines{});
    world.jobs.wake();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(world.host.lines, (Lines{"without a reference"}));
    world.jobs.release();
}

TEST(Pump, a_microtask_queued_outside_of_any_job_runs_in_an_iteration_without_callbacks) {
    // clause: J17
    JobWorld world;
    world.pump.start();
    EXPECT_EQ(world.loop.run(), Loop::End::idle);
    world.jobs.queue_microtask(world.says("micro"));
    world.jobs.next_tick(world.says("tick"));
    EXPECT_EQ(world.loop.run(), Loop::End::idle);
    EXPECT_EQ(world.host.lines, (Lines{"tick", "micro"}));
}

class StartsOnlyBetweenJobs : public testing::TestWithParam<Profile> {};

TEST_P(StartsOnlyBetweenJobs, a_job_starts_only_when_the_one_before_has_returned) {
    // clause: J18
    JobWorld world({.profile = GetParam()});
    int depth = 0;
    int deepest = 0;
    int count = 0;
    std::function<void(int)> job = [&](int left) {
        ++count;
        deepest = std::max(deepest, ++depth);
        if (left > 0) {
            world.jobs.next_tick([&job, left] { job(left - 1); });
            world.jobs.queue_microtask([&job, left] { job(left - 1); });
            world.jobs.set_immediate([&job, left] { job(left - 1); });
            world.jobs.set_timeout([&job, left] { job(left - 1); }, 0ms);
            world.jobs.queue_callback([&job, left] { job(left - 1); });
            world.jobs.queue_close([&job, left] { job(left - 1); });
            Promise::resolve(world.jobs).then([&job, left](const Value&) {
                job(left - 1);
                return Value();
            });
        }
        --depth;
    };
    world.run([&job] { job(3); });
    EXPECT_EQ(deepest, 1);
    EXPECT_EQ(count, 1 + 7 + 49 + 343);
}
INSTANTIATE_TEST_SUITE_P(profiles, StartsOnlyBetweenJobs,
                         testing::Values(Profile::node, Profile::js2il));

TEST(Pump, a_job_that_turns_its_own_loop_is_refused) {
    // clause: J18
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            JobWorld world;
            world.run([&world] {
                world.jobs.wake();
                world.loop.turn();
            });
        },
        "a job turned the loop");
}

TEST(Pump, an_endless_chain_of_microtasks_lets_others_in_at_the_starvation_limit) {
    // clause: J08, J09
    JobWorld world({.starvation_limit = 10'000});
    std::uint64_t microtasks = 0;
    std::function<void()> chain = [&] {
        ++microtasks;
        if (world.host.lines.size() < 3) world.jobs.queue_microtask(chain);
    };
    world.run([&] {
        world.jobs.set_timeout(
            [&] {
                EXPECT_EQ(microtasks % 10'000, 0u);
                world.log("timer");
            },
            1ms);
        world.jobs.set_immediate([&] { world.log("immediate"); });
        world.jobs.queue_callback([&] { world.log("host callback"); });
        world.block(5ms);
        world.jobs.queue_microtask(chain);
    });
    EXPECT_EQ(world.host.lines, (Lines{"timer", "host callback", "immediate"}));
    EXPECT_GE(world.pump.counts().starvations, 3u);
    EXPECT_GT(microtasks, 25'000u);
}

TEST(Pump, an_endless_chain_of_microtasks_at_the_exit_ends_at_the_starvation_limit) {
    JobWorld world({.starvation_limit = 100});
    int microtasks = 0;
    std::function<void()> chain = [&] {
        ++microtasks;
        ASSERT_LE(microtasks, 100);
        world.jobs.queue_microtask(chain);
    };
    world.host.when_exiting = [&] { world.jobs.queue_microtask(chain); };
    world.run([] {});
    EXPECT_EQ(microtasks, 100);
}

TEST(Pump, ticks_that_starve_others_go_on_as_ticks) {
    // clause: J09
    JobWorld world({.starvation_limit = 100});
    int ticks = 0;
    std::function<void()> chain = [&] {
        if (++ticks < 250) world.jobs.next_tick(chain);
    };
    world.run([&] {
        world.jobs.next_tick(chain);
        world.jobs.queue_microtask(
            [&] { world.log("micro after " + std::to_string(ticks) + " ticks"); });
        world.jobs.set_immediate(
            [&] { world.log("immediate after " + std::to_string(ticks) + " ticks"); });
    });
    ASSERT_EQ(world.host.lines.size(), 2u);
    EXPECT_EQ(world.host.lines[1], "micro after 250 ticks");
}

// A machine without script: it may run at the end of each slice.
class Bystander : public Machine {
public:
    Bystander() : Machine("bystander") {}
    int ticks = 0;
    using Machine::tick_again;

private:
    void tick(Instant /*now*/) override {
        if (++ticks < 1'000) tick_again();
    }
};

class Parent : public Machine {
public:
    Parent() : Machine("parent") {}

private:
    void tick(Instant /*now*/) override {}
};

TEST(Pump, lets_everything_that_runs_no_script_go_on_between_two_slices_of_a_checkpoint) {
    // clause: J08, J09
    TestHost host;
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Scheduler jobs(clock, host, {.slice = 16});
    Parent app;
    Pump pump(jobs);
    Bystander bystander;
    app.add_child(pump);
    app.add_child(bystander);
    Loop loop(platform, app);
    int left = 160;
    int seen_in_checkpoint = 0;
    std::function<void()> chain = [&] {
        if (--left > 0) return jobs.queue_microtask(chain);
        seen_in_checkpoint = bystander.ticks;
    };
    pump.start([&] {
        bystander.tick_again();
        jobs.queue_microtask(chain);
        jobs.set_immediate([&] { EXPECT_EQ(left, 0); });
    });
    EXPECT_EQ(run_to_exit(loop, pump), Loop::End::idle);
    EXPECT_GE(seen_in_checkpoint, 8);
    loop.close();
}

TEST(Pump, runs_as_a_child_and_ends_with_its_last_job) {
    TestHost host;
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Scheduler jobs(clock, host);
    Parent app;
    Pump pump(jobs);
    app.add_child(pump);
    Loop loop(platform, app);
    pump.start([&] { jobs.set_timeout([&] { host.lines.emplace_back("timer"); }, 1h); });
    EXPECT_EQ(run_to_exit(loop, pump), Loop::End::idle);
    EXPECT_EQ(host.lines, (Lines{"timer"}));
    loop.close();
}

TEST(Pump, only_what_has_a_reference_keeps_the_loop_alive) {
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        const auto unref = [&world](JobId id) { world.jobs.set_ref(id, false); };
        unref(world.jobs.set_timeout(world.says("before the end"), 1ms));
        unref(world.jobs.set_timeout(world.says("after the end"), 3ms));
        unref(world.jobs.set_interval(world.says("interval"), 1ms));
        const JobId id = world.jobs.set_timeout(world.says("end"), 2ms);
        unref(id);
        EXPECT_FALSE(world.jobs.has_ref(id));
        world.jobs.set_ref(id, true);
    }),
              (Lines{"before the end", "interval", "end", "interval"}));
}

TEST(Pump, an_immediate_without_a_reference_never_runs_alone) {
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        world.jobs.set_ref(world.jobs.set_immediate(world.says("immediate")), false);
    }),
              Lines{});
    JobWorld with_timer;
    EXPECT_EQ(with_timer.run([&world = with_timer] {
        world.jobs.set_ref(world.jobs.set_immediate(world.says("immediate")), false);
        world.jobs.set_timeout(world.says("timer"), 1ms);
    }),
              (Lines{"immediate", "timer"}));
}

TEST(Pump, a_timer_that_was_cleared_when_it_was_due_enters_no_iteration) {
    // clause: J13
    // Without a reference nothing runs, as in Node, although a timer phase is due and another machine
    // has something to do: only ops in flight are life.
    TestHost host;
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Scheduler jobs(clock, host);
    Parent app;
    Pump pump(jobs);
    Bystander bystander;
    app.add_child(pump);
    app.add_child(bystander);
    Loop loop(platform, app);
    pump.start([&] {
        bystander.tick_again();
        jobs.set_ref(jobs.set_immediate([&] { host.lines.emplace_back("immediate"); }), false);
        jobs.set_ref(jobs.set_timeout([&] { host.lines.emplace_back("timer"); }, 1ms), false);
        jobs.clear_timeout(jobs.set_timeout([] {}, 5ms));
        clock.advance(10ms);
    });
    EXPECT_EQ(run_to_exit(loop, pump), Loop::End::idle);
    EXPECT_EQ(host.lines, Lines{});
    loop.close();
}

TEST(Pump, a_tick_for_another_reason_is_no_iteration) {
    JobWorld world;
    std::int64_t ran_at = 0;
    world.run([&] {
        world.jobs.set_timeout([] {}, 10ms);
        world.jobs.set_immediate([&] {
            world.jobs.set_ref(world.jobs.set_immediate([&] { ran_at = world.passed_ms(); }),
                               false);
            world.jobs.set_timeout([] {}, 5ms);  // Its op takes the place of another one.
        });
    });
    EXPECT_EQ(ran_at, 5);
}

TEST(Pump, waits_until_the_next_timer_without_looking_in_between) {
    // clause: J12
    JobWorld world;
    std::uint64_t turns = 0;
    world.run([&] {
        world.jobs.set_timeout([&] { turns = world.loop.turn_count() - turns; }, 24h);
        turns = world.loop.turn_count();
    });
    EXPECT_EQ(world.passed_ms(), 24 * 60 * 60 * 1000);
    EXPECT_LE(turns, 4u);
}

TEST(Pump, an_earlier_timer_shortens_a_wait_that_was_set_up) {
    // clause: J12
    JobWorld world;
    std::vector<std::int64_t> due;
    world.pump.start(
        [&] { world.jobs.set_timeout([&] { due.push_back(world.passed_ms()); }, 1h); });
    world.loop.turn();
    world.loop.turn(world.clock.peek());
    world.jobs.set_timeout([&] { due.push_back(world.passed_ms()); }, 5ms);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(due, (std::vector<std::int64_t>{5, 60 * 60 * 1000}));
}

TEST(Pump, says_how_long_a_host_may_wait) {
    // clause: J12
    JobWorld world;
    world.pump.start();
    static_cast<void>(world.loop.run());
    const Instant now = world.clock.peek();
    EXPECT_EQ(world.pump.wait_time(now), Duration::max());
    world.jobs.set_timeout([] {}, 200ms);
    EXPECT_EQ(world.pump.wait_time(now), 200ms);
    EXPECT_EQ(world.pump.wait_time(now + 1s), 0ms);
    world.jobs.queue_microtask([] {});
    EXPECT_EQ(world.pump.wait_time(now), 0ms);
}

TEST(Pump, does_not_let_a_host_wait_while_a_job_of_any_kind_can_run) {
    // clause: J12
    JobWorld world;
    world.pump.start();
    const auto expect_no_wait = [&world](const char* kind) {
        EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 0ms) << kind;
        static_cast<void>(world.loop.run());
        EXPECT_EQ(world.pump.wait_time(world.clock.peek()), Duration::max()) << kind;
    };
    static_cast<void>(world.loop.run());
    world.jobs.next_tick([] {});
    expect_no_wait("tick");
    world.jobs.queue_microtask([] {});
    expect_no_wait("microtask");
    world.jobs.set_immediate([] {});
    expect_no_wait("immediate");
    world.jobs.queue_callback([] {});
    expect_no_wait("callback of the host");
    world.jobs.queue_close([] {});
    expect_no_wait("end of a close");
    static_cast<void>(Promise::reject(world.jobs, std::string("gone")));
    expect_no_wait("rejection");
    // An unreferenced job runs only while others keep the loop alive.
    world.jobs.set_ref(world.jobs.set_immediate([] {}), false);
    EXPECT_EQ(world.pump.wait_time(world.clock.peek()), Duration::max());
}

}  // namespace
}  // namespace gyre::job
