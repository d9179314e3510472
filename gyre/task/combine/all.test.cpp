// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/all.hpp"

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <string>

#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre {
namespace {

TEST(All, keeps_the_order_of_a_range_whoever_is_first) {
    // clause: A14
    CombinatorWorld world;
    const auto values = world.run([]() -> Future<std::vector<int>> {
        std::vector<Future<int>> futures;
        futures.push_back(give_after(3ms, 1));
        futures.push_back(give_after(1ms, 2));
        futures.push_back(give_after(2ms, 3));
        co_return co_await all(std::move(futures));
    });
    EXPECT_EQ(values, (std::vector{1, 2, 3}));
    EXPECT_EQ(world.elapsed(), 3ms) << "they ran one after another";
}

TEST(All, gives_a_tuple_of_different_types) {
    // clause: A14
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        const auto name = []() -> Future<std::unique_ptr<std::string>> {
            co_await sleep(1ms);
            co_return std::make_unique<std::string>("vela");
        };
        auto [number, unit, text] = co_await all(give_after(2ms, 1), nap(1ms), name());
        EXPECT_EQ(number, 1);
        EXPECT_EQ(*text, "vela");
        static_assert(std::is_same_v<decltype(unit), Unit>);
    });
}

TEST(All, fails_on_the_first_rejection_and_cancels_the_others) {
    // clause: A14
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        std::vector<Future<int>> futures;
        futures.push_back(world.note_end(give_after(1h, 1), 1));
        futures.push_back(fail_after(2ms, "second"));
        futures.push_back(fail_after(1ms, "first"));
        EXPECT_EQ(co_await failure_of(all(std::move(futures))), "first");
        EXPECT_EQ(world.cancelled, std::vector{1}) << "the loser has ended by then";
        EXPECT_EQ(world.elapsed(), 1ms + CombinatorWorld::clean_up_time);
    });
}

TEST(All, fails_on_the_first_rejection_in_a_tuple_and_without_values_too) {
    // clause: A14
    CombinatorWorld world;
    const auto fail_soon = []() -> Future<void> {
        co_await sleep(1ms);
        throw std::runtime_error("first");
    };
    world.run([&]() -> Future<void> {
        auto tuple = all(world.note_end(give_after(1h, 1), 1), fail_soon(), fail_after(2ms, "no"));
        EXPECT_EQ(co_await failure_of(std::move(tuple)), "first");
        std::vector<Future<void>> naps;
        naps.push_back(world.note_end(nap(1h), 2));
        naps.push_back(fail_soon());
        EXPECT_EQ(co_await failure_of(all(std::move(naps))), "first");
        EXPECT_EQ(world.cancelled, (std::vector{1, 2}));
    });
    EXPECT_EQ(world.elapsed(), 2 * (1ms + CombinatorWorld::clean_up_time));
}

TEST(All, without_values_ends_with_the_last) {
    // clause: A14
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        std::vector<Future<void>> naps;
        naps.push_back(nap(2ms));
        naps.push_back(nap(1ms));
        co_await all(std::move(naps));
    });
    EXPECT_EQ(world.elapsed(), 2ms);
}

TEST(All, of_no_futures_gives_no_values) {
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        EXPECT_TRUE((co_await all(std::vector<Future<int>>())).empty());
        co_await all(std::vector<Future<void>>());
        static_assert(std::is_same_v<decltype(all()), Future<std::tuple<>>>);
        co_await all();
    });
}

TEST(All, takes_futures_of_lambdas_that_are_there_while_it_runs) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        const int three = 3;
        const auto later = [&three]() -> Future<int> {
            co_await sleep(1ms);
            co_return three;
        };
        EXPECT_EQ(co_await all(later(), later()), (std::tuple{3, 3}));
    });
}

TEST(All, begins_nothing_before_it_is_awaited) {
    // clause: A15
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto both = all(world.note_begin(1), world.note_begin(2));
        co_await sleep(1ms);
        EXPECT_TRUE(world.begun.empty());
        auto dropped = all(world.note_begin(3), world.note_begin(4));
        co_await std::move(both);
        EXPECT_EQ(world.begun, (std::vector{1, 2}));
    });
    EXPECT_EQ(world.begun, (std::vector{1, 2}));
}

TEST(All, cancelled_cancels_every_future_and_waits_for_its_clean_up) {
    // clause: A22
    CombinatorWorld world;
    auto waiter = world.spawn([&]() -> Future<void> {
        std::list<Future<int>> futures;
        futures.push_back(world.note_end(give_after(1h, 1), 1));
        futures.push_back(world.note_end(give_after(1h, 2), 2));
        co_await all(std::move(futures));
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        waiter.cancel("enough");
        co_await sleep(1ns);
        EXPECT_EQ(waiter.state(), TaskState::waiting) << "its futures clean up";
    });
    (void)world.loop.run();
    EXPECT_EQ(world.cancelled, (std::vector{1, 2}));
    EXPECT_TRUE(waiter.was_cancelled()) << "the request itself, not that of a future";
    EXPECT_EQ(world.elapsed(), 1ms + CombinatorWorld::clean_up_time);
}

TEST(All, that_was_done_before_the_cancel_keeps_its_values) {
    CombinatorWorld world;
    std::vector<int> kept;
    auto waiter = world.spawn([&]() -> Future<void> {
        std::vector<Future<int>> futures;
        futures.push_back(shielded(give_after(2ms, 1)));
        kept = co_await all(std::move(futures));
        co_await sleep(1h);
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        waiter.cancel();
    });
    (void)world.loop.run();
    EXPECT_EQ(kept, std::vector{1});
    EXPECT_TRUE(waiter.was_cancelled());
    EXPECT_EQ(world.elapsed(), 2ms) << "the request is delivered at the next await";
}

TEST(And, gives_a_pair_of_both) {
    // clause: A08
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        const std::pair<int, Unit> both = co_await give_after(2ms, 7).and_(nap(2ms));
        EXPECT_EQ(both.first, 7);
    });
    EXPECT_EQ(world.elapsed(), 2ms) << "they ran one after another";
}

TEST(And, fails_with_either) {
    // clause: A08
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        EXPECT_EQ(co_await failure_of(give_after(1h, 1).and_(fail_after(1ms, "right"))), "right");
        EXPECT_EQ(co_await failure_of(fail_after(1ms, "left").and_(give_after(1h, 1))), "left");
    });
    EXPECT_EQ(world.elapsed(), 2ms);
}

}  // namespace
}  // namespace gyre
