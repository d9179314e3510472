// SPDX-License-Identifier: Apache-2.0
// Tasks inside a run: waits between tasks, the propagation of failures, and the use of
// capabilities.
#include <gtest/gtest.h>

#include "gyre/effect/coroutine_tasks.hpp"
#include "gyre/effect/effect_world.test.hpp"
#include "gyre/effect/lying_guest.test.hpp"

namespace gyre::effect {
namespace {

using script::give;
using script::give_last;
using script::perform;

struct TaskWorld : EffectWorld {
    explicit TaskWorld(SchedulerOptions options = {}) : EffectWorld(std::move(options)) {
        handlers.on(Async::await, [](int n) -> Future<Answer> {
            co_await sleep(std::chrono::milliseconds(n));
            co_return resume(n);
        });
    }
    ScriptedGuest guest{async_ops()};
};

TEST(RunTasks, wait_gives_a_status_and_take_the_value) {
    TaskWorld world;
    world.guest.add("main",
                    {script::spawn("child"), script::wait(0), script::take(0), give_last()});
    world.guest.add("child", {perform(0, {3}), give("from the child")});
    EXPECT_EQ(world.run(world.guest).value(), Value("from the child"));
    EXPECT_EQ(world.guest.held_count(), 0u);
}

TEST(RunTasks, run_in_turn_one_step_each) {
    // clause: V05
    TaskWorld world;
    Lines lines;
    world.handlers.on(Async::now, [&](int n) {
        lines.push_back(std::to_string(n));
        return tail(n);
    });
    world.guest.add("main", {script::spawn("a"), script::spawn("b"), perform(2, {1}),
                             script::yield(), perform(2, {2})});
    world.guest.add("a", {perform(2, {10}), perform(2, {11})});
    world.guest.add("b", {perform(2, {20}), perform(2, {21})});
    EXPECT_TRUE(world.run(world.guest).has_value());
    EXPECT_EQ(lines, (Lines{"1", "10", "20", "11", "21", "2"}));
}

TEST(RunTasks, a_run_with_many_tasks_gets_one_step_in_its_turn_like_any_other) {
    TaskWorld world;
    Lines lines;
    world.handlers.on(Async::now, [&](int n) {
        lines.push_back(std::to_string(n));
        return tail(n);
    });
    std::vector<script::Action> many(50, script::spawn("child"));
    world.guest.add("many", std::move(many));
    world.guest.add("child", {perform(2, {1}), perform(2, {1})});
    world.guest.add("single", {perform(2, {2}), perform(2, {2}), perform(2, {2})});
    auto many_run = world.scheduler.start(world.guest, world.handlers, "many");
    auto single = world.scheduler.start(world.guest, world.handlers, "single");
    static_cast<void>(world.loop.run());
    EXPECT_EQ(Lines(lines.begin(), lines.begin() + 5), (Lines{"2", "1", "2", "1", "2"}));
}

TEST(RunTasks, an_owner_ends_after_its_attached_tasks) {
    TaskWorld world;
    world.guest.add("main", {script::spawn("child"), give(7)});
    world.guest.add("child", {script::spawn("grandchild"), perform(0, {3})});
    world.guest.add("grandchild", {perform(0, {9})});
    EXPECT_EQ(world.run<int>(world.guest).value(), 7);
    EXPECT_EQ(world.passed_ms(), 9);
}

TEST(RunTasks, a_failing_owner_takes_its_attached_tasks_along) {
    TaskWorld world;
    world.guest.add("main", {script::spawn("child"), perform(0, {1}), script::fail("broken")});
    world.guest.add("child", {script::spawn("grandchild"), perform(0, {1'000})});
    world.guest.add("grandchild", {perform(0, {1'000})});
    const RunOutcome<Value> outcome = world.run(world.guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().message, "broken");
    EXPECT_EQ(world.passed_ms(), 1);
    EXPECT_EQ(world.guest.held_count(), 0u);
}

TEST(RunTasks, a_failure_that_nobody_looked_at_fails_the_owner_when_it_has_its_value) {
    TaskWorld world;
    world.guest.add("main", {script::spawn("child"), perform(0, {5}), give(7)});
    world.guest.add("seen", {script::spawn("child"), script::wait(0), give_last()});
    world.guest.add("child", {perform(0, {1}), script::fail("broken")});
    const RunOutcome<Value> outcome = world.run(world.guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::unobserved_task);
    EXPECT_EQ(outcome.error().message, "unobserved child task failure: broken");
    EXPECT_EQ(world.run<int>(world.guest, "seen").value(), 1);
}

TEST(RunTasks, a_detached_task_outlives_the_outcome_and_the_clean_ups_wait_for_it) {
    TaskWorld world;
    Lines lines;
    world.handlers.on(Async::now, [&](Context& context, int n) {
        context.on_end([&lines] { lines.emplace_back("clean-up"); });
        return tail(n);
    });
    world.handlers.on(Async::other, [&](int n) {
        lines.emplace_back("child ends");
        return resume(n);
    });
    world.guest.add("main", {perform(2, {1}), script::detach("child"), give(7)});
    world.guest.add("child", {perform(0, {4}), perform(1, {1})});
    auto run = world.scheduler.start<int>(world.guest, world.handlers, "main");
    world.loop.turn();
    ASSERT_TRUE(run.is_terminal());
    EXPECT_EQ(run.outcome().value(), 7);
    EXPECT_TRUE(lines.empty());
    EXPECT_EQ(world.scheduler.run_count(), 1u);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(lines, (Lines{"child ends", "clean-up"}));
    EXPECT_EQ(world.scheduler.run_count(), 0u);
}

TEST(RunTasks, a_detached_failure_reaches_the_sink_and_not_the_outcome) {
    TaskWorld world;
    world.guest.add("main", {script::detach("child"), perform(0, {5}), give(7)});
    world.guest.add("child", {script::fail("alone")});
    EXPECT_EQ(world.run<int>(world.guest).value(), 7);
    EXPECT_EQ(world.failures, (Lines{"run 1 guest_failed: alone"}));
}

TEST(RunTasks, cancelling_the_run_cancels_every_task_of_it) {
    TaskWorld world;
    world.guest.add("main", {script::spawn("child"), script::detach("child"), perform(0, {1'000})});
    world.guest.add("child", {perform(0, {1'000})});
    auto run = world.scheduler.start(world.guest, world.handlers, "main");
    world.loop.turn();
    EXPECT_EQ(world.guest.held_count(), 3u);
    run.cancel();
    EXPECT_EQ(world.guest.held_count(), 0u);
    EXPECT_EQ(world.scheduler.run_count(), 0u);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(world.passed_ms(), 0);
}

TEST(RunTasks, V20_cancelling_a_run_with_an_outcome_cancels_its_detached_tasks) {
    // clause: V20
    TaskWorld world;
    world.guest.add("main", {script::detach("child"), give(7)});
    world.guest.add("child", {perform(0, {1'000})});
    auto run = world.scheduler.start<int>(world.guest, world.handlers, "main");
    world.loop.turn();
    ASSERT_TRUE(run.is_terminal());
    EXPECT_EQ(world.scheduler.run_count(), 1u) << "its detached task waits";
    EXPECT_FALSE(run.cancel()) << "it had its outcome";
    EXPECT_EQ(world.guest.held_count(), 0u);
    EXPECT_EQ(world.scheduler.run_count(), 0u);
    EXPECT_EQ(run.outcome().value(), 7);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(world.passed_ms(), 0);
}

TEST(RunTasks, a_cancelled_task_says_so_to_who_waits) {
    TaskWorld world;
    world.guest.add("main", {script::spawn("child"), script::yield(), script::cancel(0),
                             script::cancel(0), script::wait(0), give_last()});
    world.guest.add("child", {perform(0, {1'000})});
    EXPECT_EQ(world.run<int>(world.guest).value(), 2);
    EXPECT_EQ(world.passed_ms(), 0);
}

TEST(RunTasks, a_capability_is_looked_at_once) {
    TaskWorld world;
    world.guest.add("again", {script::spawn("child"), script::wait(0), script::wait(0)});
    world.guest.add("taken",
                    {script::spawn("child"), script::wait(0), script::take(0), script::wait(0)});
    world.guest.add("early", {script::spawn("child"), script::take(0)});
    world.guest.add("child", {give(1)});
    const RunOutcome<Value> again = world.run(world.guest, "again");
    ASSERT_EQ(again.kind(), RunEndKind::failed);
    EXPECT_EQ(again.error().kind, ErrorKind::stale_task);
    EXPECT_NE(again.error().message.find("already been observed"), std::string::npos);
    EXPECT_EQ(world.run(world.guest, "taken").error().kind, ErrorKind::stale_task);
    EXPECT_EQ(world.run(world.guest, "early").error().kind, ErrorKind::stale_task);
    EXPECT_EQ(world.guest.held_count(), 0u);
}

TEST(RunTasks, their_number_is_limited) {
    TaskWorld world({.task_count_max = 3});
    world.guest.add("main", std::vector<script::Action>(4, script::spawn("child")));
    world.guest.add("child", {perform(0, {1'000})});
    const RunOutcome<Value> outcome = world.run(world.guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::task_limit);
    EXPECT_NE(outcome.error().message.find("task_count_max"), std::string::npos);
    EXPECT_EQ(world.guest.held_count(), 0u);
}

Effectful<int> part(int n) {
    co_return co_await perform(Async::await, n);
}

TEST(RunTasks, coroutines_spawn_join_and_cancel) {
    TaskWorld world;
    CoroutineGuest guest;
    guest.add("both", []() -> Effectful<int> {
        const Spawned<int> second = co_await spawn(part(5));
        const int first = co_await part(4);
        co_return first + co_await join(second);
    });
    guest.add("failed", []() -> Effectful<std::string> {
        struct Fails {
            static Effectful<int> now() {
                co_await yield_once();
                throw std::runtime_error("no paper");
            }
        };
        const Spawned<int> child = co_await spawn(Fails::now());
        try {
            co_await join(child);
        } catch (const TaskFailed& failed) {
            co_return failed.what();
        }
        co_return "";
    });
    guest.add("cancelled", []() -> Effectful<bool> {
        const Spawned<int> child = co_await spawn(part(1'000));
        co_await yield_once();
        const bool was_live = co_await cancel(child);
        try {
            co_await join(child);
        } catch (const TaskCancelled&) {
            co_return was_live;
        }
        co_return false;
    });
    guest.add("detached", []() -> Effectful<void> {
        const Spawned<int> child = co_await spawn_detached(part(2));
        static_cast<void>(child);
    });
    EXPECT_EQ(world.run<int>(guest, "both").value(), 9);
    EXPECT_EQ(world.passed_ms(), 5);  // side by side
    EXPECT_EQ(world.run<std::string>(guest, "failed").value(), "no paper");
    EXPECT_TRUE(world.run<bool>(guest, "cancelled").value());
    EXPECT_TRUE(world.run<void>(guest, "detached").has_value());
    EXPECT_EQ(world.passed_ms(), 7);
}

TEST(RunTasks, frames_are_destroyed_where_a_run_is_cancelled_however_deep_they_stand) {
    // clause: V22
    TaskWorld world;
    struct Deep {
        static Effectful<int> down(int depth, int* left, bool* is_reached) {
            struct Guard {
                int* left;
                ~Guard() { --*left; }
            };
            const Guard guard{left};
            int got = 0;
            try {
                got = depth == 0 ? co_await perform(Async::await, 1'000)
                                 : co_await down(depth - 1, left, is_reached);
            } catch (...) {
                *is_reached = true;
            }
            *is_reached = true;
            co_return got;
        }
    };
    int left = 100'001;
    bool is_reached = false;
    CoroutineGuest guest;
    guest.add("main", [&]() { return Deep::down(100'000, &left, &is_reached); });
    auto run = world.scheduler.start(guest, world.handlers, "main");
    world.loop.turn();
    EXPECT_EQ(left, 100'001);
    run.cancel();
    EXPECT_EQ(left, 0);  // destructors run; the code after the await and the catch do not
    EXPECT_FALSE(is_reached);
}

}  // namespace
}  // namespace gyre::effect
