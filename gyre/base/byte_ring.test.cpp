// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/byte_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace gyre {
namespace {

struct ByteRingOfEight : ::testing::Test {
    std::array<std::byte, 8> memory{};
    ByteRing ring{memory};

    std::size_t write(std::string_view text, OverflowPolicy policy = OverflowPolicy::drop_newest) {
        return ring.write(bytes_of(text), policy);
    }
    std::string read(std::size_t size_max) {
        std::array<std::byte, 32> into{};
        const std::size_t count = ring.read(Bytes(into).first(size_max));
        return std::string(text_of(ConstBytes(into).first(count)));
    }
};

TEST_F(ByteRingOfEight, gives_back_what_was_written_in_order) {
    EXPECT_TRUE(ring.empty());
    EXPECT_EQ(write("abc"), 0u);
    EXPECT_EQ(write("de"), 0u);
    EXPECT_EQ(ring.size_bytes(), 5u);
    EXPECT_EQ(ring.free_bytes(), 3u);
    EXPECT_EQ(read(2), "ab");
    EXPECT_EQ(read(32), "cde");
    EXPECT_EQ(read(32), "");
    EXPECT_TRUE(ring.empty());
}

TEST_F(ByteRingOfEight, wraps_at_its_end) {
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(write("12345"), 0u);
        EXPECT_EQ(read(32), "12345");
    }
}

TEST_F(ByteRingOfEight, drops_the_newest_and_says_how_many) {
    // clause: K11
    EXPECT_EQ(write("abcdef"), 0u);
    EXPECT_EQ(write("ghij"), 2u);
    EXPECT_EQ(write("k"), 1u);
    EXPECT_EQ(read(32), "abcdefgh");
}

TEST_F(ByteRingOfEight, overwrites_the_oldest_and_says_how_many) {
    // clause: K11
    EXPECT_EQ(write("abcdef", OverflowPolicy::overwrite_oldest), 0u);
    EXPECT_EQ(write("ghij", OverflowPolicy::overwrite_oldest), 2u);
    EXPECT_EQ(read(32), "cdefghij");
}

TEST_F(ByteRingOfEight, keeps_the_end_of_what_is_longer_than_itself) {
    // clause: K11
    EXPECT_EQ(write("ab", OverflowPolicy::overwrite_oldest), 0u);
    EXPECT_EQ(write("0123456789", OverflowPolicy::overwrite_oldest), 4u);
    EXPECT_EQ(read(32), "23456789");
}

TEST_F(ByteRingOfEight, fills_to_the_last_byte) {
    EXPECT_EQ(write("12345678"), 0u);
    EXPECT_EQ(ring.free_bytes(), 0u);
    EXPECT_EQ(ring.size_bytes(), ring.capacity_bytes());
    EXPECT_EQ(write("", OverflowPolicy::overwrite_oldest), 0u);
    EXPECT_EQ(read(32), "12345678");
}

TEST_F(ByteRingOfEight, empty_views_are_harmless) {
    EXPECT_EQ(ring.write({}, OverflowPolicy::drop_newest), 0u);
    EXPECT_EQ(ring.write({}, OverflowPolicy::overwrite_oldest), 0u);
    EXPECT_EQ(ring.read({}), 0u);
}

TEST(ByteRingDeathTest, without_memory_is_refused) {
    EXPECT_DEATH(ByteRing{Bytes{}}, "a ring needs memory");
}

}  // namespace
}  // namespace gyre
