// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/timeout.hpp"

#include <gtest/gtest.h>

#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/core/promise.hpp"

namespace gyre {
namespace {

TEST(Timeout, gives_the_value_that_is_there_in_time_and_clears_its_timer) {
    // clause: A14
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await timeout(give_after(1ms, 7), 5s), 7);
        EXPECT_EQ(world.loop.timer_count(), 0u);
    });
    EXPECT_EQ(world.elapsed(), 1ms);
}

TEST(Timeout, fails_with_a_timeout_error_when_time_is_up) {
    // clause: A14
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        try {
            (void)co_await timeout(world.note_end(give_after(1h, 1), 1), 5000ms);
            ADD_FAILURE() << "gave a value";
        } catch (const TimeoutError& e) {
            EXPECT_STREQ(e.what(), "Timeout after 5000ms");
            EXPECT_EQ(e.code(), std::errc::timed_out);
            EXPECT_EQ(e.limit(), 5s);
        }
        EXPECT_EQ(world.cancelled, std::vector{1});
        EXPECT_EQ(world.loop.timer_count(), 0u);
    });
    EXPECT_EQ(world.elapsed(), 5s + CombinatorWorld::clean_up_time);
}

TEST(Timeout, is_an_error_of_the_result_where_it_is_tried) {
    // clause: A14
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        EXPECT_EQ(co_await try_(timeout(give_after(2ms, 1), 1ms)),
                  std::unexpected(Error(std::errc::timed_out)));
        EXPECT_EQ(co_await try_(timeout(give_after(1ms, 1), 2ms)), 1);
    });
}

TEST(Timeout, says_parts_of_a_millisecond) {
    EXPECT_STREQ(TimeoutError(1500us).what(), "Timeout after 1.5ms");
    EXPECT_STREQ(TimeoutError(1ns).what(), "Timeout after 0.000001ms");
    EXPECT_STREQ(TimeoutError(0ns).what(), "Timeout after 0ms");
    EXPECT_STREQ(TimeoutError(-1ns).what(), "Timeout after 0ms");
}

TEST(Timeout, passes_a_failure_on_and_clears_its_timer) {
    // clause: A14
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await failure_of(timeout(fail_after(1ms, "broken"), 1s)), "broken");
        EXPECT_EQ(world.loop.timer_count(), 0u);
    });
    EXPECT_EQ(world.elapsed(), 1ms);
}

TEST(Timeout, takes_what_becomes_a_future) {
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        Promise<int> promise;
        EXPECT_EQ(co_await failure_of(timeout(promise.future(), 1ms)), "Timeout after 1ms");
        promise.resolve(4);
        EXPECT_EQ(co_await timeout(promise.future(), 1ms), 4);
    });
}

TEST(Timeout, lets_a_future_that_is_ready_win_with_no_time_left) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await timeout(ready(1), 0s), 1);
        EXPECT_EQ(co_await deadline(ready(2), Instant()), 2);
        EXPECT_EQ(co_await failure_of(timeout(give_after(1ms, 3), 0s)), "Timeout after 0ms");
    });
}

TEST(Timeout, lets_a_value_stand_that_comes_all_the_same) {
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<int> { return timeout(shielded(give_after(2s, 9)), 1s); }),
              9);
}

TEST(Timeout, lets_a_failure_of_the_clean_up_stand) {
    CombinatorWorld world;
    const auto fails_in_clean_up = []() -> Future<int> {
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            throw std::runtime_error("clean-up");
        }
        co_return 0;
    };
    EXPECT_EQ(world.run([&]() -> Future<std::string> {
        return failure_of(timeout(fails_in_clean_up(), 1s));
    }),
              "clean-up");
}

TEST(Timeout, cancelled_is_cancelled_and_not_timed_out) {
    // clause: A14
    CombinatorWorld world;
    auto waiter = world.spawn([&]() -> Future<int> { return timeout(give_after(2s, 1), 1s); });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        waiter.cancel();
    });
    (void)world.loop.run();
    EXPECT_TRUE(waiter.was_cancelled());
    EXPECT_EQ(world.elapsed(), 1ms);
}

TEST(Deadline, holds_at_that_instant) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        co_await sleep(1s);
        EXPECT_EQ(co_await failure_of(deadline(give_after(1h, 1), world.began + 3s)),
                  "Timeout after 2000ms");
    });
    EXPECT_EQ(world.elapsed(), 3s);
}

TEST(Deadline, that_is_nearer_holds_whichever_is_outside) {
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        EXPECT_EQ(co_await failure_of(timeout(timeout(give_after(1h, 1), 3s), 1s)),
                  "Timeout after 1000ms");
        EXPECT_EQ(co_await failure_of(timeout(timeout(give_after(1h, 1), 1s), 3s)),
                  "Timeout after 1000ms");
    });
    EXPECT_EQ(world.elapsed(), 2s);
}

Future<void> expect_deadline(Instant expected) {
    EXPECT_EQ(co_await current_deadline(), expected);
}

TEST(Deadline, can_be_read_through_scopes_and_tells_the_nearest) {
    CombinatorWorld world;
    const Instant in_1s = world.began + 1s;
    const auto spawn_inside = [in_1s]() -> Future<void> {
        co_await with_scope([in_1s](Scope& scope) -> Future<void> {
            scope.spawn(expect_deadline(in_1s));
            co_return;
        });
    };
    world.run([&]() -> Future<void> {
        co_await expect_deadline(Instant::never());
        co_await timeout(expect_deadline(in_1s), 1s);
        co_await timeout(timeout(expect_deadline(in_1s), 3s), 1s);
        co_await timeout(timeout(expect_deadline(in_1s), 1s), 3s);
        co_await timeout(spawn_inside(), 1s);
        co_await expect_deadline(Instant::never());
    });
}

}  // namespace
}  // namespace gyre
