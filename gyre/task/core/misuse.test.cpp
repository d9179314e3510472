// SPDX-License-Identifier: Apache-2.0
// Programmer's errors that end the program, with a message that says what to do.
#include <gtest/gtest.h>

#include <thread>

#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<int> one() {
    co_return 1;
}
Future<void> nap() {
    co_await sleep(1s);
}

TEST(FutureDeathTest, is_spawned_once) {
    TaskWorld world;
    Future<int> future = one();
    auto handle = world.executor.root().spawn(std::move(future));
    EXPECT_DEATH(world.executor.root().spawn(std::move(future)), "this future is empty");
    static_cast<void>(world.loop.run());
}

TEST(FutureDeathTest, is_awaited_once) {
    const auto await_twice = [] {
        TaskWorld world;
        world.run([]() -> Future<int> {
            Future<int> future = one();
            const int first = co_await std::move(future);
            co_return first + co_await std::move(future);
        });
    };
    EXPECT_DEATH(await_twice(), "this future is empty");
}

TEST(FutureDeathTest, is_polled_on_one_thread) {
    TaskWorld world;
    std::optional<Waker> waker;
    Promise<int> promise;
    Future<int> future = promise.future();
    world.run([&]() -> Future<void> {
        waker.emplace(co_await this_waker());
        EXPECT_TRUE(future.poll(*waker).is_pending());
        promise.resolve(1);
        EXPECT_DEATH(std::thread([&] { static_cast<void>(future.poll(*waker)); }).join(),
                     "on which it was first polled");
        EXPECT_TRUE(future.poll(*waker).is_ready());
    });
}

TEST(OutcomeDeathTest, gives_a_value_only_when_it_has_one) {
    Outcome<int> outcome;
    EXPECT_DEATH(static_cast<void>(outcome.value()), "ask has_value\\(\\) first");
    outcome.set_value(1);
    EXPECT_EQ(outcome.value(), 1);
}

TEST(OutcomeDeathTest, gives_an_error_only_when_it_has_one) {
    Outcome<int> outcome;
    EXPECT_DEATH(static_cast<void>(outcome.error()), "ask has_error\\(\\) first");
    outcome.set_error(Error(std::errc::no_link));
    EXPECT_EQ(outcome.error(), Error(std::errc::no_link));
}

TEST(OutcomeDeathTest, is_not_taken_before_its_task_has_ended) {
    TaskWorld world;
    auto handle = world.spawn(one);
    EXPECT_DEATH(static_cast<void>(handle.outcome().take()), "await its task first");
    static_cast<void>(world.loop.run());
    EXPECT_EQ(handle.outcome().take(), 1);
}

TEST(PromiseDeathTest, is_not_used_after_it_was_moved) {
    Promise<int> promise;
    Promise<int> other = std::move(promise);
    EXPECT_DEATH(static_cast<void>(promise.is_settled()), "this promise was moved from");
    EXPECT_DEATH(static_cast<void>(promise.has_future()), "this promise was moved from");
    other.resolve(1);
}

TEST(SharedFutureDeathTest, is_not_used_after_it_was_moved) {
    Promise<int> promise;
    SharedFuture<int> future = promise.future();
    const SharedFuture<int> other = std::move(future);
    EXPECT_DEATH(static_cast<void>(future.is_settled()), "this shared future was moved from");
    EXPECT_FALSE(other.is_settled());
}

TEST(SharedFutureDeathTest, is_not_awaited_after_it_was_moved) {
    const auto await_twice = [] {
        TaskWorld world;
        world.run([]() -> Future<int> {
            Promise<int> promise;
            promise.resolve(1);
            SharedFuture<int> future = promise.future();
            const int first = co_await std::move(future);
            co_return first + co_await future;
        });
    };
    EXPECT_DEATH(await_twice(), "this shared future was moved from");
}

