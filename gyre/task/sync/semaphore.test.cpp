// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/sync/semaphore.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

class Semaphores : public testing::Test {
protected:
    // Acquires permits, records its number, and holds them for a while.
    auto spawn_taker(int number, std::size_t count, Duration hold = 10ms) {
        return world.spawn(
            [this](int mine, std::size_t wanted, Duration for_long) -> Future<void> {
                const Permits held = co_await semaphore.acquire(wanted);
                order.push_back(mine);
                co_await sleep(for_long);
            },
            number, count, hold);
    }

    const FrameCheck frames;
    Semaphore semaphore{3};
    std::vector<int> order;
    TaskWorld world;
};

TEST_F(Semaphores, give_permits_and_take_them_back) {
    world.run([this]() -> Future<void> {
        Permits two = co_await semaphore.acquire(2);
        EXPECT_EQ(two.count(), 2u);
        EXPECT_EQ(semaphore.available(), 1u);
        EXPECT_FALSE(semaphore.try_acquire(2));
        EXPECT_EQ(semaphore.available(), 1u);
        two.release();
        two.release();
        EXPECT_EQ(semaphore.available(), 3u);
    });
}

TEST_F(Semaphores, serve_who_came_first_though_a_later_one_wants_less) {
    spawn_taker(1, 2);
    spawn_taker(2, 3);
    spawn_taker(3, 1);
    world.run([this]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_EQ(semaphore.available(), 1u);
        EXPECT_FALSE(semaphore.try_acquire(1)) << "nobody passes those who wait";
    });
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
    EXPECT_EQ(semaphore.available(), 3u);
}

TEST_F(Semaphores, a_cancelled_waiter_lets_those_behind_it_go_on) {
    spawn_taker(1, 2, 1h);
    auto big = spawn_taker(2, 3);
    spawn_taker(3, 1, 0ms);
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        big.cancel();
        co_await sleep(1ms);
        EXPECT_EQ(order, (std::vector{1, 3}));
    });
    EXPECT_THROW(big.outcome().take(), Cancelled);
    EXPECT_EQ(semaphore.available(), 3u);
}

TEST_F(Semaphores, a_grant_that_races_a_cancel_is_passed_on) {
    auto holder = spawn_taker(1, 3, 1h);
    auto next = spawn_taker(2, 3, 1h);
    spawn_taker(3, 3, 0ms);
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        holder.cancel();
        while (!holder.is_completed()) co_await yield();
        next.cancel();  // Granted, and not resumed yet.
    });
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
    EXPECT_EQ(semaphore.available(), 3u);
}

TEST_F(Semaphores, take_nothing_where_a_cancel_is_due) {
    auto task = world.spawn([this]() -> Future<void> {
        (co_await this_task()).cancel("by itself");
        const Permits never = co_await semaphore.acquire();
        ADD_FAILURE();
    });
    static_cast<void>(world.loop.run());
    EXPECT_THROW(task.outcome().take(), Cancelled);
    EXPECT_EQ(semaphore.available(), 3u);
}

TEST_F(Semaphores, permits_that_are_consumed_do_not_come_back_and_new_ones_may_come) {
    world.run([this]() -> Future<void> {
        (co_await semaphore.acquire(3)).consume();
        EXPECT_EQ(semaphore.available(), 0u);
        auto waiter = spawn_taker(1, 2);
        co_await sleep(1ms);
        semaphore.release();
        co_await sleep(1ms);
        EXPECT_TRUE(order.empty());
        semaphore.release();
        co_await sleep(1ms);
        EXPECT_EQ(order, (std::vector{1}));
    });
}

TEST_F(Semaphores, a_task_that_never_has_to_wait_lets_the_others_go_first) {
    bool is_over = false;
    world.spawn([&]() -> Future<void> {
        while (!is_over) const Permits one = co_await semaphore.acquire();
    });
    world.run([&]() -> Future<void> {
        co_await yield();
        is_over = true;
    });
    EXPECT_TRUE(is_over);
}

TEST(SemaphoreDeathTest, permits_that_are_gone_cannot_be_consumed) {
    Semaphore semaphore(2);
    Permits permits = semaphore.try_acquire(2);
    permits.release();
    EXPECT_DEATH(permits.consume(), "there are no permits to consume");
}

TEST(SemaphoreDeathTest, has_a_name) {
    EXPECT_DEATH(Semaphore(1, nullptr), "leave it out for the default");
}

}  // namespace
}  // namespace gyre
