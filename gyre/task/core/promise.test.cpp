// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/promise.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

class Promises : public testing::Test {
protected:
    auto spawn_waiter(SharedFuture<int> future) {
        return world.spawn(
            [this](SharedFuture<int> mine) -> Future<void> { seen.push_back(co_await mine); },
            std::move(future));
    }

    const FrameCheck frames;
    std::vector<int> seen;
    TaskWorld world;
};

TEST_F(Promises, are_pending_until_they_are_resolved) {
    // clause: A10
    Promise<int> promise;
    auto future = promise.future();
    EXPECT_FALSE(promise.is_settled());
    EXPECT_FALSE(future.is_settled());
    promise.resolve(42);
    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(world.run([&]() -> Future<int> { co_return co_await future; }), 42);
}

TEST_F(Promises, wake_all_who_wait_with_the_same_value) {
    // clause: A10
    Promise<int> promise;
    for (int i = 0; i < 5; ++i) spawn_waiter(promise.future());
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_TRUE(seen.empty());
        promise.resolve(7);
    });
    EXPECT_EQ(seen, std::vector(5, 7));
}

TEST_F(Promises, throw_what_they_are_rejected_with_at_every_waiter) {
    // clause: A10
    Promise<int> promise;
    int caught = 0;
    const auto body = [&]() -> Future<void> {
        auto future = promise.future();
        try {
            static_cast<void>(co_await future);
        } catch (const std::out_of_range& e) {
            EXPECT_STREQ(e.what(), "too far");
            ++caught;
        }
    };
    world.spawn(body);
    world.spawn(body);
    world.run([&]() -> Future<void> {
        promise.reject(std::out_of_range("too far"));
        co_await body();
    });
    EXPECT_EQ(caught, 3);
}

TEST_F(Promises, wake_all_who_wait_whichever_way_they_are_settled) {
    // clause: A10
    Promise<int> refused;
    Promise<int> following;
    int caught = 0;
    const auto look = [&](SharedFuture<int> future) -> Future<void> {
        try {
            static_cast<void>(co_await future);
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::no_link);
            ++caught;
        }
    };
    for (int i = 0; i < 3; ++i) {
        world.spawn(look, refused.future());
        spawn_waiter(following.future());
    }
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_EQ(caught, 0);
        refused.reject(Error(std::errc::no_link));
        Future<int> five = ready(5);
        auto settling = following.settle_as(std::move(five));
        co_await std::move(settling);
    });
    EXPECT_EQ(caught, 3);
    EXPECT_EQ(seen, std::vector(3, 5));
}

TEST_F(Promises, rejected_with_an_error_throw_it_as_one) {
    Promise<int> promise;
    promise.reject(Error(std::errc::no_link));
    try {
        world.run([&]() -> Future<int> { co_return co_await promise.future(); });
        ADD_FAILURE();
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::no_link);
    }
}

TEST_F(Promises, a_second_settle_is_an_error_and_changes_nothing) {
    // clause: A10
    Promise<int> promise;
    auto future = promise.future();
    promise.resolve(1);
    const auto expect_refused = [](auto settle) {
        try {
            settle();
            ADD_FAILURE();
        } catch (const PromiseSettled& e) {
            EXPECT_STREQ(e.what(), "Promise already settled");
        }
    };
    expect_refused([&] { promise.resolve(2); });
    expect_refused([&] { promise.reject(std::runtime_error("late")); });
    expect_refused([&] { promise.reject(Error(std::errc::no_link)); });
    EXPECT_EQ(world.run([&]() -> Future<int> { co_return co_await future; }), 1);
}

TEST_F(Promises, a_second_settle_changes_nothing_for_those_who_are_woken) {
    // clause: A10
    Promise<int> promise;
    spawn_waiter(promise.future());
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        promise.resolve(1);
        EXPECT_THROW(promise.resolve(2), PromiseSettled);
        EXPECT_THROW(promise.reject(std::runtime_error("late")), PromiseSettled);
        Future<int> three = ready(3);
        auto settling = promise.settle_as(std::move(three));
        bool is_refused = false;
        try {
            co_await std::move(settling);
        } catch (const PromiseSettled&) {
            is_refused = true;
        }
        EXPECT_TRUE(is_refused);
    });
    EXPECT_EQ(seen, (std::vector{1}));
}

