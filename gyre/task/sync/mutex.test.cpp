// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/sync/semaphore.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

class Mutexes : public testing::Test {
protected:
    auto spawn_holder(int number, Duration hold = 1ms) {
        return world.spawn(
            [this](int mine, Duration for_long) -> Future<void> {
                const MutexGuard guard = co_await mutex.lock();
                EXPECT_EQ(inside++, 0) << "one at a time";
                order.push_back(mine);
                try {
                    co_await sleep(for_long);
                } catch (...) {
                    --inside;
                    throw;
                }
                --inside;
            },
            number, hold);
    }

    const FrameCheck frames;
    Mutex mutex;
    int inside = 0;
    std::vector<int> order;
    TaskWorld world;
};

TEST_F(Mutexes, let_one_in_at_a_time_in_the_order_they_asked) {
    for (int i = 1; i <= 4; ++i) spawn_holder(i);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
    EXPECT_FALSE(mutex.is_locked());
}

TEST_F(Mutexes, try_lock_never_waits_and_never_passes_a_waiter) {
    world.run([this]() -> Future<void> {
        MutexGuard guard = mutex.try_lock();
        EXPECT_TRUE(guard);
        EXPECT_FALSE(mutex.try_lock());
        auto waiter = spawn_holder(1);
        co_await sleep(1ms);
        guard.release();
        EXPECT_FALSE(mutex.try_lock()) << "it is the waiter's already";
    });
    EXPECT_EQ(order, (std::vector{1}));
}

TEST_F(Mutexes, a_waiter_cancelled_in_the_middle_of_the_queue_leaves_it_whole) {
    spawn_holder(1);
    spawn_holder(2);
    auto middle = spawn_holder(3);
    spawn_holder(4);
    world.run([&]() -> Future<void> {
        middle.cancel();
        co_return;
    });
    EXPECT_EQ(order, (std::vector{1, 2, 4}));
    EXPECT_FALSE(mutex.is_locked());
}

TEST_F(Mutexes, a_grant_that_races_a_cancel_is_passed_on) {
    auto holder = spawn_holder(1, 1h);
    auto next = spawn_holder(2, 1h);
    spawn_holder(3);
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        holder.cancel();
        while (!holder.is_completed()) co_await yield();
        EXPECT_TRUE(mutex.is_locked()) << "handed on, not set free";
        next.cancel();
    });
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
    EXPECT_FALSE(mutex.is_locked());
}

}  // namespace
}  // namespace gyre
