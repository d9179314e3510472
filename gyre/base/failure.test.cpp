// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/failure.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace gyre {
namespace {

TEST(LimitError, names_what_was_done_and_the_limit) {
    const LimitError error("walk '/home'", "depth_max", 256);
    EXPECT_STREQ(error.what(), "walk '/home': more than depth_max = 256");
    EXPECT_EQ(error.code(), std::errc::value_too_large);
    EXPECT_STREQ(error.limit(), "depth_max");
    EXPECT_EQ(error.value(), 256u);
}

TEST(SystemFailure, has_a_code_and_a_text_of_its_own) {
    const SystemFailure error(std::errc::timed_out, "nobody answered");
    EXPECT_STREQ(error.what(), "nobody answered");
    EXPECT_EQ(error.code(), std::errc::timed_out);
}

static_assert(std::is_base_of_v<std::system_error, LimitError>);
static_assert(!std::is_base_of_v<std::system_error, Failure>);

}  // namespace
}  // namespace gyre
