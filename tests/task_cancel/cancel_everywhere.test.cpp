// SPDX-License-Identifier: Apache-2.0
// Every program of rows.cpp, cancelled at each of its steps, and at each pair of them; and the kit
// itself, which must notice a program that loses something.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;

class CancelEverywhere : public testing::TestWithParam<Program> {};
INSTANTIATE_TEST_SUITE_P(, CancelEverywhere, testing::ValuesIn(programs()),
                         [](const auto& test) { return std::string(test.param.name); });

std::string place(Requests requests) {
    std::string text = "cancelled before step " + std::to_string(*requests.first);
    if (requests.second) text += " and before step " + std::to_string(*requests.second);
    return text;
}

TEST_P(CancelEverywhere, ends_once_and_leaves_nothing) {
    // clause: A22
    const Program& program = GetParam();
    const int steps = rehearse(program, {});
    ASSERT_FALSE(HasFailure()) << "undisturbed";
    ASSERT_GE(steps, 1);
    for (int first = 0; first < steps; ++first) {
        rehearse(program, {.first = first});
        ASSERT_FALSE(HasFailure()) << place({.first = first});
        // A cancelled run may be longer: it cleans up.
        for (int second = first + 1; second < 2 * steps; ++second) {
            const Requests both{.first = first, .second = second};
            rehearse(program, both);
            ASSERT_FALSE(HasFailure()) << place(both);
        }
    }
}

// A program whose clean-up is forgotten at one of its awaits: the kit finds it.
Future<void> lose_a_lock(Stage& stage) {
    bool& is_locked = stage.make<bool>(false);
    stage.afterwards([&] { EXPECT_FALSE(is_locked); });
    co_await sleep(1ms);
    is_locked = true;
    co_await sleep(1ms);
    is_locked = false;
}
Future<void> turn_a_cancel_into_a_failure(Stage& /*stage*/) {
    try {
        co_await sleep(1ms);
    } catch (const Cancelled&) {
        throw std::runtime_error("not what was asked for");
    }
}
Future<void> wait_for(SharedFuture<int> future) {
    co_await std::move(future);
}
Future<void> wait_for_ever(Stage& stage) {
    auto& never = stage.make<Promise<int>>();
    co_await shield(wait_for(never.future()));
}

// What is said first when it is cancelled at each of its steps; nothing where all is well.
std::string first_complaint(const Program& program) {
    testing::TestPartResultArray complaints;
    {
        const testing::ScopedFakeTestPartResultReporter catcher(&complaints);
        const int steps = rehearse(program, {});
        for (int first = 0; first < steps; ++first) rehearse(program, {.first = first});
    }
    return complaints.size() == 0 ? "" : complaints.GetTestPartResult(0).message();
}

TEST(CancelKit, notices_what_is_not_put_right) {
    EXPECT_NE(first_complaint({"lose_a_lock", {}, lose_a_lock}).find("is_locked"),
              std::string::npos);
}

TEST(CancelKit, notices_a_cancel_that_becomes_a_failure) {
    EXPECT_NE(
        first_complaint({"turn", {}, turn_a_cancel_into_a_failure}).find("it fails when cancelled"),
        std::string::npos);
}

TEST(CancelKit, notices_a_program_that_is_left_waiting) {
    EXPECT_NE(first_complaint({"wait_for_ever", {}, wait_for_ever}).find("waiting on a promise"),
              std::string::npos);
}

}  // namespace
}  // namespace gyre::task_cancel
