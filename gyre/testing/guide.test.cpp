// SPDX-License-Identifier: Apache-2.0
// The tests that docs/guide/testing.md shows: how users test their own programs of tasks.
// [head]
#include <gtest/gtest.h>

#include <string>

#include "gyre/task/sync/semaphore.hpp"
#include "gyre/testing/virtual_time.hpp"

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

// [retry]
// Asks again after one second, then two, then four, until there is an answer.
template <class F>
Future<int> retry(F ask) {
    for (Duration pause = 1s;; pause *= 2) {
        const Result<int> answer = co_await try_(ask());
        if (answer.has_value()) co_return *answer;
        co_await sleep(pause);
    }
}
// [/retry]

// [test]
using Retry = gyre::testing::VirtualTimeTest;

TEST_F(Retry, waits_twice_as_long_each_time) {
    int calls = 0;
    const auto ask = [&calls]() -> Future<int> {
        if (++calls < 4) co_await fail(Error(std::errc::connection_refused));
        co_return 42;
    };
    EXPECT_EQ(run([&] { return retry(ask); }), 42);
    EXPECT_EQ(elapsed(), 7s);
}
// [/test]

// [advance]
TEST_F(Retry, can_be_cancelled_while_it_waits) {
    const auto refuse = []() -> Future<int> {
        co_await fail(Error(std::errc::connection_refused));
        co_return 0;
    };
    auto task = spawn([&] { return retry(refuse); });
    advance(1h);
    EXPECT_EQ(task.state(), TaskState::waiting);
    task.cancel("the user has left");
    run_all();
    EXPECT_TRUE(task.was_cancelled());
}
// [/advance]

// [orders]
class Accounts : public gyre::testing::VirtualTimeTest,
                 public ::testing::WithParamInterface<std::uint64_t> {
protected:
    Accounts() : VirtualTimeTest({}, {.order_seed = GetParam()}) {}
};
INSTANTIATE_TEST_SUITE_P(InManyOrders, Accounts, ::testing::Range<std::uint64_t>(0, 8));

TEST_P(Accounts, lose_nothing_whoever_comes_first) {
    Mutex mutex;
    int balance = 0;
    const auto deposit = [&]() -> Future<void> {
        const MutexGuard guard = co_await mutex.lock();
        const int before = balance;
        co_await yield();
        balance = before + 1;
    };
    for (int i = 0; i < 5; ++i) spawn(deposit);
    run_all();
    EXPECT_EQ(balance, 5);
}
// [/orders]
