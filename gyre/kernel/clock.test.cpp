// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/clock.hpp"

#include <gtest/gtest.h>

namespace gyre {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t longest = 9'223'372'036'854'775'807u;

TEST(Instant, is_64_bits_and_ordered) {
    // clause: K26
    static_assert(sizeof(Instant) == 8);
    static_assert(Instant(1) < Instant(2));
    static_assert(Instant() == Instant(0));
    static_assert(Instant(longest) < Instant(longest + 1), "it has no sign");
    static_assert(Instant(~std::uint64_t{0} - 1) < Instant::never());
}

TEST(Instant, moves_by_a_duration_both_ways) {
    EXPECT_EQ(Instant(1'000) + 1us, Instant(2'000));
    EXPECT_EQ(Instant(1'000) + -400ns, Instant(600));
    EXPECT_EQ(Instant(2'000) - Instant(500), 1'500ns);
    EXPECT_EQ(Instant(500) - Instant(2'000), -1'500ns);
}

TEST(Instant, a_far_deadline_is_never_and_not_in_the_past) {
    EXPECT_EQ(Instant::never() + 1ns, Instant::never());
    EXPECT_EQ(Instant(~std::uint64_t{0} - 5) + Duration::max(), Instant::never());
    EXPECT_EQ(Instant::never() + Duration(0), Instant::never());
}

TEST(Instant, does_not_go_below_its_beginning) {
    EXPECT_EQ(Instant(5) + -6ns, Instant(0));
    EXPECT_EQ(Instant(5) + Duration::min(), Instant(0));
    EXPECT_EQ(Instant(longest + 1) + Duration::min(), Instant(0));
    EXPECT_EQ(Instant(longest + 2) + Duration::min(), Instant(1));
}

TEST(Instant, a_distance_too_long_for_a_duration_is_the_longest_one) {
    EXPECT_EQ(Instant::never() - Instant(0), Duration::max());
    EXPECT_EQ(Instant(0) - Instant::never(), -Duration::max());
    EXPECT_EQ(Instant(longest) - Instant(0), Duration::max());
}

}  // namespace
}  // namespace gyre
