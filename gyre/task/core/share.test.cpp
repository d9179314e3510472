// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/promise.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

class Shared : public testing::Test {
protected:
    Future<int> count_run() {
        ++runs;
        try {
            co_await sleep(10ms);
        } catch (const Cancelled&) {
            ++cancels;
            throw;
        }
        ++ends;
        co_return 7;
    }
    auto spawn_waiter(SharedFuture<int> future) {
        return world.spawn(
            [this](SharedFuture<int> mine) -> Future<void> { seen.push_back(co_await mine); },
            std::move(future));
    }

    const FrameCheck frames;
    int runs = 0;
    int ends = 0;
    int cancels = 0;
    std::vector<int> seen;
    TaskWorld world;
};

TEST_F(Shared, futures_run_once_for_all_who_await_them) {
    auto shared = share(count_run());
    for (int i = 0; i < 3; ++i) spawn_waiter(shared);
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await shared, 7);
        EXPECT_EQ(co_await shared, 7);
    });
    EXPECT_EQ(seen, std::vector(3, 7));
    EXPECT_EQ(runs, 1);
}

TEST_F(Shared, futures_do_nothing_before_the_first_await) {
    // clause: A15
    std::optional shared = share(count_run());
    world.run([]() -> Future<void> { co_await sleep(1h); });
    EXPECT_EQ(runs, 0);
    EXPECT_FALSE(shared->is_settled());
    shared.reset();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(runs, 0) << "dropped before it began, it never runs";
}

TEST_F(Shared, futures_are_cancelled_when_the_last_copy_goes_before_their_end) {
    std::optional first = share(count_run());
    std::optional second = first;
    auto waiter = spawn_waiter(*first);
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_EQ(runs, 1);
        waiter.cancel();
        first.reset();
        co_await sleep(1ms);
        EXPECT_EQ(cancels, 0) << "one copy is left";
        second.reset();
        co_await sleep(1ms);
        EXPECT_EQ(cancels, 1);
    });
    EXPECT_EQ(ends, 0);
    EXPECT_TRUE(seen.empty());
}

TEST_F(Shared, futures_dropped_between_the_first_await_and_their_start_never_run) {
    std::optional shared = share(count_run());
    auto waiter = world.spawn([&]() -> Future<void> { co_await sleep(1h); });
    world.run([&]() -> Future<void> {
        auto impatient = spawn_waiter(*shared);
        co_await yield();
        impatient.cancel();
        shared.reset();
        co_await sleep(1ms);
        waiter.cancel();
    });
    EXPECT_EQ(ends, 0);
    EXPECT_EQ(runs, cancels);
}

TEST_F(Shared, futures_go_on_while_one_waiter_is_left) {
    auto shared = share(count_run());
    auto cancelled = spawn_waiter(shared);
    spawn_waiter(std::move(shared));
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        cancelled.cancel();
    });
    EXPECT_EQ(seen, (std::vector{7}));
    EXPECT_EQ(ends, 1);
}

TEST_F(Shared, futures_that_are_over_stay_over_when_the_copies_go) {
    std::optional shared = share(count_run());
    spawn_waiter(*shared);
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(shared->is_settled());
    shared.reset();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(cancels, 0);
    EXPECT_EQ(ends, 1);
}

TEST_F(Shared, futures_throw_what_they_failed_with_at_all_who_await_them) {
    const auto body = []() -> Future<int> {
        co_await sleep(1ms);
        throw std::out_of_range("too far");
    };
    auto shared = share(body());
    int caught = 0;
    const auto look = [&]() -> Future<void> {
        try {
            static_cast<void>(co_await shared);
        } catch (const std::out_of_range&) {
            ++caught;
        }
    };
    world.spawn(look);
    world.run([&]() -> Future<void> { co_await look(); });
    EXPECT_EQ(caught, 2);
    EXPECT_FALSE(world.executor.root().is_cancelled()) << "a failure is for those who await it";
}

TEST_F(Shared, futures_pass_an_error_on_without_a_throw) {
    const auto body = []() -> Future<int> {
        co_await fail(Error(std::errc::no_link));
        co_return 0;
    };
    auto shared = share(body());
    world.run([&]() -> Future<void> {
        Future<int> future = std::move(shared);
        const Result<int> result = co_await try_(std::move(future));
        EXPECT_EQ(result, std::unexpected(Error(std::errc::no_link)));
    });
}

TEST_F(Shared, futures_of_what_only_moves_give_it_to_the_last_one_left) {
    const auto body = []() -> Future<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
    auto shared = share(body());
    world.run([&]() -> Future<void> {
        EXPECT_EQ(*co_await shared, 3);
        const std::unique_ptr<int> mine = co_await std::move(shared);
        EXPECT_EQ(*mine, 3);
    });
}

TEST_F(Shared, futures_end_for_shielded_waiters_too_when_the_loop_closes) {
    auto shared = share(count_run());
    bool is_over = false;
    const auto look = [&]() -> Future<void> {
        try {
            static_cast<void>(co_await shared);
        } catch (const std::exception&) {
        }
        is_over = true;
    };
    world.spawn([&]() -> Future<void> { co_await shield(look()); });
    world.loop.turn();
    world.loop.close();
    EXPECT_TRUE(is_over);
}

}  // namespace
}  // namespace gyre
