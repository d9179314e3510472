// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/thread/blocking.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "gyre/pool/pools.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

TEST(BlockingCalls, give_what_the_function_returns) {
    const FrameCheck frames;
    TaskWorld world;
    int calls = 0;
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await blocking([] { return 7; }), 7);
        co_await blocking([&calls] { ++calls; });
        const std::unique_ptr<int> moved =
            co_await blocking([] { return std::make_unique<int>(3); });
        EXPECT_EQ(*moved, 3);
    });
    EXPECT_EQ(calls, 1);
}

TEST(BlockingCalls, do_nothing_before_they_are_awaited) {
    TaskWorld world;
    int calls = 0;
    world.run([&]() -> Future<void> {
        auto call = blocking([&calls] { return ++calls; });
        co_await sleep(1h);
        EXPECT_EQ(calls, 0);
        EXPECT_EQ(co_await std::move(call), 1);
    });
}

TEST(BlockingCalls, throw_what_the_function_throws) {
    const FrameCheck frames;
    TaskWorld world;
    bool is_caught = false;
    world.run([&]() -> Future<void> {
        try {
            co_await blocking([] { throw std::out_of_range("too far"); });
        } catch (const std::out_of_range& e) {
            EXPECT_STREQ(e.what(), "too far");
            is_caught = true;
        }
    });
    EXPECT_TRUE(is_caught);
}

TEST(BlockingCalls, keep_what_the_function_captures_until_they_are_over) {
    TaskWorld world;
    auto held = std::make_shared<int>(5);
    world.run([&]() -> Future<void> {
        auto read = [held] { return *held; };
        EXPECT_EQ(co_await blocking(read), 5);
    });
    EXPECT_EQ(held.use_count(), 1);
}

TEST(BlockingCalls, cancelled_in_the_queue_are_withdrawn) {
    // clause: L19
    const FrameCheck frames;
    TaskWorld world;
    int calls = 0;
    auto task = world.spawn([&]() -> Future<void> { co_await blocking([&calls] { ++calls; }); });
    world.spawn([&]() -> Future<void> {
        co_await yield();
        task.cancel();
    });
    static_cast<void>(world.loop.run());
    EXPECT_THROW(task.outcome().take(), Cancelled);
    EXPECT_EQ(calls, 0);
}

TEST(BlockingCalls, do_not_begin_where_a_cancel_is_due) {
    TaskWorld world;
    int calls = 0;
    auto task = world.spawn([&]() -> Future<void> {
        (co_await this_task()).cancel("by itself");
        co_await blocking([&calls] { ++calls; });
    });
    static_cast<void>(world.loop.run());
    EXPECT_THROW(task.outcome().take(), Cancelled);
    EXPECT_EQ(calls, 0);
}

TEST(BlockingCalls, without_an_offload_fail_with_an_error) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor);
    auto task = executor.root().spawn([]() -> Future<void> {
        try {
            co_await blocking([] {});
            ADD_FAILURE();
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::function_not_supported);
        }
    });
    static_cast<void>(loop.run());
    EXPECT_NO_THROW(task.outcome().take());
    loop.close();
}

// On real threads, in real time.
class BlockingThreads : public testing::Test {
protected:
    ~BlockingThreads() override { loop.close(); }

    pool::Pools pools{{.user = {.thread_count = 1}}};
    test::ThreadPlatform platform;
    Executor executor;
    Loop loop{platform, executor, {.offload = &pools}};
};

TEST_F(BlockingThreads, run_the_function_and_the_task_goes_on_at_home) {
    // clause: L18, K24
    const auto home = std::this_thread::get_id();
    auto task = executor.root().spawn([&]() -> Future<int> {
        int total = 0;
        for (int i = 0; i < 100; ++i) {
            const auto there = co_await blocking([&total, i] {
                total += i;
                return std::this_thread::get_id();
            });
            EXPECT_NE(there, home);
            EXPECT_EQ(std::this_thread::get_id(), home);
        }
        total += co_await compute([] { return 1; });
        co_return total;
    });
    static_cast<void>(loop.run());
    EXPECT_EQ(task.outcome().take(), 4951);
}

TEST_F(BlockingThreads, a_call_that_runs_when_it_is_cancelled_is_awaited_and_its_value_stands) {
    // clause: L19, K24
    std::mutex mutex;
    std::condition_variable changed;
    int stage = 0;
    const auto reach = [&](int number) {
        const std::lock_guard lock(mutex);
        stage = number;
        changed.notify_all();
    };
    const auto wait_for = [&](int number) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return stage >= number; });
    };
    int value = 0;
    int queued_calls = 0;
    auto running = executor.root().spawn([&]() -> Future<void> {
        value = co_await blocking([&] {
            reach(1);
            wait_for(2);
            return 9;
        });
        co_await sleep(0ms);
        ADD_FAILURE() << "the request is delivered at the next await";
    });
    auto queued = executor.root().spawn(
        [&]() -> Future<void> { co_await blocking([&queued_calls] { ++queued_calls; }); });
    auto other = executor.root().spawn([&]() -> Future<void> {
        while (pools.user().queued == 0) co_await yield();
        wait_for(1);
        queued.cancel();
        running.cancel();
        while (!queued.is_completed()) co_await yield();
        EXPECT_FALSE(running.is_completed());
        reach(2);
    });
    static_cast<void>(loop.run());
    EXPECT_EQ(value, 9);
    EXPECT_EQ(queued_calls, 0) << "one thread: it stood in the queue";
    EXPECT_THROW(running.outcome().take(), Cancelled);
    EXPECT_THROW(queued.outcome().take(), Cancelled);
}

}  // namespace
}  // namespace gyre
