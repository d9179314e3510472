// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/sync/event.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

class Events : public testing::Test {
protected:
    auto spawn_waiter(int number) {
        return world.spawn(
            [this](int mine) -> Future<void> {
                co_await event.wait();
                woken.push_back(mine);
            },
            number);
    }

    const FrameCheck frames;
    Event event;
    std::vector<int> woken;
    TaskWorld world;
};

TEST_F(Events, wake_all_who_wait_in_their_order) {
    spawn_waiter(1);
    spawn_waiter(2);
    world.run([this]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_TRUE(woken.empty());
        event.set();
        event.reset();  // Those who waited are woken all the same.
    });
    EXPECT_EQ(woken, (std::vector{1, 2}));
    EXPECT_FALSE(event.is_set());
}

TEST_F(Events, that_are_set_keep_nobody_waiting_until_they_are_reset) {
    event.set();
    world.run([this]() -> Future<void> {
        co_await event.wait();
        co_await event.wait();
        event.reset();
        auto late = spawn_waiter(1);
        co_await sleep(1ms);
        EXPECT_EQ(late.state(), TaskState::waiting);
        event.set();
    });
    EXPECT_EQ(woken, (std::vector{1}));
}

TEST_F(Events, forget_a_waiter_that_is_cancelled) {
    auto first = spawn_waiter(1);
    spawn_waiter(2);
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        first.cancel();
        event.set();
    });
    EXPECT_EQ(woken, (std::vector{2}));
    EXPECT_THROW(first.outcome().take(), Cancelled);
}

TEST_F(Events, a_wake_that_came_before_the_cancel_stands) {
    auto first = spawn_waiter(1);
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        event.set();
        first.cancel();
    });
    EXPECT_EQ(woken, (std::vector{1}));
}

TEST_F(Events, a_task_that_never_has_to_wait_lets_the_others_go_first) {
    event.set();
    bool is_over = false;
    world.spawn([&]() -> Future<void> {
        while (!is_over) co_await event.wait();
    });
    world.run([&]() -> Future<void> {
        co_await yield();
        is_over = true;
    });
    EXPECT_TRUE(is_over);
}

}  // namespace
}  // namespace gyre
