// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/random.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gyre {
namespace {

// A seed identifies a bug: it must give the same numbers in all versions.
TEST(Random, numbers_of_a_seed_are_the_published_ones) {
    Random zero(0);
    for (const std::uint64_t expected :
         {0xE220A8397B1DCDAFu, 0x6E789E6AA1B965F4u, 0x06C45D188009454Fu, 0xF88BB8A8724C81ECu}) {
        EXPECT_EQ(zero.next(), expected);
    }
    Random other(1234567);
    for (const std::uint64_t expected :
         {6457827717110365317u, 3203168211198807973u, 9817491932198370423u}) {
        EXPECT_EQ(other.next(), expected);
    }
}

TEST(Random, below_is_the_same_for_the_same_seed) {
    Random random(7);
    std::array<std::uint64_t, 8> drawn{};
    for (std::uint64_t& number : drawn) number = random.below(100);
    EXPECT_EQ(drawn, (std::array<std::uint64_t, 8>{87, 4, 46, 3, 74, 5, 98, 82}));
}

TEST(Random, below_one_is_zero_and_below_two_is_both) {
    Random random(5);
    std::array<int, 2> counts{};
    for (int i = 0; i < 1'000; ++i) {
        EXPECT_EQ(random.below(1), 0u);
        ++counts[random.below(2)];
    }
    EXPECT_GT(counts[0], 400);
    EXPECT_GT(counts[1], 400);
}

// Two thirds of the range: a plain modulo would return the lower half twice as often.
TEST(Random, below_is_fair_where_a_remainder_is_not) {
    constexpr std::uint64_t bound = (~std::uint64_t{0} / 3) * 2;
    Random random(11);
    int lower = 0;
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t number = random.below(bound);
        ASSERT_LT(number, bound);
        if (number < bound / 2) ++lower;
    }
    EXPECT_GT(lower, 4'700);
    EXPECT_LT(lower, 5'300);
}

TEST(Random, below_reaches_every_number_about_equally_often) {
    Random random(3);
    std::array<int, 10> counts{};
    for (int i = 0; i < 100'000; ++i) ++counts[random.below(counts.size())];
    for (const int count : counts) {
        EXPECT_GT(count, 9'500);
        EXPECT_LT(count, 10'500);
    }
}

TEST(Random, one_in_is_true_about_that_often) {
    Random random(9);
    int hits = 0;
    for (int i = 0; i < 80'000; ++i) hits += random.one_in(8) ? 1 : 0;
    EXPECT_GT(hits, 9'500);
    EXPECT_LT(hits, 10'500);
    EXPECT_TRUE(random.one_in(1));
}

TEST(Random, can_be_drawn_at_compile_time) {
    static_assert(Random(0).next() == 0xE220A8397B1DCDAFu);
    static_assert(Random(1).below(10) < 10);
}

TEST(RandomDeathTest, below_zero_is_refused) {
    Random random(1);
    EXPECT_DEATH((void)random.below(0), "pass a bound above 0");
}

}  // namespace
}  // namespace gyre
