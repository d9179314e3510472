// SPDX-License-Identifier: Apache-2.0
// Assertions must also be active in release builds: this file is compiled with the flags of one.
#ifndef NDEBUG
#    define NDEBUG
#endif
#include "gyre/base/assert.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace gyre {
namespace {

TEST(AssertDeathTest, says_what_is_wrong_the_condition_the_place_and_the_way_there_in_release_too) {
    const int apples = 3;
    EXPECT_DEATH(GYRE_ASSERT(apples < 3, "%d apples are too many: eat %s", apples, "one"),
                 "gyre: assertion failed: 3 apples are too many: eat one\n"
                 "  apples < 3\n"
                 "  at .*assert\\.test\\.cpp:[0-9]+\n"
                 "backtrace:\n"
                 ".*(0x|\\+)");
}

TEST(AssertDeathTest, a_message_longer_than_its_buffer_is_cut_and_the_place_still_stands) {
    const std::string endless(5'000, 'x');
    EXPECT_DEATH(GYRE_ASSERT(endless.empty(), "%s", endless.c_str()),
                 "xxx\n  endless\\.empty\\(\\)\n  at .*assert\\.test\\.cpp");
}

// Tests the watchdog of the test programs themselves: see tests/support/main.cpp.
TEST(TestDeathTest, one_that_does_not_end_is_told_by_its_name) {
    EXPECT_EXIT(std::raise(SIGVTALRM), testing::ExitedWithCode(1),
                "TestDeathTest.one_that_does_not_end_is_told_by_its_name does not end");
}

TEST(Assert, that_holds_evaluates_its_condition_once_and_its_message_never) {
    int conditions = 0;
    int messages = 0;
    GYRE_ASSERT(++conditions == 1, "%d", ++messages);
    EXPECT_EQ(conditions, 1);
    EXPECT_EQ(messages, 0);
}

TEST(Assert, takes_whatever_converts_to_a_truth) {
    const int value = 0;
    const int* pointer = &value;
    GYRE_ASSERT(pointer, "a pointer is a condition");
    pointer = nullptr;
    EXPECT_DEATH(GYRE_ASSERT(pointer, "and a null pointer a broken one"), "a broken one");
}

TEST(AssertDeathTest, a_debug_assertion_is_there_exactly_where_the_checks_are_on) {
    int evaluated = 0;
    if (GYRE_DEBUG_CHECKS) {
        EXPECT_DEATH(GYRE_DEBUG_ASSERT(++evaluated > 1, "slow check"), "slow check");
    } else {
        GYRE_DEBUG_ASSERT(++evaluated > 1, "slow check");
        EXPECT_EQ(evaluated, 0);
    }
}

}  // namespace
}  // namespace gyre
