// SPDX-License-Identifier: Apache-2.0
// The inbox on one thread. tests/model tries every interleaving of several threads, and
// loop_routing.test.cpp runs real threads.
#include "gyre/kernel/detail/inbox.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gyre/kernel/standing_op.hpp"

namespace gyre {
namespace {

using Posted = Inbox::Posted;

struct InboxOfOne : ::testing::Test {
    Inbox inbox;
    Op a{OpCode::post};
    Op b{OpCode::post};
    Op c{OpCode::post};

    std::vector<Op*> drain() {
        OpQueue arrived;
        inbox.drain(arrived);
        return all_of(arrived);
    }

    static std::vector<Op*> all_of(OpQueue& ops) {
        std::vector<Op*> all;
        while (Op* op = ops.pop_front()) all.push_back(op);
        return all;
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

TEST_F(InboxOfOne, what_is_posted_after_a_drain_waits_for_the_next) {
    (void)inbox.post(a);
    (void)inbox.post(b);
    OpQueue arrived;
    inbox.drain(arrived);
    (void)inbox.post(c);
    EXPECT_EQ(all_of(arrived), (std::vector<Op*>{&a, &b}));
    EXPECT_EQ(drain(), std::vector<Op*>{&c});
}

TEST_F(InboxOfOne, a_drain_appends_behind_what_is_there) {
    OpQueue arrived;
    arrived.push_back(c);
    (void)inbox.post(a);
    (void)inbox.post(b);
    inbox.drain(arrived);
    EXPECT_EQ(all_of(arrived), (std::vector<Op*>{&c, &a, &b}));
}

TEST_F(InboxOfOne, a_drain_tells_whether_all_are_requests_to_the_app) {
    const MachineRef app{1, 2};
    OpQueue arrived;
    (void)inbox.post(a);
    b.set_destination(app);
    (void)inbox.post(b);
    EXPECT_TRUE(inbox.drain(arrived, app));
    c.set_destination({1, 3});
    (void)inbox.post(c);
    EXPECT_FALSE(inbox.drain(arrived, app)) << "of another machine";
    CancelOp cancel;
    (void)inbox.post(cancel);
    EXPECT_FALSE(inbox.drain(arrived, app)) << "a cancellation";
    WakeOp wake;
    (void)inbox.post(wake);
    EXPECT_FALSE(inbox.drain(arrived, app)) << "a ring";
    (void)all_of(arrived);
}

TEST_F(InboxOfOne, many_posted_at_once_stay_in_their_order_among_others) {
    // clause: K21
    (void)inbox.post(a);
    OpQueue ops;
    ops.push_back(b);
    ops.push_back(c);
    EXPECT_EQ(inbox.post_all(ops), Posted::queued);
    EXPECT_TRUE(ops.empty());
    EXPECT_EQ(drain(), (std::vector<Op*>{&a, &b, &c}));
}

TEST_F(InboxOfOne, many_that_are_refused_stay_in_their_queue) {
    OpQueue rest;
    inbox.close(rest);
    OpQueue ops;
    for (Op* op : {&a, &b, &c}) ops.push_back(*op);
    EXPECT_EQ(inbox.post_all(ops), Posted::refused);
    EXPECT_EQ(all_of(ops), (std::vector<Op*>{&a, &b, &c}));
}

TEST_F(InboxOfOne, an_op_that_was_drained_and_taken_is_in_no_list) {
    (void)inbox.post(a);
    EXPECT_EQ(drain(), std::vector<Op*>{&a});
    EXPECT_FALSE(a.is_linked());
    OpQueue queue;
    queue.push_back(a);
    EXPECT_EQ(queue.pop_front(), &a);
}

TEST_F(InboxOfOne, does_not_sleep_while_something_is_there) {
    // clause: K06
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
    // clause: K06
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

TEST_F(InboxOfOne, that_is_closed_hands_out_its_rest_and_refuses_from_then_on) {
    (void)inbox.post(a);
    (void)inbox.post(b);
    OpQueue rest;
    inbox.close(rest);
    EXPECT_EQ(all_of(rest), (std::vector<Op*>{&a, &b}));
    EXPECT_EQ(inbox.post(c), Posted::refused);
    EXPECT_FALSE(inbox.try_sleep());
    EXPECT_TRUE(inbox.looks_empty());
}

TEST_F(InboxOfOne, a_refused_op_stays_as_it_was) {
    OpQueue rest;
    inbox.close(rest);
    EXPECT_EQ(inbox.post(a), Posted::refused);
    EXPECT_FALSE(a.is_linked());
    EXPECT_EQ(a.state(), OpState::idle);
}

}  // namespace
}  // namespace gyre
