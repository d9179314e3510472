// SPDX-License-Identifier: Apache-2.0
// The inbox as one thread sees it. What happens when several meet is tried in every order by
// tests/model, and with real threads by routing.test.cpp.
#include "gyre/kernel/inbox.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gyre {
namespace {

using Posted = Inbox::Posted;

struct InboxOfOne : ::testing::Test {
    Inbox inbox;
    Op a{OpCode::post};
    Op b{OpCode::post};
    Op c{OpCode::post};

    std::vector<Op*> drain() {
        std::vector<Op*> drained;
        inbox.drain([&drained](Op& op) { drained.push_back(&op); });
        return drained;
    }
};

TEST_F(InboxOfOne, gives_out_the_oldest_first) {
    // clause: K21
    EXPECT_TRUE(inbox.looks_empty());
    for (Op* op : {&a, &b, &c}) EXPECT_EQ(inbox.post(*op), Posted::queued);
    EXPECT_FALSE(inbox.looks_empty());
    EXPECT_EQ(drain(), (std::vector<Op*>{&a, &b, &c}));
    EXPECT_TRUE(inbox.looks_empty());
    EXPECT_TRUE(drain().empty());
}

TEST_F(InboxOfOne, a_drain_ends_though_its_visitor_posts) {
    // clause: K16
    (void)inbox.post(a);
    (void)inbox.post(b);
    std::vector<Op*> drained;
    inbox.drain([&](Op& op) {
        drained.push_back(&op);
        // It is free for another journey by now.
        EXPECT_EQ(inbox.post(op), Posted::queued);
    });
    EXPECT_EQ(drained, (std::vector<Op*>{&a, &b}));
    EXPECT_EQ(drain(), (std::vector<Op*>{&a, &b}));
}

TEST_F(InboxOfOne, a_drained_op_is_in_no_list) {
    (void)inbox.post(a);
    EXPECT_EQ(drain(), std::vector<Op*>{&a});
    EXPECT_FALSE(a.is_linked());
    OpQueue queue;
    queue.push_back(a);
    EXPECT_EQ(queue.pop_front(), &a);
}

TEST_F(InboxOfOne, does_not_sleep_while_something_is_there) {
    (void)inbox.post(a);
    EXPECT_FALSE(inbox.try_sleep());
    EXPECT_EQ(drain(), std::vector<Op*>{&a});
    EXPECT_TRUE(inbox.try_sleep());
    EXPECT_TRUE(inbox.looks_empty());
}

TEST_F(InboxOfOne, goes_on_sleeping_when_it_is_told_to_twice) {
    EXPECT_TRUE(inbox.try_sleep());
    EXPECT_TRUE(inbox.try_sleep());
    EXPECT_EQ(inbox.post(a), Posted::loop_sleeps);
    EXPECT_FALSE(inbox.try_sleep());
    EXPECT_EQ(drain(), std::vector<Op*>{&a});
}

TEST_F(InboxOfOne, only_the_first_post_to_a_sleeping_loop_wakes_it) {
    EXPECT_TRUE(inbox.try_sleep());
    EXPECT_EQ(inbox.post(a), Posted::loop_sleeps);
    EXPECT_EQ(inbox.post(b), Posted::queued);
    EXPECT_EQ(drain(), (std::vector<Op*>{&a, &b}));
}

TEST_F(InboxOfOne, a_loop_that_woke_by_itself_is_awake_after_its_drain) {
    EXPECT_TRUE(inbox.try_sleep());
    EXPECT_TRUE(drain().empty());
    EXPECT_EQ(inbox.post(a), Posted::queued);
    EXPECT_EQ(drain(), std::vector<Op*>{&a});
}

TEST_F(InboxOfOne, an_interrupt_ends_a_sleep_and_only_a_sleep) {
    EXPECT_FALSE(inbox.interrupt());
    EXPECT_TRUE(inbox.try_sleep());
    EXPECT_TRUE(inbox.interrupt());
    EXPECT_FALSE(inbox.interrupt());
    EXPECT_TRUE(inbox.try_sleep());
    (void)inbox.post(a);
    EXPECT_FALSE(inbox.interrupt());
    EXPECT_EQ(drain(), std::vector<Op*>{&a});
}

TEST_F(InboxOfOne, that_is_closed_hands_out_its_rest_and_refuses_from_then_on) {
    (void)inbox.post(a);
    (void)inbox.post(b);
    std::vector<Op*> rest;
    inbox.close([&](Op& op) {
        rest.push_back(&op);
        EXPECT_EQ(inbox.post(op), Posted::refused);
    });
    EXPECT_EQ(rest, (std::vector<Op*>{&a, &b}));
    EXPECT_EQ(inbox.post(c), Posted::refused);
    EXPECT_FALSE(inbox.try_sleep());
    EXPECT_TRUE(inbox.looks_empty());
}

TEST_F(InboxOfOne, a_refused_op_stays_as_it_was) {
    inbox.close([](Op&) {});
    EXPECT_EQ(inbox.post(a), Posted::refused);
    EXPECT_FALSE(a.is_linked());
    EXPECT_EQ(a.state(), OpState::idle);
}

}  // namespace
}  // namespace gyre
