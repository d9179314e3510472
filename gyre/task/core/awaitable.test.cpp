// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/awaitable.hpp"

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/sync/event.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre {
namespace {

// ---- What is awaitable, and what it gives ----

static_assert(Awaitable<Future<int>>);
static_assert(!Awaitable<Future<int>&>, "a future is awaited once");
static_assert(Awaitable<Sleep>);
static_assert(Awaitable<Event&>);
static_assert(!Awaitable<Event>, "an event must outlive the wait");
static_assert(Awaitable<TaskHandle<int>&> && Awaitable<TaskHandle<int>>);
static_assert(Awaitable<std::suspend_never>);
static_assert(!Awaitable<int> && !Awaitable<std::string&>);
static_assert(std::same_as<AwaitValue<Sleep>, void>);
static_assert(std::same_as<AwaitResult<TaskHandle<int>&>, const int&>);
static_assert(std::same_as<AwaitValue<TaskHandle<int>&>, int>);
static_assert(std::same_as<decltype(try_(shield(std::declval<Future<int>>()))), Tried<int>>);

TEST(AsFuture, gives_a_future_itself) {
    // clause: A33
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        Future<int> future = give_after(1ms, 4);
        EXPECT_EQ(co_await as_future(std::move(future)), 4);
    });
}

TEST(AsFuture, moves_an_rvalue_in_and_refers_to_an_lvalue) {
    CombinatorWorld world;
    Event event;
    Channel<std::unique_ptr<int>> channel(1);
    world.run([&]() -> Future<void> {
        Future<void> send = as_future(channel.send(std::make_unique<int>(1)));
        co_await std::move(send);
        Future<void> wait = as_future(event);
        event.set();
        co_await std::move(wait);
        EXPECT_EQ(**co_await as_future(channel.receive()), 1);
    });
}

TEST(AsFuture, does_nothing_until_it_is_awaited) {
    CombinatorWorld world;
    Channel<int> channel(1);
    world.run([&]() -> Future<void> {
        (void)channel.try_send(1);
        {
            auto dropped = as_future(channel.receive());
        }
        EXPECT_EQ(channel.count(), 1u);
        co_return;
    });
}

TEST(Spawn, awaits_everything_in_a_task_of_its_own) {
    // clause: A33
    CombinatorWorld world;
    Channel<int> channel(0);
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto item = scope.spawn(channel.receive());
            scope.spawn(channel.send(3));
            EXPECT_EQ(co_await item, 3);
        });
    });
}

TEST(Chains, await_what_their_function_gives) {
    // clause: A33
    CombinatorWorld world;
    Channel<int> channel(1);
    world.run([&]() -> Future<void> {
        (void)channel.try_send(5);
        auto receive = [&channel](int) { return channel.receive(); };
        auto chain = give_after(1ms, 1).then(receive);
        EXPECT_EQ(co_await std::move(chain), 5);
        auto doubled = map(channel.send(6), [] { return 12; });
        EXPECT_EQ(co_await std::move(doubled), 12);
        auto both = give_after(1ms, 2).and_(channel.receive());
        EXPECT_EQ(co_await std::move(both), std::pair(2, std::optional(6)));
    });
}

TEST(All, takes_a_range_of_anything) {
    // clause: A33
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        co_await with_scope([](Scope& scope) -> Future<void> {
            std::vector<TaskHandle<int>> tasks;
            tasks.push_back(scope.spawn(give_after, Duration(2ms), 1));
            tasks.push_back(scope.spawn(give_after, Duration(1ms), 2));
            const std::vector<int> values = co_await all(std::move(tasks));
            EXPECT_EQ(values, (std::vector{1, 2}));
        });
    });
}

// ---- Awaitables of the standard ----

// Keeps the handle for the test to resume.
struct Held {
    std::coroutine_handle<>& handle;
    int value = 0;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> by) const noexcept { handle = by; }
    [[nodiscard]] int await_resume() const noexcept { return value; }
};
// Suspends, or not, in the three ways of the standard; is resumed inside await_suspend.
struct Refused {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<> /*by*/) const noexcept {
        return false;
    }
    [[nodiscard]] std::string await_resume() const { return "refused"; }
};
struct Passed {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> by) const noexcept {
        return by;
    }
    [[nodiscard]] std::string await_resume() const { return "passed"; }
};
struct WithMember {
    Passed operator co_await() const noexcept { return {}; }
};
struct WithFunction {};
Refused operator co_await(WithFunction /*from*/) noexcept {
    return {};
}
struct Throwing {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> /*by*/) const { throw std::runtime_error("no"); }
    void await_resume() const noexcept {}
};

TEST(StandardAwait, adapts_every_form_of_the_standard) {
    // clause: A33
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        EXPECT_EQ(co_await Refused(), "refused");
        EXPECT_EQ(co_await Passed(), "passed");
        EXPECT_EQ(co_await WithMember(), "passed");
        EXPECT_EQ(co_await WithFunction(), "refused");
        EXPECT_EQ(co_await timeout(WithMember(), 1s), "passed");
        EXPECT_THROW(co_await Throwing(), std::runtime_error);
        co_await std::suspend_never();
    });
}

TEST(StandardAwait, goes_on_when_its_handle_is_resumed) {
    CombinatorWorld world;
    std::coroutine_handle<> handle;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            Held held(handle, 8);
            auto task = scope.spawn(as_future(held));
            co_await sleep(1ms);
            EXPECT_FALSE(task.is_completed());
            handle.resume();
            EXPECT_EQ(co_await task, 8);
        });
    });
}

struct OnThread {
    std::thread& thread;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> by) const {
        thread = std::thread([by] { by.resume(); });
    }
    [[nodiscard]] int await_resume() const noexcept { return 6; }
};

// The loop waits for the other thread, although no op of its own is in flight.
TEST(StandardAwait, is_resumed_by_another_thread) {
    test::ThreadPlatform platform;
    Executor executor;
    Loop loop(platform, executor);
    std::thread other;
    OnThread awaitable(other);
    auto task = executor.root().spawn(as_future(awaitable));
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_EQ(task.outcome().take(), 6);
    other.join();
}

TEST(StandardAwait, is_not_ended_by_a_cancel_which_is_delivered_after_it) {
    CombinatorWorld world;
    std::coroutine_handle<> handle;
    int got = 0;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto task = scope.spawn([&]() -> Future<void> {
                Held held(handle, 8);
                got = co_await held;
                co_await sleep(1h);
            });
            co_await sleep(1ms);
            task.cancel("enough");
            co_await sleep(1ms);
            EXPECT_FALSE(task.is_completed());
            handle.resume();
            EXPECT_THROW(co_await task, Cancelled);
            EXPECT_EQ(got, 8);
        });
    });
}

TEST(StandardAwait, is_not_begun_by_a_task_that_is_cancelled) {
    CombinatorWorld world;
    std::coroutine_handle<> handle;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto task = scope.spawn([&]() -> Future<void> {
                Task& mine = co_await this_task();
                mine.cancel("at once");
                Held held(handle);
                (void)co_await held;
            });
            EXPECT_THROW(co_await task, Cancelled);
            EXPECT_EQ(handle, nullptr);
        });
    });
}

// Its executor goes while it waits: the frame of the handle goes too (the world counts frames).
TEST(StandardAwait, leaves_nothing_behind_when_its_executor_goes) {
    std::coroutine_handle<> handle;
    CombinatorWorld world;
    Held held(handle);
    world.executor.root().spawn(as_future(held));
    world.loop.turn(world.clock.now());
    EXPECT_NE(handle, nullptr);
}

}  // namespace
}  // namespace gyre
