// SPDX-License-Identifier: Apache-2.0
#include "gyre/testing/virtual_time.hpp"

#include <gtest/gtest-spi.h>

#include <vector>

#include "gyre/task/core/promise.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;

class VirtualTime : public VirtualTimeTest {
public:
    // For EXPECT_NONFATAL_FAILURE, whose statement cannot use local variables.
    static inline VirtualTime* current = nullptr;
    void SetUp() override { current = this; }
    using VirtualTimeTest::run_all;
    using VirtualTimeTest::spawn;
    using VirtualTimeTest::TearDown;

    std::vector<int> notes;

    Future<void> note_after(Duration delay, int value) {
        co_await sleep(delay);
        notes.push_back(value);
    }
    Future<int> wait_for(SharedFuture<int> future) { co_return co_await std::move(future); }
};

TEST_F(VirtualTime, a_day_passes_at_once) {
    const int value = run([]() -> Future<int> {
        co_await sleep(24h);
        co_return 7;
    });
    EXPECT_EQ(value, 7);
    EXPECT_EQ(elapsed(), 24h);
}

TEST_F(VirtualTime, run_throws_what_the_function_failed_with) {
    EXPECT_THROW(run([]() -> Future<void> {
                     co_await sleep(1s);
                     throw std::runtime_error("broken");
                 }),
                 std::runtime_error);
}

TEST_F(VirtualTime, advance_lets_happen_what_is_due_and_no_more) {
    spawn([this] { return note_after(1s, 1); });
    spawn([this] { return note_after(2s, 2); });
    spawn([this] { return note_after(3s, 3); });
    advance(500ms);
    EXPECT_TRUE(notes.empty());
    advance(1500ms);
    EXPECT_EQ(notes, (std::vector{1, 2}));
    EXPECT_EQ(elapsed(), 2s);
    run_all();
    EXPECT_EQ(notes, (std::vector{1, 2, 3}));
}

class ShuffledTime : public VirtualTimeTest {
protected:
    ShuffledTime() : VirtualTimeTest({}, {.order_seed = 3}) {}
};

TEST_F(ShuffledTime, tries_another_order_of_the_tasks) {
    std::vector<int> notes;
    for (int i = 0; i < 8; ++i) {
        spawn([&notes, i]() -> Future<void> {
            notes.push_back(i);
            co_return;
        });
    }
    run_all();
    EXPECT_EQ(notes.size(), 8u);
    EXPECT_NE(notes, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(VirtualTime, a_deadlock_fails_the_test_and_names_who_waits) {
    static Promise<int> never;
    EXPECT_NONFATAL_FAILURE(
        {
            auto waits = current->spawn([] { return current->wait_for(never.future()); });
            waits.set_name("waiter");
            current->run_all();
        },
        "'waiter': waiting on a promise");
}

TEST_F(VirtualTime, what_is_left_fails_the_test) {
    spawn([this] { return note_after(1s, 1); });
    EXPECT_NONFATAL_FAILURE(current->TearDown(), "tasks are left");
    run_all();
}

}  // namespace
}  // namespace gyre::testing
