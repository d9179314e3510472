// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/task_handle.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<int> give_after(Duration delay, int value) {
    co_await sleep(delay);
    co_return value;
}

TEST(TaskHandle, shows_a_task_that_is_ready_then_waits_then_has_completed) {
    // clause: A28
    TaskWorld world;
    auto handle = world.spawn(give_after, 1ms, 7);
    EXPECT_EQ(handle.state(), TaskState::ready);
    EXPECT_FALSE(handle.is_completed());
    world.loop.turn();
    EXPECT_EQ(handle.state(), TaskState::waiting);
    (void)world.loop.run();
    EXPECT_EQ(handle.state(), TaskState::completed);
    EXPECT_TRUE(handle.is_completed());
    EXPECT_EQ(handle.outcome().value(), 7);
}

TEST(TaskHandle, calls_a_running_task_ready) {
    // clause: A28
    TaskWorld world;
    std::optional<TaskHandle<void>> handle;
    TaskState inside = TaskState::completed;
    handle.emplace(world.spawn([&]() -> Future<void> {
        inside = handle->state();
        co_return;
    }));
    (void)world.loop.run();
    EXPECT_EQ(inside, TaskState::ready);
}

TEST(TaskHandle, shows_a_task_ready_that_yields_or_was_woken) {
    // clause: A28
    TaskWorld world;
    Promise<int> promise;
    bool is_over = false;
    auto waits = world.spawn([&]() -> Future<int> { co_return co_await promise.future(); });
    auto yields = world.spawn([&]() -> Future<void> {
        while (!is_over) co_await yield();
    });
    world.loop.turn();
    EXPECT_EQ(waits.state(), TaskState::waiting);
    EXPECT_EQ(yields.state(), TaskState::ready);
    promise.resolve(1);
    EXPECT_EQ(waits.state(), TaskState::ready);
    is_over = true;
    (void)world.loop.run();
    EXPECT_EQ(waits.state(), TaskState::completed);
    EXPECT_EQ(yields.state(), TaskState::completed);
}

TEST(TaskHandle, calls_on_complete_once_after_the_outcome_is_there) {
    // clause: A28
    TaskWorld world;
    auto handle = world.spawn(give_after, 1ms, 7);
    int calls = 0;
    handle.on_complete([&] {
        ++calls;
        EXPECT_TRUE(handle.is_completed());
        EXPECT_EQ(handle.outcome().value(), 7);
    });
    world.loop.turn();
    EXPECT_EQ(calls, 0);
    (void)world.loop.run();
    EXPECT_EQ(calls, 1);
    handle.cancel();
    (void)world.loop.run();
    EXPECT_EQ(calls, 1);
}

TEST(TaskHandle, calls_on_complete_at_once_for_a_task_that_has_completed) {
    // clause: A28
    TaskWorld world;
    auto handle = world.spawn(give_after, 1ms, 7);
    (void)world.loop.run();
    int calls = 0;
    handle.on_complete([&] { ++calls; });
    EXPECT_EQ(calls, 1);
}

TEST(TaskHandle, calls_on_complete_for_failures_and_cancels_too) {
    // clause: A28
    TaskWorld world;
    int calls = 0;
    auto fails = world.spawn([]() -> Future<void> {
        throw std::runtime_error("broken");
        co_return;
    });
    auto waits = world.spawn(give_after, 1h, 1);
    fails.on_complete([&] { calls += 1; });
    waits.on_complete([&] { calls += 10; });
    (void)world.loop.run();
    EXPECT_EQ(calls, 11);
    EXPECT_THROW(fails.outcome().take(), std::runtime_error);
    EXPECT_THROW(waits.outcome().take(), Cancelled);
}

TEST(TaskHandle, calls_on_complete_for_a_task_that_never_began) {
    // clause: A28
    TaskWorld world;
    int calls = 0;
    auto handle = world.spawn(give_after, 1ms, 7);
    handle.on_complete([&] { ++calls; });
    handle.cancel();
    EXPECT_EQ(calls, 0);
    (void)world.loop.run();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(handle.state(), TaskState::completed);
}

TEST(TaskHandle, calls_each_on_complete_once_in_their_order) {
    // clause: A28
    TaskWorld world;
    std::vector<int> calls;
    auto handle = world.spawn(give_after, 1ms, 7);
    for (const int number : {1, 2, 3}) {
        handle.on_complete([&calls, number] { calls.push_back(number); });
    }
    (void)world.loop.run();
    EXPECT_EQ(calls, (std::vector{1, 2, 3}));
    handle.on_complete([&] { calls.push_back(4); });
    EXPECT_EQ(calls, (std::vector{1, 2, 3, 4}));
}

