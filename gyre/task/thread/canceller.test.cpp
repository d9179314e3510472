// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/thread/canceller.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "gyre/pool/pools.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

std::string reason_of(TaskHandle<void>& task) {
    try {
        task.outcome().throw_failure();
    } catch (const Cancelled& e) {
        return e.reason().why;
    }
    return "it was not cancelled";
}

// A loop in real time, whose wait only a post from another thread ends.
struct CancelledFromOutside : testing::Test {
    ~CancelledFromOutside() override { loop.close(); }
    auto wait_forever() {
        return executor.root().spawn([this]() -> Future<void> { co_await never; });
    }

    const FrameCheck frames;
    test::ThreadPlatform platform;
    Event never;
    Executor executor;
    Loop loop{platform, executor};
};

TEST_F(CancelledFromOutside, hears_it_though_nothing_else_wakes_the_loop) {
    auto task = wait_forever();
    std::thread other([canceller = task.canceller()] { canceller.cancel("enough"); });
    EXPECT_EQ(loop.run(), Loop::End::idle);
    other.join();
    EXPECT_TRUE(task.was_cancelled());
    EXPECT_EQ(reason_of(task), "enough");
}

TEST_F(CancelledFromOutside, by_many_threads_is_cancelled_once) {
    int deliveries = 0;
    auto task = executor.root().spawn([&]() -> Future<void> {
        for (;;) {
            try {
                co_await never;
            } catch (const Cancelled&) {
                ++deliveries;
                break;
            }
        }
    });
    loop.turn();  // A task that has not begun would end without hearing of it.
    std::vector<std::thread> others;
    for (int i = 0; i < 8; ++i) {
        others.emplace_back([canceller = task.canceller()] {
            const Canceller copy = canceller;
            copy.cancel();
            canceller.cancel();
        });
    }
    (void)loop.run();
    for (std::thread& other : others) other.join();
    EXPECT_EQ(deliveries, 1);
    EXPECT_TRUE(task.is_completed());
}

TEST_F(CancelledFromOutside, the_last_canceller_gone_ends_the_hope) {
    auto task = wait_forever();
    std::thread other(
        [canceller = task.canceller()]() mutable { const Canceller last = std::move(canceller); });
    EXPECT_EQ(loop.run(), Loop::End::idle) << "it must not wait for a cancel that never comes";
    other.join();
    EXPECT_FALSE(task.is_completed());
}

TEST_F(CancelledFromOutside, after_its_end_is_not_cancelled) {
    std::optional<Canceller> kept;
    {
        auto task = executor.root().spawn([]() -> Future<void> { co_return; });
        kept = task.canceller();
        EXPECT_EQ(loop.run(), Loop::End::idle)
            << "a canceller of an ended task keeps nothing alive";
        kept->cancel();
        EXPECT_FALSE(task.was_cancelled());
    }
    std::thread other([canceller = *kept] { canceller.cancel(); });
    other.join();
    kept.reset();
}

TEST_F(CancelledFromOutside, on_its_own_thread_takes_effect_at_once) {
    auto task = wait_forever();
    const Canceller canceller = task.canceller();
    loop.turn();
    canceller.cancel("here");
    EXPECT_EQ(task.state(), TaskState::ready);
    (void)loop.run();
    EXPECT_EQ(reason_of(task), "here");
}

TEST_F(CancelledFromOutside, by_a_stop_that_is_requested_elsewhere) {
    std::stop_source source;
    auto task = wait_forever();
    cancel_on_stop(task, source.get_token());
    std::thread other([&source] { source.request_stop(); });
    (void)loop.run();
    other.join();
    EXPECT_EQ(reason_of(task), "a stop was requested");
}

TEST_F(CancelledFromOutside, by_a_stop_that_was_requested_before) {
    std::stop_source source;
    source.request_stop();
    auto task = wait_forever();
    cancel_on_stop(task, source.get_token());
    (void)loop.run();
    EXPECT_TRUE(task.was_cancelled());
}

