// SPDX-License-Identifier: Apache-2.0
// The pump: the contexts of jobs, the hooks of the host, and an engine's own queue of microtasks.
#include "gyre/job/pump.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "gyre/base/log.hpp"
#include "gyre/job/job_world.test.hpp"
#include "gyre/job/promise.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::job {
namespace {

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
        return ran;
    }
    void queue(Callback<> job) override { jobs.push_back(std::move(job)); }
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

}  // namespace
}  // namespace gyre::job