TEST(TaskHandleDeathTest, is_not_used_after_it_was_moved) {
    TaskWorld world;
    auto handle = world.spawn(one);
    const auto other = std::move(handle);
    EXPECT_DEATH(static_cast<void>(handle.is_completed()), "this handle was moved from");
    EXPECT_FALSE(other.is_completed());
    static_cast<void>(world.loop.run());
}

TEST(TaskHandleDeathTest, is_cancelled_on_the_thread_of_its_task) {
    TaskWorld world;
    auto handle = world.spawn(nap);
    EXPECT_DEATH(std::thread([&] { handle.cancel(); }).join(), "cancelled from another thread");
    static_cast<void>(world.loop.run());
}

TEST(TaskHandleDeathTest, is_awaited_by_a_task_of_the_same_executor) {
    const auto join_elsewhere = [] {
        TaskWorld world;
        TaskWorld other;
        auto handle = other.spawn(nap);
        world.run([&]() -> Future<void> { co_await handle; });
    };
    EXPECT_DEATH(join_elsewhere(), "awaited by a task of another executor");
}

TEST(TaskHandleDeathTest, needs_a_function_to_call_on_completion) {
    TaskWorld world;
    auto handle = world.spawn(one);
    EXPECT_DEATH(handle.on_complete(nullptr), "on_complete got no function");
    static_cast<void>(world.loop.run());
}

TEST(ScopeDeathTest, is_not_destroyed_by_its_owner_while_tasks_run) {
    const auto leave_tasks = [] {
        TaskWorld world;
        world.run([]() -> Future<void> {
            Task& owner = co_await this_task();
            Scope scope(owner.executor(), &owner, {.name = "left"});
            scope.spawn(nap);
            co_await yield();
        });
    };
    EXPECT_DEATH(leave_tasks(), "scope left is destroyed while 1 of its tasks run");
}

TEST(ScopeDeathTest, is_joined_by_one_task_at_a_time) {
    const auto join_twice = [] {
        TaskWorld world;
        Scope scope(world.executor, nullptr, {.name = "busy"});
        scope.spawn(nap);
        const auto join = [&scope]() -> Future<void> { co_await scope.join(); };
        auto first = world.spawn(join);
        auto second = world.spawn(join);
        static_cast<void>(world.loop.run());
    };
    EXPECT_DEATH(join_twice(), "scope busy is joined by two tasks");
}

TEST(ScopeDeathTest, has_room_for_one_task_at_least) {
    TaskWorld world;
    EXPECT_DEATH(Scope(world.executor, nullptr, {.name = "closed", .concurrency_max = 0}),
                 "none of its tasks would begin");
}

TEST(ScopeDeathTest, has_a_name) {
    TaskWorld world;
    EXPECT_DEATH(Scope(world.executor, nullptr, {.name = nullptr}), "leave it out for the default");
}

TEST(CancelReasonDeathTest, has_a_text) {
    const char* const none = nullptr;
    EXPECT_DEATH(static_cast<void>(CancelReason(none)), "a CancelReason got no text");
}

TEST(ExecutorDeathTest, runs_one_task_a_tick_at_least) {
    EXPECT_DEATH(Executor(ExecutorOptions{.tasks_per_tick_max = 0}), "no task would ever run");
}

TEST(ExecutorDeathTest, is_not_destroyed_by_its_own_task) {
    const auto destroy_inside = [] {
        auto* world = new TaskWorld;
        world->spawn([world]() -> Future<void> {
            world->executor.~Executor();
            co_return;
        });
        static_cast<void>(world->loop.run());
    };
    EXPECT_DEATH(destroy_inside(), "destroys its own executor");
}

TEST(RunOptionsDeathTest, refuse_negative_spans_of_time) {
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    EXPECT_DEATH(run(platform, one, {.stop_within = -1s}), "stop_within is negative");
    EXPECT_DEATH(run(platform, one, {.blocked_after = -1s}), "blocked_after is negative");
}

}  // namespace
}  // namespace gyre
