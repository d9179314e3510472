// SPDX-License-Identifier: Apache-2.0
// The pump on a loop: what keeps it alive, how it waits and wakes, slices and starvation, contexts,
// an engine's own queue, errors and the end of a program.
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
    // What has no reference waits for others to let it run.
    world.jobs.set_ref(world.jobs.set_immediate([] {}), false);
    EXPECT_EQ(world.pump.wait_time(world.clock.peek()), Duration::max());
}

TEST(Pump, a_job_runs_in_the_context_it_was_queued_in) {
    // clause: J10
    JobWorld world;
    int red = 0;
    int blue = 0;
    std::multiset<std::pair<std::string, Context>> seen;
    const auto note = [&](const char* kind) {
        return [&, kind] { seen.emplace(kind, world.jobs.context()); };
    };
    const auto queue_all = [&] {
        world.jobs.next_tick(note("tick"));
        world.jobs.queue_microtask(note("micro"));
        world.jobs.set_immediate(note("immediate"));
        world.jobs.set_timeout(note("timer"), 1ms);
        world.jobs.queue_callback(note("callback"));
        world.jobs.queue_close(note("close"));
    };
    world.run([&] {
        world.jobs.set_context(&red);
        queue_all();
        world.jobs.set_context(&blue);
        queue_all();
    });
    EXPECT_EQ(seen.size(), 12u);
    for (const char* kind : {"tick", "micro", "immediate", "timer", "callback", "close"}) {
        EXPECT_EQ(seen.count({kind, &red}), 1u) << kind;
        EXPECT_EQ(seen.count({kind, &blue}), 1u) << kind;
    }
}

TEST(Pump, a_reaction_runs_in_the_context_in_which_then_was_called) {
    // clause: J10
    JobWorld world;
    int then_context = 0;
    int settle_context = 0;
    Context seen = nullptr;
    world.run([&] {
        auto [promise, resolvers] = Promise::with_resolvers(world.jobs);
        world.jobs.set_context(&then_context);
        promise.then([&](const Value&) {
            seen = world.jobs.context();
            return Value();
        });
        world.jobs.set_context(&settle_context);
        resolvers.resolve();
    });
    EXPECT_EQ(seen, &then_context);
}

// Each context is an allocation of its own, freed by drop.
class CountingHooks : public JobCallbackHooks {
public:
    Context make(Context /*current*/) override {
        ++made;
        return new int(7);
    }
    void call(Callback<>& callback, Context context) override {
        EXPECT_EQ(*static_cast<int*>(context), 7);
        ++called;
        callback();
    }
    void drop(Context context) noexcept override {
        ++dropped;
        delete static_cast<int*>(context);
    }
    int made = 0;
    int called = 0;
    int dropped = 0;
};

TEST(Pump, the_hooks_of_the_host_make_and_call_each_job_and_drop_each_context_once) {
    // clause: J10
    for (const Profile profile : {Profile::node, Profile::js2il}) {
        CountingHooks hooks;
        {
            JobWorld world({.profile = profile, .hooks = &hooks});
            JobId interval = 0;
            int runs = 0;
            world.run([&] {
                world.jobs.next_tick([] {});
                world.jobs.queue_microtask([] { fail("thrown"); });
                world.jobs.set_immediate([] {});
                world.jobs.clear_immediate(world.jobs.set_immediate([] {}));
                world.jobs.set_timeout([] {}, 1ms);
                world.jobs.queue_callback([] {});
                world.jobs.set_ref(world.jobs.set_timeout([] {}, 1h), false);
                interval = world.jobs.set_interval(
                    [&] {
                        if (++runs == 3) world.jobs.clear_interval(interval);
                    },
                    1ms);
                auto [pending, resolvers] = Promise::with_resolvers(world.jobs);
                pending.then([](const Value&) { return Value(); });
                Promise::resolve(world.jobs).then([](const Value&) { return Value(); });
            });
            world.jobs.queue_microtask([] {});
        }
        EXPECT_GE(hooks.made, 10);
        EXPECT_GE(hooks.called, 9);
        EXPECT_EQ(hooks.made, hooks.dropped);
    }
}

// Says whether a job runs inside of `call`, with a context that `make` gave.
class MarkingHooks : public JobCallbackHooks {
public:
    Context make(Context /*current*/) override { return &made.emplace_back(0); }
    void call(Callback<>& callback, Context context) override {
        ++*static_cast<int*>(context);
        is_inside = true;
        callback();
        is_inside = false;
    }
    std::deque<int> made;  // how often each was called with
    bool is_inside = false;
};

TEST(Pump, every_kind_of_job_is_called_by_the_hook_with_a_context_of_its_own) {
    // clause: J10
    for (const Profile profile : {Profile::node, Profile::js2il}) {
        MarkingHooks hooks;
        JobWorld world({.profile = profile, .hooks = &hooks});
        std::set<std::string> seen;
        const auto note = [&](const char* kind) {
            return [&, kind] {
                EXPECT_TRUE(hooks.is_inside) << kind;
                seen.insert(kind);
            };
        };
        world.run([&] {
            note("main")();
            world.jobs.next_tick(note("tick"));
            world.jobs.queue_microtask(note("micro"));
            world.jobs.set_immediate(note("immediate"));
            world.jobs.set_timeout(note("timer"), 1ms);
            const JobId interval = world.jobs.set_interval(note("interval"), 1ms);
            world.jobs.set_timeout([&, interval] { world.jobs.clear_interval(interval); }, 1ms);
            world.jobs.queue_callback(note("callback"));
            world.jobs.queue_close(note("close"));
            Promise::resolve(world.jobs).then([&](const Value&) {
                note("reaction")();
                return Value();
            });
            world.jobs.post(note("post"));
        });
        EXPECT_EQ(seen.size(), 10u);
        for (const int calls : hooks.made) EXPECT_EQ(calls, 1);
    }
}

// An engine that keeps its promise jobs itself.
class Engine : public JobSource {
public:
    std::size_t pending() const noexcept override { return jobs.size(); }
    void run_one() override {
        Callback<> job = std::move(jobs.front());
        jobs.pop_front();
        job();
    }
    std::deque<Callback<>> jobs;
};

TEST(Pump, an_engine_that_keeps_its_own_microtasks_fits_in_the_same_order) {
    // clause: J06, J15
    Engine engine;
    JobWorld world({.microtasks = &engine, .slice = 4});
    EXPECT_EQ(world.run([&] {
        world.jobs.set_immediate(world.says("immediate"));
        for (int i = 0; i < 6; ++i) {
            engine.jobs.emplace_back([&world, i] {
                world.log("micro " + std::to_string(i));
                if (i == 1) world.jobs.next_tick(world.says("tick of a microtask"));
                if (i == 2) fail("in the engine");
            });
        }
        world.jobs.next_tick(world.says("tick"));
    }),
              (Lines{"tick", "micro 0", "micro 1", "micro 2", "error in the engine", "micro 3",
                     "micro 4", "micro 5", "tick of a microtask", "immediate"}));
}

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