TEST_F(CancelledFromOutside, a_token_without_a_source_keeps_nothing_alive) {
    auto task = wait_forever();
    cancel_on_stop(task, std::stop_token());
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_FALSE(task.is_completed());
}

TEST_F(CancelledFromOutside, a_stop_after_its_end_finds_no_callback) {
    std::stop_source source;
    auto task = executor.root().spawn([]() -> Future<void> { co_return; });
    cancel_on_stop(task, source.get_token());
    (void)loop.run();
    source.request_stop();
    EXPECT_FALSE(task.was_cancelled());
}

TEST(Cancellers, of_a_task_that_did_not_end_outlive_its_executor) {
    const FrameCheck frames;
    Event never;
    std::optional<Canceller> kept;
    {
        TaskWorld world;
        auto task = world.spawn([&]() -> Future<void> {
            const auto wait = [&never]() -> Future<void> { co_await never; };
            co_await shield(wait());
        });
        kept = task.canceller();
        world.loop.turn();
        EXPECT_EQ(task.state(), TaskState::waiting);
    }
    kept->cancel();
    kept.reset();
}

TEST(StopTokens, are_stopped_by_the_cancel_of_their_task) {
    TaskWorld world;
    std::stop_token token;
    auto task = world.spawn([&]() -> Future<void> {
        token = co_await this_stop_token();
        co_await sleep(1h);
    });
    world.run([&]() -> Future<void> {
        co_await sleep(1s);
        EXPECT_TRUE(token.stop_possible());
        EXPECT_FALSE(token.stop_requested());
        task.cancel();
        EXPECT_TRUE(token.stop_requested()) << "at once, not when the task runs next";
    });
}

TEST(StopTokens, are_not_stopped_while_their_task_is_shielded) {
    TaskWorld world;
    std::stop_token token;
    auto task = world.spawn([&]() -> Future<void> {
        token = co_await this_stop_token();
        const auto body = []() -> Future<void> { co_await sleep(2s); };
        co_await shield(body());
        EXPECT_FALSE(token.stop_requested());
        co_await sleep(1h);
    });
    world.run([&]() -> Future<void> {
        co_await sleep(1s);
        task.cancel();
        EXPECT_FALSE(token.stop_requested());
    });
    EXPECT_TRUE(task.was_cancelled());
    EXPECT_TRUE(token.stop_requested());
}

TEST(StopTokens, are_new_after_a_cancel_was_delivered) {
    TaskWorld world;
    std::stop_token first;
    std::stop_token second;
    auto task = world.spawn([&]() -> Future<void> {
        first = co_await this_stop_token();
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
        }
        second = co_await this_stop_token();
        EXPECT_TRUE(first.stop_requested());
        EXPECT_FALSE(second.stop_requested());
        co_await sleep(1h);
    });
    world.run([&]() -> Future<void> {
        co_await sleep(1s);
        task.cancel();
        co_await sleep(1s);
        task.cancel();
    });
    EXPECT_TRUE(second.stop_requested());
}

TEST(StopTokens, end_blocking_work_of_a_task_that_is_cancelled) {
    test::ThreadPlatform platform;
    pool::Pools pools;
    Executor executor;
    Loop loop(platform, executor, {.offload = &pools});
    std::atomic<bool> has_begun = false;
    auto task = executor.root().spawn([&]() -> Future<void> {
        const std::stop_token stop = co_await this_stop_token();
        auto search = [&has_begun, stop] {
            has_begun = true;
            while (!stop.stop_requested()) std::this_thread::yield();
        };
        co_await blocking(search);
    });
    std::thread other([&has_begun, canceller = task.canceller()] {
        while (!has_begun) std::this_thread::yield();
        canceller.cancel();
    });
    (void)loop.run();
    other.join();
    EXPECT_TRUE(task.is_completed());
    loop.close();
}

}  // namespace
}  // namespace gyre
