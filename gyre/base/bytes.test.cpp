// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/bytes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gyre {
namespace {

TEST(Bytes, of_a_text_and_back_are_the_same_memory) {
    const std::string text("a\0z", 3);
    const ConstBytes bytes = bytes_of(text);
    ASSERT_EQ(bytes.size(), 3u);
    EXPECT_EQ(static_cast<const void*>(bytes.data()), text.data());
    EXPECT_EQ(bytes[1], std::byte{0});
    EXPECT_EQ(text_of(bytes), text);
    EXPECT_EQ(text_of(bytes).data(), text.data());
}

TEST(Bytes, above_127_survive) {
    const std::string text("\xff\x80");
    EXPECT_EQ(bytes_of(text)[0], std::byte{0xff});
    EXPECT_EQ(text_of(bytes_of(text)), text);
}

TEST(Bytes, of_nothing_are_none) {
    EXPECT_TRUE(bytes_of({}).empty());
    EXPECT_TRUE(text_of({}).empty());
}

}  // namespace
}  // namespace gyre
