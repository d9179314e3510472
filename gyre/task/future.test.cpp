// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/future.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "gyre/task/sleep.hpp"
#include "gyre/task/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<int> give(int value) {
    co_return value;
}
Future<int> give_later(int value) {
    co_await sleep(1ms);
    co_return value;
}
Future<int> count_down(int depth) {
    if (depth == 0) co_return 0;
    co_return 1 + co_await count_down(depth - 1);
}
Future<int> count_down_and_sleep(int depth) {
    if (depth == 0) co_return co_await give_later(0);
    co_return 1 + co_await count_down_and_sleep(depth - 1);
}
Future<int> throw_out() {
    throw std::runtime_error("out");
    co_return 0;
}
Future<int> fail_with(std::errc code) {
    co_await fail(Error(code));
    co_return 0;
}

TEST(Future, does_nothing_before_it_is_awaited) {
    // clause: A15
    TaskWorld world;
    bool has_run = false;
    const auto body = [&]() -> Future<void> {
        has_run = true;
        co_return;
    };
    world.run([&]() -> Future<void> {
        auto future = body();
        co_await sleep(1ms);
        EXPECT_FALSE(has_run);
        co_await std::move(future);
        EXPECT_TRUE(has_run);
    });
}

TEST(Future, dropped_before_it_began_never_runs) {
    TaskWorld world;
    bool has_run = false;
    const auto body = [&]() -> Future<void> {
        has_run = true;
        co_return;
    };
    world.run([&]() -> Future<void> {
        {
            auto dropped = body();
        }
        co_return;
    });
    EXPECT_FALSE(has_run);
}

TEST(Future, gives_its_value_at_once_or_later) {
    TaskWorld world;
    EXPECT_EQ(
        world.run([]() -> Future<int> { co_return co_await give(1) + co_await give_later(2); }), 3);
}

TEST(Future, what_is_ready_needs_no_frame_and_turns_into_a_future) {
    TaskWorld world;
    world.run([]() -> Future<void> {
        const auto frames = FramePool::live_count();
        EXPECT_EQ(co_await ready(3), 3);
        EXPECT_EQ(FramePool::live_count(), frames);
        Future<int> future = ready(4);
        EXPECT_EQ(co_await std::move(future), 4);
    });
}

TEST(Future, gives_a_reference_and_what_only_moves) {
    TaskWorld world;
    int place = 0;
    const auto refer = [&]() -> Future<int&> { co_return place; };
    const auto make = []() -> Future<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    world.run([&]() -> Future<void> {
        (co_await refer()) = 5;
        EXPECT_EQ(*co_await make(), 7);
    });
    EXPECT_EQ(place, 5);
}

TEST(Future, a_million_deep_leaves_the_stack_alone) {
    TaskWorld world;
    EXPECT_EQ(world.run(count_down, 1'000'000), 1'000'000);
    EXPECT_EQ(world.run(count_down_and_sleep, 1'000'000), 1'000'000);
}

TEST(Future, a_million_awaits_in_a_loop_leave_the_stack_alone) {
    TaskWorld world;
    EXPECT_EQ(world.run([]() -> Future<int> {
        int total = 0;
        for (int i = 0; i < 1'000'000; ++i) total += co_await give(1);
        co_return total;
    }),
              1'000'000);
}

TEST(Future, throws_where_it_is_awaited) {
    // clause: A18
    TaskWorld world;
    world.run([]() -> Future<void> {
        bool is_caught = false;
        try {
            co_await throw_out();
        } catch (const std::runtime_error& e) {
            is_caught = true;
            EXPECT_STREQ(e.what(), "out");
        }
        EXPECT_TRUE(is_caught);
    });
}

TEST(Future, fails_with_an_error_without_a_throw) {
    // clause: A19
    TaskWorld world;
    world.run([]() -> Future<void> {
        const Result<int> failed = co_await try_(fail_with(std::errc::no_link));
        EXPECT_EQ(failed, std::unexpected(Error(std::errc::no_link)));
        const Result<int> good = co_await try_(give_later(4));
        EXPECT_EQ(good, 4);
    });
}

TEST(Future, an_error_is_thrown_where_nobody_tries) {
    TaskWorld world;
    EXPECT_THROW(world.run(fail_with, std::errc::no_link), std::system_error);
}

TEST(Future, a_failing_body_destroys_what_it_holds) {
    TaskWorld world;
    auto held = std::make_shared<int>(1);
    const auto body = [](std::shared_ptr<int> mine) -> Future<void> {
        const auto again = mine;
        co_await fail(Error(std::errc::no_link));
    };
    world.run([&]() -> Future<void> { (void)co_await try_(body(held)); });
    EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace gyre
