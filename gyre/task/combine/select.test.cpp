// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/select.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/sync/channel.hpp"

namespace gyre {
namespace {

TEST(Select, gives_the_first_that_ends_and_cancels_the_others) {
    // clause: A33
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto [near, far] =
            co_await select(give_after(1ms, 1), world.note_end(give_after(1h, 2), 2));
        EXPECT_TRUE(near);
        EXPECT_EQ(near.take(), 1);
        EXPECT_FALSE(far);
        EXPECT_EQ(world.cancelled, std::vector{2});
    });
    EXPECT_EQ(world.elapsed(), 1ms + CombinatorWorld::clean_up_time);
}

TEST(Select, takes_nothing_from_a_channel_that_did_not_win) {
    CombinatorWorld world;
    Channel<int> first(1);
    Channel<int> second(1);
    world.run([&]() -> Future<void> {
        (void)second.try_send(2);
        auto [one, two] = co_await select(first.receive(), second.receive());
        EXPECT_FALSE(one);
        EXPECT_EQ(two.take(), 2);
        (void)first.try_send(1);
        EXPECT_EQ(co_await first.receive(), 1);
    });
}

TEST(Select, gives_all_that_are_ready_so_that_none_starves) {
    CombinatorWorld world;
    Channel<int> first(4);
    Channel<int> second(4);
    world.run([&]() -> Future<void> {
        for (int i = 0; i < 3; ++i) {
            (void)first.try_send(i);
            (void)second.try_send(10 + i);
            auto [one, two] = co_await select(first.receive(), second.receive());
            EXPECT_EQ(one.take(), i);
            EXPECT_EQ(two.take(), 10 + i);
        }
    });
}

// Both items are handed over before the task runs: neither may be dropped.
TEST(Select, loses_no_value_that_comes_at_the_same_time) {
    CombinatorWorld world;
    Channel<int> first(0);
    Channel<int> second(0);
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await sleep(1ms);
                EXPECT_TRUE(first.try_send(1));
                EXPECT_TRUE(second.try_send(2));
            });
            auto [one, two] = co_await select(first.receive(), second.receive());
            EXPECT_EQ(one.take(), 1);
            EXPECT_EQ(two.take(), 2);
        });
    });
}

TEST(Select, gives_the_value_that_an_awaitable_ends_with_although_it_was_cancelled) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto [tick, work] = co_await select(sleep(1ms), shielded(give_after(2ms, 7)));
        EXPECT_TRUE(tick);
        EXPECT_EQ(work.take(), 7);
    });
    EXPECT_EQ(world.elapsed(), 2ms);
}

TEST(Select, keeps_a_failure_beside_the_values) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto [bad, good] = co_await select(fail_after(1ms, "no"), shielded(give_after(1ms, 3)));
        EXPECT_TRUE(bad);
        EXPECT_NE(bad.failure(), nullptr);
        EXPECT_THROW((void)bad.take(), std::runtime_error);
        EXPECT_EQ(good.failure(), nullptr);
        EXPECT_EQ(good.take(), 3);
    });
}

TEST(Select, gives_a_cancel_that_is_not_its_own_as_a_failure) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        co_await with_scope([](Scope& scope) -> Future<void> {
            auto task = scope.spawn(nap, Duration(1h));
            task.cancel("enough");
            auto [end, never] = co_await select(task, nap(1h));
            EXPECT_TRUE(end);
            EXPECT_THROW(end.take(), Cancelled);
            EXPECT_FALSE(never);
        });
    });
}

TEST(Select, lets_a_task_go_on_whose_handle_is_kept) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        co_await with_scope([](Scope& scope) -> Future<void> {
            auto task = scope.spawn(give_after, Duration(2ms), 5);
            auto [early, tick] = co_await select(task, sleep(1ms));
            EXPECT_FALSE(early);
            EXPECT_TRUE(tick);
            EXPECT_EQ(co_await task, 5);
        });
    });
}

TEST(Select, moves_values_that_cannot_be_copied) {
    CombinatorWorld world;
    Channel<std::unique_ptr<int>> channel(1);
    world.run([&]() -> Future<void> {
        (void)channel.try_send(std::make_unique<int>(3));
        auto [item] = co_await select(channel.receive());
        EXPECT_EQ(**item.take(), 3);
    });
}

TEST(Select, passes_a_cancel_on_and_ends_with_it) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto both = select(world.note_end(give_after(1h, 1), 1), world.note_end(nap(1h), 2));
        EXPECT_THROW((void)co_await timeout(std::move(both), 1ms), TimeoutError);
        EXPECT_EQ(world.cancelled, (std::vector{1, 2}));
    });
}

// The request reaches the select after an item was handed over: the item is the result.
TEST(Select, keeps_a_value_when_it_is_cancelled_at_the_same_time) {
    CombinatorWorld world;
    Channel<int> channel(0);
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            int got = 0;
            auto task = scope.spawn([&]() -> Future<void> {
                auto [item, tick] = co_await select(channel.receive(), sleep(1h));
                got = *item.take();
                co_await sleep(1h);
            });
            co_await sleep(1ms);
            EXPECT_TRUE(channel.try_send(9));
            task.cancel("now");
            EXPECT_THROW(co_await task, Cancelled);
            EXPECT_EQ(got, 9);
        });
    });
}

TEST(SelectDeathTest, refuses_to_give_what_has_not_ended) {
    Selected<int> none;
    EXPECT_FALSE(none);
    EXPECT_DEATH((void)none.take(), "has not ended");
}

}  // namespace
}  // namespace gyre
