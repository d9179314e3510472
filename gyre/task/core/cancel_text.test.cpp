// SPDX-License-Identifier: Apache-2.0
// The text of a reason to cancel, and of a Cancelled.
#include <gtest/gtest.h>

#include "gyre/task/core/cancel.hpp"

namespace gyre {
namespace {

using Eight = CancelText<8>;

TEST(CancelText, keeps_a_text_of_any_size) {
    for (const std::string text : {"", "1234567", "12345678", "123456789", "a text on the heap"}) {
        Eight made(text);
        EXPECT_EQ(made, text);
        EXPECT_EQ(made.c_str(), text);
        EXPECT_EQ(made.empty(), text.empty());
        const Eight copy = made;
        const Eight moved = std::move(made);
        EXPECT_EQ(copy, text);
        EXPECT_EQ(moved, text);
        EXPECT_EQ(std::string(moved), text);
    }
}

TEST(CancelText, grows_over_its_capacity_piece_by_piece) {
    Eight text("123456");
    text.append("78").append("").append("9");
    EXPECT_EQ(text, "123456789");
    text.append("0 and more");
    EXPECT_EQ("> " + text, "> 1234567890 and more");
    text = "short";
    EXPECT_EQ(text, "short");
    text.clear();
    EXPECT_TRUE(text.empty());
    EXPECT_STREQ(text.c_str(), "");
}

TEST(CancelText, is_assigned_to_itself) {
    Eight text("a text on the heap");
    const Eight& same = text;
    text = same;
    EXPECT_EQ(text, "a text on the heap");
}

TEST(CancelTextDeathTest, refuses_a_null_pointer) {
    const char* const none = nullptr;
    EXPECT_DEATH(Eight{none}, "got no text");
}

}  // namespace
}  // namespace gyre
