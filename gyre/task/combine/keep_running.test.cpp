// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/shield.hpp"

#include <gtest/gtest.h>

#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre {
namespace {

Future<int> note_after(Duration delay, bool& is_noted) {
    co_await sleep(delay);
    is_noted = true;
    co_return 1;
}

TEST(KeepRunning, lets_the_loser_of_a_race_run_on_in_the_scope) {
    CombinatorWorld world;
    bool is_noted = false;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            EXPECT_EQ(co_await race(keep_running(scope, note_after(5ms, is_noted)),
                                    keep_running(scope, give_after(1ms, 2))),
                      2);
            EXPECT_EQ(world.elapsed(), 1ms);
            EXPECT_FALSE(is_noted);
        });
        EXPECT_TRUE(is_noted);
    });
}

TEST(KeepRunning, begins_when_it_is_awaited) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto future = keep_running(scope, world.note_begin(1));
            co_await sleep(1ms);
            EXPECT_TRUE(world.begun.empty());
            EXPECT_EQ(co_await std::move(future), 1);
        });
    });
}

TEST(KeepRunning, gives_a_failure_to_who_waits_and_leaves_the_scope_alone) {
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        co_await with_scope([](Scope& scope) -> Future<void> {
            EXPECT_EQ(co_await failure_of(keep_running(scope, fail_after(1ms, "mine"))), "mine");
            co_await sleep(1ms);
        });
    });
}

TEST(KeepRunning, fails_the_scope_when_nobody_waits_any_more) {
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<std::string> {
        return failure_of(with_scope([](Scope& scope) -> Future<void> {
            EXPECT_EQ(
                co_await failure_of(timeout(keep_running(scope, fail_after(2ms, "late")), 1ms)),
                "Timeout after 1ms");
            co_await sleep(1h);
        }));
    }),
              "late");
}

TEST(KeepRunning, ends_with_its_scope) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto waiter = scope.spawn([&]() -> Future<int> {
                return keep_running(scope, world.note_end(give_after(1h, 1), 1));
            });
            co_await sleep(1ms);
            scope.cancel();
        });
    });
    EXPECT_EQ(world.cancelled, std::vector{1});
}

#if !defined(__clang__)  // which does not tell a promise what its function was called on
TEST(KeepRunningDeathTest, refuses_a_lambda_that_may_be_gone_by_then) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            TaskWorld world;
            int captured = 1;
            const auto body = [&captured]() -> Future<int> { co_return captured; };
            world.run([&]() -> Future<int> { return keep_running(world.executor.root(), body()); });
        },
        "may be gone when it runs on");
}
#endif

}  // namespace
}  // namespace gyre
