// SPDX-License-Identifier: Apache-2.0
// The pump: errors, and the end of a program.
#include "gyre/job/pump.hpp"

#include <gtest/gtest.h>

#include <set>

#include "gyre/base/log.hpp"
#include "gyre/job/job_world.test.hpp"
#include "gyre/job/promise.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::job {
namespace {

TEST(Pump, stops_after_an_error_when_the_host_says_so) {
    // clause: J15
    for (const Profile profile : {Profile::node, Profile::js2il}) {
        JobWorld world({.profile = profile});
        world.host.after_error = AfterError::stop;
        world.host.when_exiting = [&world] { world.log("exit"); };
        EXPECT_EQ(world.run([&world] {
            world.jobs.set_timeout([] { fail("in a timer"); }, 1ms);
            world.jobs.set_timeout(world.says("timer"), 1ms);
            world.jobs.set_interval(world.says("interval"), 1ms);
            world.jobs.set_immediate(world.says("immediate"));
        }),
                  (Lines{"immediate", "error in a timer", "exit"}));
        EXPECT_TRUE(world.pump.is_stopped());
    }
}

// The script queues an immediate and fails: that stops the pump before the immediate.
template <class Fails>
void expect_stopped_by(Host& host, Fails fails) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Scheduler jobs(clock, host);
    Pump pump(jobs);
    Loop loop(platform, pump);
    bool has_run = false;
    pump.start([&] {
        jobs.set_immediate([&has_run] { has_run = true; });
        fails(jobs);
    });
    EXPECT_EQ(run_to_exit(loop, pump), Loop::End::idle);
    EXPECT_TRUE(pump.is_stopped());
    EXPECT_FALSE(has_run);
    loop.close();
}

TEST(Pump, stops_where_the_error_hook_fails_itself) {
    // clause: J15
    struct Failing : Host {
        AfterError on_error(std::exception_ptr error) override { std::rethrow_exception(error); }
    };
    set_log_sink([](LogLevel, std::string_view) {});
    Failing host;
    expect_stopped_by(host, [](Scheduler&) { fail("nobody takes this"); });
    set_log_sink(nullptr);
}

TEST(Pump, the_host_that_does_not_say_stops_at_the_first_error_or_rejection) {
    // clause: J15, J16
    Host host;
    expect_stopped_by(host, [](Scheduler&) { fail("nobody expects this"); });
    expect_stopped_by(host, [](Scheduler& jobs) { static_cast<void>(Promise::reject(jobs, 1)); });
}

TEST(Pump, before_exit_comes_each_time_the_loop_is_dry_and_exit_once) {
    JobWorld world;
    int dry = 0;
    world.host.when_dry = [&] {
        world.log("before exit");
        world.jobs.queue_microtask(world.says("micro does not count"));
        world.jobs.set_ref(world.jobs.set_timeout(world.says("nor this timer"), 1h), false);
        ++dry;
        if (dry == 1) world.jobs.set_timeout(world.says("timer"), 1ms);
        if (dry == 2) {
            world.jobs.set_immediate(world.says("immediate"));
            world.jobs.set_timeout(world.says("due timer first"), 1ms);
            world.block(5ms);
        }
    };
    world.host.when_exiting = [&] {
        world.log("exit");
        world.jobs.set_timeout(world.says("no timer"), 1ms);
        world.jobs.set_immediate(world.says("no immediate"));
        world.jobs.next_tick(world.says("no tick"));
        world.jobs.queue_microtask(world.says("a microtask"));
    };
    EXPECT_EQ(world.run([&world] { world.log("main"); }),
              (Lines{"main", "before exit", "micro does not count", "timer", "before exit",
                     "micro does not count", "due timer first", "immediate", "before exit",
                     "micro does not count", "exit", "a microtask"}));
    EXPECT_EQ(world.passed_ms(), 6);
}

TEST(Pump, a_promise_that_is_rejected_on_exit_is_reported_after_the_microtasks) {
    // clause: J16
    JobWorld world;
    world.host.when_rejected = [&] { world.jobs.queue_microtask(world.says("of the report")); };
    world.host.when_exiting = [&] {
        world.log("exit");
        static_cast<void>(Promise::reject(world.jobs, std::string("late")));
        world.jobs.queue_microtask(world.says("micro"));
    };
    EXPECT_EQ(world.run([] {}), (Lines{"exit", "micro", "unhandled late", "of the report"}));
}

TEST(Pump, can_be_closed_with_everything_pending_and_in_the_middle_of_a_checkpoint) {
    JobWorld world({.slice = 2});
    world.pump.start([&world] {
        for (int i = 0; i < 10; ++i) world.jobs.queue_microtask(world.says("micro"));
        for (int i = 0; i < 10; ++i) world.jobs.set_immediate(world.says("immediate"));
        world.jobs.set_timeout(world.says("timer"), 1ms);
        world.jobs.set_interval(world.says("interval"), 1ms);
        world.jobs.next_tick(world.says("tick"));
        world.jobs.hold();
    });
    world.loop.turn();
    EXPECT_GT(world.pump.counts().slices, 0u);
    world.loop.close();
    EXPECT_LT(world.host.lines.size(), 10u);
}

}  // namespace
}  // namespace gyre::job
