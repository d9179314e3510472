// SPDX-License-Identifier: Apache-2.0
// Jobs as an engine needs them: its own queues, promises settled outside of a job, stop, and jobs
// from other threads.
#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "gyre/job/job_world.test.hpp"
#include "gyre/job/pump.hpp"

namespace gyre::job {
namespace {

// A queue of an engine. `calls` has the number of jobs of each call of run_some.
class EngineQueue : public JobSource {
public:
    std::size_t pending() const noexcept override { return jobs.size(); }
    JobsRun run_some(std::size_t max) noexcept override {
        JobsRun ran;
        while (ran.count < max && ran.error == nullptr && !jobs.empty()) {
            Callback<> job = std::move(jobs.front());
            jobs.pop_front();
            ++ran.count;
            try {
                job();
            } catch (...) {
                ran.error = std::current_exception();
            }
        }
        calls.push_back(ran.count);
        return ran;
    }
    void queue(Callback<> job) override { jobs.push_back(std::move(job)); }

    std::deque<Callback<>> jobs;
    std::vector<std::size_t> calls;
};

TEST(Engine, a_tick_in_profile_js2il_joins_the_engines_microtasks) {
    // clause: J06, J13
    EngineQueue microtasks;
    JobWorld world({.profile = Profile::js2il, .microtasks = &microtasks});
    EXPECT_EQ(world.run([&] {
        microtasks.queue(world.says("micro 1"));
        world.jobs.next_tick(world.says("tick"));
        microtasks.queue(world.says("micro 2"));
    }),
              (Lines{"micro 1", "tick", "micro 2"}));
}

TEST(Engine, keeps_the_ticks_and_runs_many_jobs_a_call_within_the_slice) {
    // clause: J06, J08
    EngineQueue ticks;
    EngineQueue microtasks;
    JobWorld world({.microtasks = &microtasks, .ticks = &ticks, .slice = 100});
    int ran = 0;
    world.run([&] {
        for (int i = 0; i < 250; ++i) ticks.queue([&ran] { ++ran; });
        for (int i = 0; i < 10; ++i) microtasks.queue([&ran] { ++ran; });
        world.jobs.next_tick([&ran] { ++ran; });
    });
    EXPECT_EQ(ran, 261);
    // The main script is the first job of its slice.
    EXPECT_EQ(ticks.calls, (std::vector<std::size_t>{99, 100, 52}));
    EXPECT_EQ(microtasks.calls, (std::vector<std::size_t>{10}));
}

TEST(Engine, a_throwing_tick_of_the_engine_ends_the_checkpoint) {
    // clause: J07
    EngineQueue ticks;
    JobWorld world({.ticks = &ticks});
    EXPECT_EQ(world.run([&] {
        world.jobs.set_timeout(
            [&] {
                world.log("timer 1");
                ticks.queue([] { fail("in a tick"); });
                ticks.queue(world.says("tick"));
            },
            1ms);
        world.jobs.set_timeout(world.says("timer 2"), 1ms);
    }),
              (Lines{"timer 1", "error in a tick", "timer 2", "tick"}));
}

TEST(Engine, an_error_that_it_reports_itself_stops_the_pump_at_once) {
    // clause: J15
    EngineQueue microtasks;
    JobWorld world({.microtasks = &microtasks});
    world.host.after_error = AfterError::stop;
    EXPECT_EQ(world.run([&] {
        world.jobs.set_immediate(world.says("immediate"));
        world.jobs.set_immediate([&] {
            EXPECT_EQ(world.jobs.report_error(
                          std::make_exception_ptr(std::runtime_error("caught by the engine"))),
                      AfterError::stop);
        });
        world.jobs.set_immediate(world.says("never"));
    }),
              (Lines{"immediate", "error caught by the engine"}));
}

TEST(Engine, no_microtask_runs_after_a_fatal_error) {
    // clause: J15
    for (const Profile profile : {Profile::node, Profile::js2il}) {
        JobWorld world({.profile = profile});
        world.host.after_error = AfterError::stop;
        world.host.when_exiting = [&] {
            world.log("exit");
            world.jobs.queue_microtask(world.says("a microtask of the exit"));
        };
        EXPECT_EQ(world.run([&] {
            world.jobs.queue_microtask(world.says("a microtask of the script"));
            fail("fatal");
        }),
                  (Lines{"error fatal", "exit"}));
    }
}

TEST(Engine, a_rejection_hook_that_throws_ends_the_checkpoint_and_drops_the_other_rejections) {
    // clause: J16
    JobWorld world;
    world.host.when_rejected = [&] {
        world.jobs.next_tick(world.says("tick of the hook"));
        fail("in the hook");
    };
    EXPECT_EQ(
        world.run([&] {
            world.jobs.set_timeout(
                [&] {
                    world.log("timer 1");
                    world.jobs.track_rejected(1, std::string("one"));
                    world.jobs.track_rejected(2, std::string("two"));
                },
                1ms);
            world.jobs.set_timeout(world.says("timer 2"), 1ms);
        }),
        (Lines{"timer 1", "unhandled one", "error in the hook", "timer 2", "tick of the hook"}));
}

TEST(Engine, a_reported_promise_is_forgotten_and_may_still_get_a_handler) {
    // clause: J16
    JobWorld world;
    EXPECT_EQ(world.run([&] {
        world.jobs.track_rejected(1, std::string("one"));
        world.jobs.track_rejected(2, std::string("two"));
        world.jobs.track_handled(2);
        world.jobs.set_timeout([&] { world.jobs.track_handled(1); }, 1ms);
    }),
              (Lines{"unhandled one", "rejection handled"}));
}

TEST(Engine, an_iteration_is_decided_before_the_first_timers) {
    // clause: J13
    JobWorld world;
    EXPECT_EQ(world.run([&] {
        world.jobs.set_timeout(world.says("timer"), 1ms);
        world.jobs.set_ref(world.jobs.set_immediate(world.says("immediate without a ref")), false);
        world.block(5ms);
    }),
              (Lines{"timer", "immediate without a ref"}));
}

TEST(Engine, a_promise_settled_outside_a_job_is_followed_by_a_checkpoint_alone) {
    // clause: J20
    for (const Profile profile : {Profile::node, Profile::js2il}) {
        EngineQueue microtasks;
        JobWorld world({.profile = profile, .microtasks = &microtasks, .slice = 4});
        world.pump.start([&] {
            world.jobs.hold();
            world.jobs.set_ref(world.jobs.set_timeout(world.says("timer"), 2ms), false);
        });
        while (world.loop.has_ready_work()) world.loop.turn();
        world.jobs.set_ref(world.jobs.set_immediate(world.says("not yet")), false);

        for (int i = 0; i < 6; ++i) microtasks.queue(world.says("micro"));
        world.jobs.request_checkpoint();
        while (world.loop.has_ready_work()) world.loop.turn();
        const Lines expected(profile == Profile::node ? 6 : 4, "micro");
        Lines first(world.host.lines.begin(),
                    world.host.lines.begin() + static_cast<std::ptrdiff_t>(expected.size()));
        EXPECT_EQ(first, expected);
        EXPECT_EQ(world.host.lines.size() > 6, profile == Profile::js2il);
    }
}

TEST(Engine, stop_ends_the_pump_at_the_running_job_without_an_exit) {
    // clause: J15
    JobWorld world;
    world.host.when_exiting = [&] { world.log("exit"); };
    EXPECT_EQ(world.run([&] {
        world.jobs.set_immediate(world.says("immediate"));
        world.jobs.set_immediate([&] {
            world.jobs.next_tick(world.says("tick"));
            world.pump.stop();
        });
        world.jobs.set_immediate(world.says("never"));
    }),
              (Lines{"immediate"}));
    EXPECT_TRUE(world.pump.is_stopped());
}

TEST(Engine, stop_from_another_thread_ends_an_endless_chain) {
    // clause: J08, J11
    JobWorld world({.slice = 16});
    int ran = 0;
    std::thread other;
    std::function<void()> again = [&] {
        if (++ran == 100) other = std::thread([&] { world.pump.stop(); });
        world.jobs.queue_microtask([&] { again(); });
    };
    world.run([&] { again(); });
    other.join();
    EXPECT_TRUE(world.pump.is_stopped());
    EXPECT_GE(ran, 100);
}

TEST(Engine, posts_of_other_threads_make_the_wait_time_0) {
    // clause: J12
    JobWorld world;
    world.pump.start();
    while (world.loop.has_ready_work()) world.loop.turn();
    world.jobs.set_timeout([] {}, 10ms);
    while (world.loop.has_ready_work()) world.loop.turn();
    EXPECT_GT(world.pump.wait_time(world.clock.peek()), 0ms);
    std::thread([&] { world.jobs.post([] {}); }).join();
    EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 0ms);
    world.loop.turn();
    EXPECT_GT(world.pump.wait_time(world.clock.peek()), 0ms);
    std::thread([&] { world.jobs.wake(); }).join();
    EXPECT_EQ(world.pump.wait_time(world.clock.peek()), 0ms);
}

TEST(Engine, another_thread_sets_timers_immediates_and_microtasks_and_clears_them) {
    // clause: J01, J11, J19
    for (const Profile profile : {Profile::node, Profile::js2il}) {
        JobWorld world({.profile = profile});
        Lines& lines = world.run([&] {
            std::thread([&] {
                Scheduler& jobs = world.jobs;
                const JobId ids[] = {jobs.post_timeout(world.says("no timer"), 1ms),
                                     jobs.post_interval(world.says("no interval"), 1ms),
                                     jobs.post_immediate(world.says("no immediate")),
                                     jobs.post_microtask(world.says("no microtask"))};
                jobs.post_timeout(world.says("timer"), 2ms);
                const JobId interval = jobs.post_interval(world.says("interval"), 1ms);
                jobs.post_timeout([&, interval] { world.jobs.clear_interval(interval); }, 2ms);
                jobs.post_immediate(world.says("immediate"));
                jobs.post_microtask(world.says("microtask"));
                for (const JobId id : ids) {
                    EXPECT_GE(id, JobId{1} << 52u);
                    EXPECT_LT(id, JobId{1} << 53u);
                    EXPECT_TRUE(jobs.post_clear(id));
                }
            }).join();
        });
        EXPECT_EQ(lines.at(0), "microtask");
        EXPECT_EQ(lines.at(1), "immediate");
        EXPECT_EQ(lines.at(2), "interval");
        EXPECT_EQ(std::count(lines.begin(), lines.end(), "timer"), 1);
        for (const std::string& line : lines) EXPECT_FALSE(line.starts_with("no ")) << line;
    }
}

TEST(Engine, posts_and_pending_jobs_are_bounded_and_the_limit_is_a_result) {
    // clause: J19
    JobWorld world({.job_count_max = 256, .post_count_max = 2});
    EXPECT_TRUE(world.jobs.post([] {}));
    EXPECT_NE(world.jobs.post_immediate(world.says("posted")), 0u);
    EXPECT_FALSE(world.jobs.post([] {}));
    EXPECT_EQ(world.jobs.post_timeout([] {}, 1ms), 0u);
    EXPECT_FALSE(world.jobs.post_clear(1));
    int refused = 0;
    int timers = 0;
    world.run([&] {
        for (int i = 0; i < 300; ++i) {
            const JobId id = world.jobs.set_timeout([&timers] { ++timers; }, 5ms);
            if (id == 0) ++refused;
        }
        EXPECT_EQ(world.jobs.set_immediate([] {}), 0u);
        for (int i = 0; i < 2; ++i) world.jobs.post_immediate(world.says("posted"));
    });
    EXPECT_GE(refused, 44);
    EXPECT_EQ(timers + refused, 300);
    // The slot of the first one is free again for one of the other two.
    EXPECT_EQ(std::count(world.host.lines.begin(), world.host.lines.end(), "posted"), 2);
    EXPECT_EQ(std::count_if(world.host.lines.begin(), world.host.lines.end(),
                            [](const std::string& line) {
                                return line.starts_with(
                                    "error start a posted job: more than job_count_max");
                            }),
              1);
}

}  // namespace
}  // namespace gyre::job
