// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/all.hpp"

#include <gtest/gtest.h>

#include "gyre/task/combine/combinator_world.test.hpp"

namespace gyre {
namespace {

std::string text_of(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return e.what();
    }
}

TEST(AllSettled, waits_for_all_and_keeps_what_each_failed_with) {
    CombinatorWorld world;
    const auto fail_with = [](std::errc code) -> Future<int> {
        co_await fail(Error(code));
        co_return 0;
    };
    world.run([&]() -> Future<void> {
        std::vector<Future<int>> futures;
        futures.push_back(fail_after(1ms, "broken"));
        futures.push_back(give_after(2ms, 2));
        futures.push_back(fail_with(std::errc::no_link));
        auto settled = co_await all_settled(std::move(futures));
        EXPECT_EQ(settled.size(), 3u);
        EXPECT_EQ(text_of(settled[0].error()), "broken");
        EXPECT_EQ(settled[1].value(), 2);
        EXPECT_THROW(std::rethrow_exception(settled[2].error()), std::system_error);
    });
    EXPECT_EQ(world.elapsed(), 2ms);
}

TEST(AllSettled, gives_a_tuple_of_different_types) {
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        const auto [number, nothing] = co_await all_settled(fail_after(1ms, "broken"), nap(2ms));
        EXPECT_EQ(text_of(number.error()), "broken");
        EXPECT_TRUE(nothing.has_value());
    });
}

TEST(AllSettled, of_no_futures_gives_nothing) {
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        EXPECT_TRUE((co_await all_settled(std::vector<Future<int>>())).empty());
    });
}

TEST(AllSettled, cancelled_cancels_every_future_and_throws) {
    CombinatorWorld world;
    auto waiter = world.spawn([&]() -> Future<void> {
        (void)co_await all_settled(world.note_end(give_after(1h, 1), 1), give_after(1ns, 2));
        ADD_FAILURE() << "gave the cancelled ones as settled";
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        waiter.cancel();
    });
    (void)world.loop.run();
    EXPECT_EQ(world.cancelled, std::vector{1});
    EXPECT_TRUE(waiter.was_cancelled());
}

}  // namespace
}  // namespace gyre
