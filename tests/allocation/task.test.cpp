// SPDX-License-Identifier: Apache-2.0
// Tasks in steady state allocate nothing: their frames come from pools that have warmed up.
#include <gtest/gtest.h>

#include <algorithm>

#include "gyre/sim/platform.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/thread/waker.hpp"
#include "tests/allocation/counting.hpp"

namespace gyre::allocation {
namespace {

using namespace std::chrono_literals;

constexpr int warm_up_rounds = 1'000;
constexpr int rounds = 10'000;

Future<int> give(int value) {
    co_return value;
}

// What `rounds` of this cost after the warm-up. The body's own frame is made before.
template <class Round>
std::uint64_t allocations_of(Round round) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor);
    std::uint64_t count = 0;
    executor.root().spawn([&]() -> Future<void> {
        for (int i = 0; i < warm_up_rounds; ++i) co_await round();
        const Since since;
        for (int i = 0; i < rounds; ++i) co_await round();
        count = since.count();
    });
    (void)loop.run();
    loop.close();
    return count;
}

struct TaskMemory : testing::Test {
    void SetUp() override {
        if (!has_pools) GTEST_SKIP() << "a sanitizer watches the memory";
    }
};

TEST_F(TaskMemory, of_awaiting_a_ready_future_is_reused) {
    // clause: A21
    Promise<int> settled;
    settled.resolve(1);
    auto future = settled.future();
    EXPECT_EQ(allocations_of([&]() -> Future<int> { co_return co_await future; }), 0u);
}

TEST_F(TaskMemory, is_not_taken_for_what_is_there_already) {
    // clause: A21
    Promise<int> settled;
    settled.resolve(1);
    auto future = settled.future();
    std::uint64_t count = 1;
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor);
    executor.root().spawn([&]() -> Future<void> {
        int total = 0;
        const Since since;  // No warm-up: not even the pool is asked.
        const auto blocks = FramePool::live_count();
        for (int i = 0; i < rounds; ++i) {
            total += co_await ready(1);
            total += co_await future;
            total += co_await settled.future();
        }
        count = since.count();
        EXPECT_EQ(FramePool::live_count(), blocks);
        EXPECT_EQ(total, 3 * rounds);
    });
    (void)loop.run();
    loop.close();
    EXPECT_EQ(count, 0u);
}

TEST_F(TaskMemory, of_wakers_is_that_of_one_for_each_task) {
    // clause: A21
    bool is_same = true;
    std::int64_t most = 0;
    EXPECT_EQ(allocations_of([&]() -> Future<void> {
                  const Waker waker = co_await this_waker();
                  const auto blocks = FramePool::live_count();
                  const Waker again = co_await this_waker();
                  is_same = is_same && waker.is_same(again);
                  most = std::max(most, FramePool::live_count() - blocks);
                  waker.wake();
                  co_await Woken();
              }),
              0u);
    EXPECT_TRUE(is_same);
    EXPECT_EQ(most, 0) << "another waker took memory of its own";
}

TEST_F(TaskMemory, of_awaiting_a_child_that_ends_at_once_is_reused) {
    // clause: A21
    EXPECT_EQ(allocations_of([]() -> Future<int> { co_return co_await give(1); }), 0u);
}

TEST_F(TaskMemory, of_sleeping_and_yielding_is_reused) {
    // clause: A21
    EXPECT_EQ(allocations_of([]() -> Future<void> {
                  co_await sleep(1ms);
                  co_await yield();
              }),
              0u);
}

TEST_F(TaskMemory, of_waiting_for_a_promise_is_reused) {
    EXPECT_EQ(allocations_of([]() -> Future<void> {
                  Promise<int> promise;
                  auto future = promise.future();
                  promise.resolve(1);
                  co_await std::move(future);
              }),
              0u);
}

TEST_F(TaskMemory, of_tasks_that_come_and_go_is_reused) {
    EXPECT_EQ(allocations_of([]() -> Future<void> {
                  co_await with_scope([](Scope& scope) -> Future<void> {
                      auto first = scope.spawn(give(1));
                      auto second = scope.spawn(give(2));
                      co_await std::move(second);
                      co_await std::move(first);
                  });
              }),
              0u);
}

TEST_F(TaskMemory, that_is_allocated_is_seen) {
    EXPECT_GE(allocations_of([]() -> Future<void> {
                  const auto waste = std::make_unique<int>(1);
                  co_return;
              }),
              1u);
}

}  // namespace
}  // namespace gyre::allocation