TEST(TaskHandle, may_be_dropped_by_its_own_on_complete) {
    TaskWorld world;
    auto held = std::make_shared<int>(1);
    std::optional<TaskHandle<std::shared_ptr<int>>> handle =
        world.spawn([held]() -> Future<std::shared_ptr<int>> {
            co_await sleep(1ms);
            co_return held;
        });
    handle->on_complete([&] {
        EXPECT_EQ(handle->outcome().value(), held);
        handle.reset();
    });
    (void)world.loop.run();
    EXPECT_FALSE(handle.has_value());
    EXPECT_EQ(held.use_count(), 1) << "the task has gone with its handle";
}

TEST(TaskHandle, tells_a_cancel_from_a_value_and_from_a_failure_of_its_own) {
    TaskWorld world;
    Scope scope(world.executor, nullptr, {.name = "test", .cancels_on_failure = false});
    const auto with_end = [](int end) -> Future<int> {
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            if (end == 0) throw;
            if (end == 1) throw std::runtime_error("broken");
        }
        co_return end;
    };
    auto cancelled = scope.spawn(with_end, 0);
    auto failed = scope.spawn(with_end, 1);
    auto good = scope.spawn(with_end, 2);
    world.loop.turn();
    scope.cancel("enough");
    (void)world.loop.run();
    EXPECT_TRUE(cancelled.was_cancelled());
    EXPECT_TRUE(failed.is_cancel_requested());
    EXPECT_FALSE(failed.was_cancelled());
    EXPECT_TRUE(good.is_cancel_requested());
    EXPECT_FALSE(good.was_cancelled());
    EXPECT_EQ(good.outcome().value(), 2);
}

TEST(TaskHandle, has_the_name_it_was_given_or_a_number) {
    TaskWorld world;
    auto first = world.spawn(give_after, 1ms, 1);
    auto second = world.spawn(give_after, 1ms, 2);
    EXPECT_EQ(first.name(), "task 1");
    EXPECT_EQ(second.name(), "task 2");
    EXPECT_NE(first.id(), second.id());
    first.set_name("reader");
    EXPECT_EQ(first.name(), "reader");
    EXPECT_EQ(&first.set_name("again"), &first);
    (void)world.loop.run();
    EXPECT_EQ(first.name(), "again");
}

TEST(TaskHandle, dropped_leaves_the_task_alone) {
    TaskWorld world;
    bool has_ended = false;
    {
        auto dropped = world.spawn([&]() -> Future<void> {
            co_await sleep(1ms);
            has_ended = true;
        });
    }
    (void)world.loop.run();
    EXPECT_TRUE(has_ended);
}

TEST(TaskHandle, awaited_gives_the_value_once_or_as_often_as_it_is_kept) {
    // clause: A12
    TaskWorld world;
    world.run([&]() -> Future<void> {
        auto kept = world.spawn(give_after, 1ms, 7);
        EXPECT_EQ(co_await kept, 7);
        EXPECT_EQ(co_await kept, 7);
        auto moved = world.spawn([]() -> Future<std::unique_ptr<int>> {
            co_await sleep(1ms);
            co_return std::make_unique<int>(8);
        });
        EXPECT_EQ(*co_await std::move(moved), 8);
    });
}

TEST(TaskHandle, awaited_throws_what_the_task_failed_with) {
    TaskWorld world;
    world.run([&]() -> Future<void> {
        co_await with_scope(
            [](Scope& scope) -> Future<void> {
                auto handle = scope.spawn([]() -> Future<int> {
                    co_await sleep(1ms);
                    throw std::runtime_error("broken");
                });
                EXPECT_THROW(co_await handle, std::runtime_error);
                EXPECT_THROW(co_await std::move(handle), std::runtime_error);
            },
            {.cancels_on_failure = false});
    });
}

TEST(TaskHandle, a_cancelled_wait_for_a_task_leaves_that_task_alone) {
    TaskWorld world;
    auto work = world.spawn(give_after, 1s, 7);
    auto waiter = world.spawn([&]() -> Future<int> { co_return co_await work; });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        waiter.cancel();
    });
    (void)world.loop.run();
    EXPECT_THROW(waiter.outcome().take(), Cancelled);
    EXPECT_FALSE(work.is_cancel_requested());
    EXPECT_EQ(work.outcome().value(), 7);
}

