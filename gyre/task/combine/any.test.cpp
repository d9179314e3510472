// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/race.hpp"

#include <gtest/gtest.h>

#include "gyre/task/combine/combinator_world.test.hpp"

namespace gyre {
namespace {

TEST(Any, is_won_by_the_first_value_past_failures) {
    CombinatorWorld world;
    EXPECT_EQ(world.run([&]() -> Future<int> {
        return any(fail_after(1ms, "early"), give_after(2ms, 2),
                   world.note_end(give_after(1h, 3), 3));
    }),
              2);
    EXPECT_EQ(world.cancelled, std::vector{3});
}

TEST(Any, of_failures_alone_throws_them_all_in_their_order) {
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        try {
            (void)co_await any(fail_after(2ms, "a"), fail_after(1ms, "b"));
            ADD_FAILURE() << "gave a value";
        } catch (const AggregateError& e) {
            EXPECT_STREQ(e.what(), "all of 2 futures failed");
            EXPECT_EQ(e.failures().size(), 2u);
            try {
                std::rethrow_exception(e.failures().front());
            } catch (const std::runtime_error& first) {
                EXPECT_STREQ(first.what(), "a");
            }
        }
    });
}

TEST(Any, of_no_futures_fails_at_once) {
    CombinatorWorld world;
    EXPECT_THROW(world.run([]() -> Future<int> { return any(std::vector<Future<int>>()); }),
                 AggregateError);
}

TEST(Any, cancelled_throws_that_and_no_aggregate) {
    CombinatorWorld world;
    auto waiter =
        world.spawn([&]() -> Future<int> { return any(world.note_end(give_after(1h, 1), 1)); });
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
