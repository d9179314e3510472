// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/detail/json_depth.hpp"

#include <gtest/gtest.h>

namespace gyre {
namespace {

TEST(JsonDepth, counts_brackets_outside_of_strings) {
    EXPECT_EQ(json_depth("1"), 0u);
    EXPECT_EQ(json_depth("[]"), 1u);
    EXPECT_EQ(json_depth(R"([{"a": [1, 2]}, {}])"), 3u);
    EXPECT_EQ(json_depth(R"(["[[[", "{{"])"), 1u);
    EXPECT_EQ(json_depth(R"(["\"[[", "\\", [1]])"), 2u);
    EXPECT_EQ(json_depth("[[[["), 4u);
}

TEST(JsonDepth, bears_texts_that_are_no_json) {
    EXPECT_EQ(json_depth("]]}}[]"), 1u);
    EXPECT_EQ(json_depth("\"abc"), 0u);
    EXPECT_EQ(json_depth("\"\\"), 0u);
    EXPECT_EQ(json_depth(""), 0u);
}

}  // namespace
}  // namespace gyre