TEST(TaskHandle, is_for_a_task_that_frees_what_it_holds_when_it_ends) {
    TaskWorld world;
    auto held = std::make_shared<int>(1);
    auto handle = world.spawn([held]() -> Future<void> { co_return; });
    EXPECT_EQ(held.use_count(), 2);
    (void)world.loop.run();
    EXPECT_EQ(held.use_count(), 1);
}

// In each order of destruction: a task that never ended, its handle, the frame that awaits it.
TEST(TaskHandle, may_go_in_any_order_when_an_executor_goes_with_tasks) {
    Promise<int> never;
    auto held = std::make_shared<int>(1);
    {
        sim::VirtualClock clock;
        sim::SimPlatform platform(clock);
        Executor executor;
        // Shielded, so that the close of the loop does not end them.
        const auto wait_for = [](SharedFuture<int> future) -> Future<int> {
            co_return co_await std::move(future);
        };
        const auto wait = [&](std::shared_ptr<int>) -> Future<int> {
            co_return co_await shield(wait_for(never.future()));
        };
        const auto join = [](TaskHandle<int> handle) -> Future<void> {
            co_await std::move(handle);
        };
        std::optional<TaskHandle<int>> outside;
        {
            Loop loop(platform, executor);
            auto handle = executor.root().spawn(wait, held);
            executor.root().spawn([&join, mine = std::move(handle)]() mutable -> Future<void> {
                co_await shield(join(std::move(mine)));
            });
            outside.emplace(executor.root().spawn(wait, held));
            for (int i = 0; i < 3; ++i) loop.turn(loop.now());
        }
        EXPECT_EQ(held.use_count(), 3);
    }
    EXPECT_EQ(held.use_count(), 1);
}

// Ends with a value when it is cancelled, after a clean-up.
Future<int> give_when_cancelled(int value) {
    try {
        co_await sleep(1h);
    } catch (const Cancelled&) {
    }
    co_await sleep(1ms);
    co_return value;
}

TEST(TaskHandle, gives_way_to_a_cancel_of_the_scope_although_the_task_would_answer) {
    // Else tasks that wait for each other by other ways than handles would never end.
    TaskWorld world;
    auto answering = world.spawn(give_when_cancelled, 7);
    auto joining = world.spawn([&]() -> Future<void> { (void)co_await answering; });
    world.loop.turn();
    world.executor.root().cancel("the program stops");
    (void)world.loop.run();
    EXPECT_TRUE(joining.was_cancelled());
    EXPECT_FALSE(answering.was_cancelled());
}

TEST(TaskHandle, is_not_awaited_longer_when_both_tasks_are_cancelled) {
    TaskWorld world;
    auto sleeping = world.spawn(give_after, 1h, 7);
    auto joining = world.spawn([&]() -> Future<void> { co_await sleeping; });
    world.loop.turn();
    const Instant began = world.loop.now();
    world.executor.root().cancel("the program stops");
    (void)world.loop.run();
    EXPECT_TRUE(joining.was_cancelled());
    EXPECT_LT(world.loop.now() - began, 1h);
}

TEST(TaskHandle, throws_a_cancel_that_is_for_its_waiter_alone) {
    TaskWorld world;
    auto answering = world.spawn(give_when_cancelled, 7);
    auto joining = world.spawn([&]() -> Future<void> { co_await answering; });
    world.loop.turn();
    joining.cancel("not needed");
    world.loop.turn();
    EXPECT_TRUE(joining.was_cancelled());
    EXPECT_FALSE(answering.is_completed());
    answering.cancel("the test ends");
    (void)world.loop.run();
}

TEST(TaskHandle, of_tasks_that_await_each_other_are_all_ended_by_a_cancel) {
    TaskWorld world;
    std::optional<TaskHandle<void>> one;
    std::optional<TaskHandle<void>> two;
    one.emplace(world.spawn([&]() -> Future<void> { co_await *two; }));
    two.emplace(world.spawn([&]() -> Future<void> { co_await *one; }));
    auto beside = world.spawn([&]() -> Future<void> { co_await *one; });
    for (int i = 0; i < 3; ++i) world.loop.turn(world.loop.now());
    world.executor.root().cancel("the program stops");
    for (int i = 0; i < 3; ++i) world.loop.turn(world.loop.now());
    EXPECT_TRUE(one->is_completed());
    EXPECT_TRUE(two->is_completed());
    EXPECT_TRUE(beside.was_cancelled());
}

}  // namespace
}  // namespace gyre
