// SPDX-License-Identifier: Apache-2.0
// The tick: the order of its parts, its budget, and fairness between runs.
#include "gyre/effect/scheduler.hpp"

#include <gtest/gtest.h>

#include "gyre/base/random.hpp"
#include "gyre/effect/coroutine_tasks.hpp"
#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

using script::give;
using script::perform;

TEST(Scheduler, moves_due_timers_before_completions_before_it_runs_what_is_ready) {
    // clause: V13
    EffectWorld world;
    Lines lines;
    std::vector<Reply> replies;
    world.handlers.on(Async::await, [&](Context&, Reply reply, int n) {
        lines.push_back("asked " + std::to_string(n));
        replies.push_back(std::move(reply));
    });
    world.handlers.on(Async::other, [&](int n) {
        lines.push_back("asked " + std::to_string(n));
        return resume(n).after(1ms);
    });
    world.handlers.on(Async::now, [&](int n) {
        lines.push_back("after " + std::to_string(n));
        return tail(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("reply", {perform(0, {1}), perform(2, {1})});
    guest.add("timer", {perform(1, {2}), perform(2, {2})});
    guest.add("ready", {perform(2, {3}), perform(2, {4})});
    auto reply = world.scheduler.start(guest, world.handlers, "reply");
    auto timer = world.scheduler.start(guest, world.handlers, "timer");
    world.loop.turn();
    // In one turn: a new run is ready, an answer comes, and the timer is due. The answer came
    // before the timer; what was ready already goes first.
    auto ready = world.scheduler.start(guest, world.handlers, "ready");
    replies.at(0).answer(resume(1));
    world.clock.advance(1ms);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(lines, (Lines{"asked 1", "asked 2", "after 3", "after 1", "after 2", "after 4"}));
}

TEST(Scheduler, leaves_a_run_only_between_steps_and_at_the_budget) {
    // clause: V07, V08
    EffectWorld world({.steps_per_tick_max = 4});
    std::vector<std::uint64_t> ticks;
    world.handlers.on(Async::await, [&](int n) {
        ticks.push_back(world.scheduler.counts().ticks);
        return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", std::vector<script::Action>(10, perform(0, {1})));
    EXPECT_TRUE(world.run(guest).has_value());
    EXPECT_EQ(ticks, (std::vector<std::uint64_t>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3}));
}

TEST(Scheduler, has_a_budget_of_1024_steps_unless_told_otherwise_and_never_none) {
    // clause: V08
    const auto ticks_of = [](std::size_t steps, SchedulerOptions options) {
        EffectWorld world(std::move(options));
        world.handlers.on(Async::await, [](int n) { return resume(n); });
        ScriptedGuest guest(async_ops());
        guest.add("main", std::vector<script::Action>(steps - 1, perform(0, {1})));
        EXPECT_TRUE(world.run(guest).has_value());
        return world.scheduler.counts().ticks;
    };
    EXPECT_EQ(ticks_of(1'024, {}), 1u);
    EXPECT_EQ(ticks_of(1'025, {}), 2u);
    EXPECT_EQ(ticks_of(2'048, {}), 2u);
    EXPECT_EQ(ticks_of(10, {.steps_per_tick_max = 5}), 2u);
    EXPECT_EQ(ticks_of(11, {.steps_per_tick_max = 5}), 3u);
    EXPECT_EQ(ticks_of(7, {.steps_per_tick_max = 0}), 7u);
}

TEST(Scheduler, lets_the_loop_go_round_between_two_ticks) {
    // clause: V08, V13
    EffectWorld world({.steps_per_tick_max = 2});
    Lines lines;
    world.handlers.on(Async::await, [&](int n) {
        lines.push_back(std::to_string(n));
        return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), perform(0, {2}), perform(0, {3}), perform(0, {4})});
    auto run = world.scheduler.start(guest, world.handlers, "main");
    auto task = world.executor.root().spawn([&]() -> Future<void> {
        for (int i = 0; i < 3; ++i) {
            lines.emplace_back("task");
            co_await yield();
        }
        co_await sleep(1ns);  // a timer runs between the steps, too
        lines.emplace_back("timer");
    });
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(run.is_terminal());
    EXPECT_LT(std::ranges::find(lines, "task") - lines.begin(), 3);
    EXPECT_NE(std::ranges::find(lines, "timer"), lines.end());
}

TEST(Scheduler, timers_of_one_instant_fire_in_the_order_of_their_start) {
    // clause: V28
    EffectWorld world;
    Lines lines;
    world.handlers.on(Async::await, [](int n) { return resume(n).after(n < 50 ? 5ms : 4ms); });
    world.handlers.on(Async::other, [&](int n) {
        lines.push_back(std::to_string(n));
        return resume(n);
    });
    ScriptedGuest guest(async_ops());
    Lines wanted;
    for (int n = 50; n < 60; ++n) wanted.push_back(std::to_string(n));
    for (int n = 0; n < 10; ++n) wanted.push_back(std::to_string(n));
    for (int i = 0; i < 20; ++i) {
        const int n = i < 10 ? i : i + 40;
        guest.add(std::to_string(n), {perform(0, {n}), perform(1, {n})});
        static_cast<void>(world.scheduler.start(guest, world.handlers, std::to_string(n)));
    }
    static_cast<void>(world.loop.run());
    EXPECT_EQ(lines, wanted);
    EXPECT_EQ(world.passed_ms(), 5);
}

TEST(Scheduler, timers_of_one_instant_keep_their_order_whenever_they_began_and_whoever_goes) {
    // clause: V27, V28
    EffectWorld world;
    Lines lines;
    world.handlers.on(Async::await,
                      [](int n) { return resume(n).after(std::chrono::milliseconds(n)); });
    world.handlers.on(Async::other, [&](int n) {
        lines.push_back(std::to_string(n) + " at " + std::to_string(world.passed_ms()));
        return resume(n);
    });
    ScriptedGuest guest(async_ops());
    for (int n = 1; n < 30; ++n) {
        guest.add(std::to_string(n), {perform(0, {n}), perform(1, {n})});
    }
    // A timer that began earlier is due at the same instant as a shorter one.
    std::vector<RunHandle<Value>> runs;
    Lines wanted;
    for (int n = 20; n > 10; --n) {
        runs.push_back(world.scheduler.start(guest, world.handlers, std::to_string(n)));
        runs.push_back(world.scheduler.start(guest, world.handlers, std::to_string(n)));
        world.loop.turn(world.clock.peek());
        world.clock.advance(1ms);
        if (n % 3 != 0) wanted.insert(wanted.end(), 2, std::to_string(n) + " at 20");
    }
    for (int n = 20; n > 10; --n) {
        if (n % 3 != 0) continue;
        for (const int one : {0, 1}) runs[static_cast<std::size_t>(2 * (20 - n) + one)].cancel();
    }
    static_cast<void>(world.loop.run());
    EXPECT_EQ(lines, wanted);
}

TEST(Scheduler, serves_every_run_and_the_completions_while_others_keep_coming) {
    // clause: V18
    EffectWorld world({.steps_per_tick_max = 4});
    world.handlers.on(Async::await, [](int n) { return resume(n); });
    world.handlers.on(Async::other, [](int n) -> Future<Answer> {
        co_await yield();
        co_return resume(n);
    });
    CoroutineGuest guest;
    guest.add("spins", []() -> Effectful<int> {
        for (;;) co_await perform(Async::await, 1);
    });
    guest.add("external", []() -> Effectful<int> {
        for (;;) co_await perform(Async::other, 1);
    });
    guest.add("modest", []() -> Effectful<int> {
        int sum = 0;
        for (int i = 0; i < 20; ++i) {
            sum += co_await perform(Async::await, 1);
            sum += co_await perform(Async::other, 1);
        }
        co_return sum;
    });
    constexpr int others = 10;
    for (int i = 0; i < others; ++i) {
        const char* entry = i % 2 == 0 ? "spins" : "external";
        static_cast<void>(world.scheduler.start(guest, world.handlers, entry));
    }
    auto modest = world.scheduler.start<int>(guest, world.handlers, "modest");
    // At most all others are ahead of it at each of its 41 steps, and a completion takes one tick
    // more to come in.
    constexpr std::uint64_t ticks_max = 41 * ((others + 1 + 3) / 4 + 1);
    while (!modest.is_terminal() && world.scheduler.counts().ticks <= ticks_max) {
        world.loop.turn();
    }
    ASSERT_TRUE(modest.is_terminal());
    EXPECT_EQ(modest.outcome().value(), 40);
    world.scheduler.cancel_all("enough");
}

TEST(Scheduler, a_run_with_many_ready_tasks_has_its_turn_like_any_other) {
    // clause: V18
    EffectWorld world;
    std::vector<int> order;
    world.handlers.on(Async::now, [&](int n) {
        order.push_back(n);
        return tail(n);
    });
    ScriptedGuest guest(async_ops());
    const auto steps_of = [](int n) {
        return std::vector{perform(2, {n}), perform(2, {n}), perform(2, {n}), perform(2, {n})};
    };
    auto many = steps_of(1);
    many.insert(many.begin(), {script::spawn("child"), script::spawn("child")});
    guest.add("many", many).add("child", steps_of(1)).add("one", steps_of(2));
    static_cast<void>(world.scheduler.start(guest, world.handlers, "many"));
    static_cast<void>(world.scheduler.start(guest, world.handlers, "one"));
    static_cast<void>(world.loop.run());
    order.resize(8);
    EXPECT_EQ(order, (std::vector{1, 2, 1, 2, 1, 2, 1, 2}));
}

TEST(Scheduler, gives_the_same_trace_again_byte_for_byte) {
    // clause: V32
    const auto trace_of = [](std::uint64_t seed) {
        EffectWorld world({.steps_per_tick_max = 3});
        Random random(seed);
        world.handlers.on(Async::await, [&](int n) -> Future<Answer> {
            co_await sleep(std::chrono::microseconds(random.below(50)));
            co_return resume(n + 1);
        });
        world.handlers.on(Async::other, [&](int n) {
            return resume(n).after(std::chrono::microseconds(random.below(50)));
        });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), perform(1, {2}), script::spawn("child"),
                           perform(0, {3}), script::give_last()});
        guest.add("child", {perform(1, {5}), perform(0, {6})});
        for (int i = 0; i < 20; ++i) {
            static_cast<void>(world.scheduler.start(guest, world.handlers, "main"));
        }
        static_cast<void>(world.loop.run());
        EXPECT_EQ(world.scheduler.run_count(), 0u);
        return world.observer.lines;
    };
    EXPECT_EQ(trace_of(1), trace_of(1));
    EXPECT_NE(trace_of(1), trace_of(2));  // otherwise the comparison proves nothing
}

TEST(Scheduler, gives_the_same_names_of_tasks_and_the_same_order_of_ends_again) {
    // clause: V32
    const auto trace_of = [](std::uint64_t seed) {
        EffectWorld world({.seed = seed});
        world.handlers.on(Async::now, [](int n) { return tail(n); });
        world.handlers.on(Async::await, [](int n) { return resume(n).after(1h); });
        struct Waits {
            static Effectful<int> for_long() { co_return co_await perform(Async::await, 1); }
        };
        CoroutineGuest guest;
        guest.add("main", []() -> Effectful<int> {
            const Spawned<int> child = co_await spawn(Waits::for_long());
            co_await perform(Async::now, child.capability);
            co_return co_await join(child);
        });
        for (int i = 0; i < 5; ++i) {
            static_cast<void>(world.scheduler.start(guest, world.handlers, "main"));
        }
        world.loop.turn();
        world.scheduler.cancel_all("enough");
        return world.observer.lines;
    };
    constexpr std::uint64_t seed = 7;
    const Lines first = trace_of(seed);
    EXPECT_EQ(first, trace_of(seed));
    EXPECT_NE(first, trace_of(seed + 1));  // The names are in it.
    EXPECT_EQ(Lines(first.end() - 2, first.end()),
              (Lines{"run 4: settled cancelled: enough", "run 5: settled cancelled: enough"}));
}

TEST(Scheduler, V18_a_run_whose_tasks_wait_one_after_the_other_takes_turns_with_others) {
    EffectWorld world;
    std::vector<int> order;
    world.handlers.on(Async::await, [&](int n) {
        order.push_back(n);
        return resume(n).after(1s);
    });
    world.handlers.on(Async::other, [&](int n) {
        order.push_back(n);
        return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("child", {perform(0, {1})});
    guest.add("many", {script::spawn("child"), script::spawn("child"), script::spawn("child"),
                       perform(0, {1})});
    guest.add("one", {perform(1, {2}), perform(1, {2}), perform(1, {2})});
    static_cast<void>(world.scheduler.start(guest, world.handlers, "many"));
    static_cast<void>(world.scheduler.start(guest, world.handlers, "one"));
    world.loop.turn();
    EXPECT_EQ(order, (std::vector{1, 2, 1, 2, 1, 2, 1}));
    static_cast<void>(world.loop.run());
}

}  // namespace
}  // namespace gyre::effect
