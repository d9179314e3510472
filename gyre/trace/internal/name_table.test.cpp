// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/internal/name_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gyre::trace {
namespace {

TEST(Names, are_found_by_their_ids_until_replaced) {
    NameTable names(64);
    EXPECT_FALSE(names.knows(1));
    names.set(1, "one");
    names.set(2, "two");
    EXPECT_TRUE(names.knows(1));
    EXPECT_EQ(names.find(1), "one");
    EXPECT_EQ(names.find(2), "two");
    EXPECT_EQ(names.find(3), "");
    names.set(1, "uno");
    EXPECT_EQ(names.find(1), "uno");
}

TEST(Names, of_id_0_are_none) {
    NameTable names(64);
    names.set(0, "nobody");
    EXPECT_EQ(names.find(0), "");
}

TEST(Names, that_are_new_take_the_place_of_old_ones_in_a_full_table) {
    NameTable names(8);
    for (std::uint64_t id = 1; id <= 1000; ++id) {
        names.set(id, std::to_string(id));
        EXPECT_EQ(names.find(id), std::to_string(id));
    }
    int known_count = 0;
    for (std::uint64_t id = 1; id <= 1000; ++id) {
        if (!names.knows(id)) continue;
        ++known_count;
        EXPECT_EQ(names.find(id), std::to_string(id));
    }
    EXPECT_EQ(known_count, 8);
    EXPECT_TRUE(names.knows(1000));
    EXPECT_FALSE(names.knows(1));
}

TEST(Names, of_which_a_bucket_is_full_make_room_in_turn) {
    NameTable names(4);
    for (std::uint64_t id = 1; id <= 7; ++id) names.set(id, "x");
    EXPECT_FALSE(names.knows(1));
    EXPECT_FALSE(names.knows(2));
    EXPECT_FALSE(names.knows(3));
    for (std::uint64_t id = 4; id <= 7; ++id) EXPECT_TRUE(names.knows(id)) << id;
}

TEST(CutText, ends_between_two_characters) {
    EXPECT_EQ(cut_text("abc", 3), "abc");
    EXPECT_EQ(cut_text("abcd", 3), "abc");
    EXPECT_EQ(cut_text("ab\xc3\xa4", 3), "ab");
    EXPECT_EQ(cut_text("a\xf0\x9f\x8c\x80z", 4), "a");
    EXPECT_EQ(cut_text("\xf0\x9f\x8c\x80z", 4), "\xf0\x9f\x8c\x80");
    EXPECT_EQ(cut_text("", 0), "");
}

TEST(CutText, keeps_bytes_that_are_no_characters) {
    const std::string bytes(10, '\x80');
    EXPECT_EQ(cut_text(bytes, 5), std::string(5, '\x80'));
    EXPECT_EQ(cut_text(bytes, 1), std::string(1, '\x80'));
}

}  // namespace
}  // namespace gyre::trace