TEST_F(Promises, a_second_rejection_is_an_error_and_changes_nothing) {
    // clause: A10
    Promise<int> thrown;
    thrown.reject(std::out_of_range("first"));
    EXPECT_TRUE(thrown.is_settled());
    EXPECT_THROW(thrown.reject(std::runtime_error("second")), PromiseSettled);
    EXPECT_THROW(thrown.reject(Error(std::errc::no_link)), PromiseSettled);
    Promise<int> failed;
    failed.reject(Error(std::errc::no_link));
    EXPECT_TRUE(failed.is_settled());
    EXPECT_THROW(failed.reject(std::runtime_error("second")), PromiseSettled);
    EXPECT_THROW(failed.resolve(1), PromiseSettled);
    world.run([&]() -> Future<void> {
        bool is_first = false;
        try {
            static_cast<void>(co_await thrown.future());
        } catch (const std::out_of_range&) {
            is_first = true;
        }
        EXPECT_TRUE(is_first);
        Future<int> future = failed.future();
        const Result<int> result = co_await try_(std::move(future));
        EXPECT_EQ(result, std::unexpected(Error(std::errc::no_link)));
    });
}

TEST_F(Promises, a_rejected_one_stays_rejected) {
    // clause: A10
    Promise<int> promise;
    promise.reject(std::runtime_error("first"));
    EXPECT_THROW(promise.resolve(1), PromiseSettled);
    EXPECT_THROW(world.run([&]() -> Future<int> { co_return co_await promise.future(); }),
                 std::runtime_error);
}

TEST_F(Promises, dropped_before_they_are_settled_break_their_futures) {
    auto promise = std::make_unique<Promise<int>>();
    bool is_broken = false;
    world.spawn([&, future = promise->future()]() mutable -> Future<void> {
        try {
            static_cast<void>(co_await future);
        } catch (const BrokenPromise&) {
            is_broken = true;
        }
    });
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        promise.reset();
    });
    EXPECT_TRUE(is_broken);
}

TEST_F(Promises, a_waiter_that_is_cancelled_leaves_the_others_and_the_promise_alone) {
    Promise<int> promise;
    auto cancelled = spawn_waiter(promise.future());
    spawn_waiter(promise.future());
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        cancelled.cancel();
        promise.resolve(3);
    });
    EXPECT_EQ(seen, (std::vector{3}));
    EXPECT_THROW(cancelled.outcome().take(), Cancelled);
}

TEST_F(Promises, a_value_that_came_before_the_cancel_stands) {
    Promise<int> promise;
    auto waiter = spawn_waiter(promise.future());
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        promise.resolve(3);
        waiter.cancel();
    });
    EXPECT_EQ(seen, (std::vector{3}));
}

TEST_F(Promises, a_wait_does_not_begin_where_a_cancel_is_due) {
    Promise<int> promise;
    auto task = world.spawn([&]() -> Future<void> {
        (co_await this_task()).cancel("by itself");
        static_cast<void>(co_await promise.future());
    });
    static_cast<void>(world.loop.run());
    EXPECT_THROW(task.outcome().take(), Cancelled);
}

TEST_F(Promises, what_only_moves_is_moved_out_where_nobody_else_can_look) {
    Promise<std::unique_ptr<int>> promise;
    promise.resolve(std::make_unique<int>(5));
    auto kept =
        world.run([&]() -> Future<std::unique_ptr<int>> { co_return co_await promise.future(); });
    EXPECT_EQ(*kept, 5);

    Promise<std::unique_ptr<int>> looked_at;
    auto future = looked_at.future();
    looked_at.resolve(std::make_unique<int>(6));
    world.run([&]() -> Future<void> {
        EXPECT_EQ(*co_await future, 6);
        EXPECT_EQ(*co_await future, 6) << "a look leaves it there";
    });
}

TEST_F(Promises, a_value_that_others_can_look_at_is_copied) {
    Promise<std::string> promise;
    auto other = promise.future();
    promise.resolve("a text that is longer than a small string may be");
    world.run([&]() -> Future<void> {
        const std::string taken = co_await promise.future();
        EXPECT_EQ(taken, co_await other);
    });
}

TEST_F(Promises, are_futures_where_one_is_wanted) {
    Promise<int> promise;
    promise.resolve(20);
    EXPECT_EQ(world.run([&]() -> Future<int> {
        Future<int> future = promise.future();
        auto twice = std::move(future).map([](int value) { return 2 * value; });
        co_return co_await std::move(twice);
    }),
              40);
}

TEST_F(Promises, of_nothing_and_of_references_work_too) {
    Promise<void> done;
    Promise<int&> place;
    int value = 1;
    done.resolve();
    place.resolve(value);
    world.run([&]() -> Future<void> {
        co_await done.future();
        (co_await place.future()) = 2;
    });
    EXPECT_EQ(value, 2);
}

}  // namespace
}  // namespace gyre
