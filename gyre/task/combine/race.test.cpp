// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/race.hpp"

#include <gtest/gtest.h>

#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre {
namespace {

TEST(Race, is_won_by_the_first_value) {
    // clause: A14
    CombinatorWorld world;
    EXPECT_EQ(world.run([&]() -> Future<int> {
        const int first = co_await race(world.note_end(give_after(1h, 1), 1), give_after(1ms, 2),
                                        fail_after(2ms, "late"));
        EXPECT_EQ(world.cancelled, std::vector{1}) << "the losers have ended by then";
        co_return first;
    }),
              2);
    EXPECT_EQ(world.elapsed(), 1ms + CombinatorWorld::clean_up_time);
}

TEST(Race, is_won_by_the_first_failure) {
    // clause: A14
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<std::string> {
        return failure_of(race(give_after(2ms, 1), fail_after(1ms, "first")));
    }),
              "first");
}

TEST(Race, of_two_that_settle_at_once_is_won_by_the_one_that_came_first) {
    // clause: A14
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<int> {
        std::vector<Future<int>> futures;
        futures.push_back(nap(1ms).map([] { return 1; }).map([](int n) { return n; }));
        futures.push_back(ready(2));
        futures.push_back(ready(3));
        return race(std::move(futures));
    }),
              2);
}

TEST(Race, of_futures_without_a_value_ends_with_the_first) {
    // clause: A14
    CombinatorWorld world;
    world.run([]() -> Future<void> { return race(nap(1h), nap(1ms)); });
    EXPECT_EQ(world.elapsed(), 1ms);
}

TEST(Race, and_the_others_of_its_kind_begin_nothing_before_they_are_awaited) {
    // clause: A15
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        {
            auto first = race(world.note_begin(1), world.note_begin(2));
            auto good = any(world.note_begin(3));
            auto settled = all_settled(world.note_begin(4));
            auto in_time = timeout(world.note_begin(5), 1s);
            auto by_then = deadline(world.note_begin(6), world.began + 1s);
            auto both = world.note_begin(7).and_(world.note_begin(8));
            auto scoped = with_scope([&](Scope&) -> Future<int> { return world.note_begin(9); });
            co_await sleep(1ms);
            EXPECT_TRUE(world.begun.empty());
            co_await std::move(first);
            co_await std::move(scoped);
        }
        co_await sleep(1ms);
    });
    EXPECT_EQ(world.begun, (std::vector{1, 9})) << "those that were dropped never began";
}

TEST(Race, of_no_futures_is_an_error) {
    CombinatorWorld world;
    EXPECT_THROW(world.run([]() -> Future<int> { return race(std::vector<Future<int>>()); }),
                 Failure);
}

TEST(Race, cancelled_cancels_every_future_and_waits_for_its_clean_up) {
    CombinatorWorld world;
    auto waiter = world.spawn([&]() -> Future<int> {
        return race(world.note_end(give_after(1h, 1), 1), world.note_end(give_after(1h, 2), 2));
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        waiter.cancel();
    });
    (void)world.loop.run();
    EXPECT_EQ(world.cancelled, (std::vector{1, 2}));
    EXPECT_TRUE(waiter.was_cancelled());
}

TEST(Race, that_is_won_before_the_cancel_keeps_its_value) {
    CombinatorWorld world;
    int won = 0;
    auto waiter = world.spawn([&]() -> Future<void> {
        won = co_await race(give_after(1ms, 1), shielded(give_after(3ms, 2)));
        co_await sleep(1h);
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(2ms);
        waiter.cancel();
    });
    (void)world.loop.run();
    EXPECT_EQ(won, 1);
    EXPECT_TRUE(waiter.was_cancelled());
}

}  // namespace
}  // namespace gyre
