// SPDX-License-Identifier: Apache-2.0
// The doorbell's states on one thread; tests/model tries every interleaving of two threads.
#include "gyre/kernel/standing_op.hpp"

#include <gtest/gtest.h>

namespace gyre {
namespace {

TEST(Doorbell, of_an_op_that_was_never_submitted_does_nothing) {
    Doorbell bell;
    EXPECT_FALSE(bell.ring());
}

TEST(Doorbell, rung_again_on_its_way_sends_nothing_more) {
    // clause: K09
    Doorbell bell;
    bell.open();
    EXPECT_FALSE(bell.is_rung());
    EXPECT_TRUE(bell.ring());
    EXPECT_TRUE(bell.is_rung());
    EXPECT_FALSE(bell.ring());
    EXPECT_FALSE(bell.ring());
}

TEST(Doorbell, rung_after_its_answer_is_sent_again) {
    // clause: K09
    Doorbell bell;
    bell.open();
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(bell.ring());
        EXPECT_FALSE(bell.answer());
        EXPECT_FALSE(bell.is_rung());
    }
}

TEST(Doorbell, closed_in_quiet_is_sent_off_by_who_closed_it_and_rings_no_more) {
    // clause: K08
    Doorbell bell;
    bell.open();
    EXPECT_TRUE(bell.close());
    EXPECT_FALSE(bell.ring());
}

TEST(Doorbell, closed_on_its_way_tells_so_at_the_answer_and_is_sent_by_nobody_else) {
    // clause: K08
    Doorbell bell;
    bell.open();
    EXPECT_TRUE(bell.ring());
    EXPECT_FALSE(bell.close());
    EXPECT_FALSE(bell.ring());
    EXPECT_TRUE(bell.answer());
}

TEST(Doorbell, can_be_opened_again) {
    Doorbell bell;
    bell.open();
    EXPECT_TRUE(bell.ring());
    EXPECT_FALSE(bell.close());
    EXPECT_TRUE(bell.answer());
    bell.open();
    EXPECT_TRUE(bell.ring());
    EXPECT_FALSE(bell.answer());
}

}  // namespace
}  // namespace gyre
