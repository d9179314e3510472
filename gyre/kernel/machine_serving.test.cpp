// SPDX-License-Identifier: Apache-2.0
// Which ops a closed machine still receives, and what happens to ops posted to it.
#include <gtest/gtest.h>

#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::FakePlatform;
using test::TestMachine;

TEST(Serving, what_reaches_a_machine_after_its_close_is_refused_for_it) {
    // clause: K20
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    CustomOp before;
    CustomOp late;
    for (CustomOp* op : {&before, &late}) op->set_destination(app.ref());
    app.submit(before);
    loop.turn();
    ASSERT_EQ(app.held, std::vector<Op*>{&before});

    int served = 0;
    app.on_submission = [&](Op&) { ++served; };
    app.on_closing = [&] { app.submit(late); };
    loop.close();
    EXPECT_EQ(served, 0);
    EXPECT_EQ(app.ops_held(), 0u);
    EXPECT_EQ(app.completed, (std::vector<Op*>{&before, &late}));
    EXPECT_EQ(late.result(), failure(std::errc::owner_dead));
}

TEST(Serving, a_late_op_that_its_initiator_cancelled_comes_back_as_cancelled) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    CustomOp late;
    late.set_destination(app.ref());
    app.on_closing = [&] {
        app.submit(late);
        app.cancel(late);
    };
    loop.close();
    EXPECT_TRUE(late.is_cancelled());
}

TEST(Serving, a_machine_that_leaves_a_closed_loop_serves_in_the_next) {
    TestMachine app;
    {
        FakePlatform platform;
        Loop loop(platform, app);
    }
    FakePlatform platform;
    Loop loop(platform, app);
    CustomOp op;
    ASSERT_TRUE(loop.post(op));
    loop.turn();
    EXPECT_EQ(app.held, std::vector<Op*>{&op});
    loop.close();
}

// A post to a child takes one hop more than a post to the app; the order is kept nevertheless.
TEST(Serving, posts_to_the_app_and_to_its_child_arrive_in_their_order) {
    // clause: K21
    FakePlatform platform;
    TestMachine app;
    TestMachine child;
    app.add_child(child);
    Loop loop(platform, app);
    std::vector<Op*> served;
    app.on_submission = child.on_submission = [&](Op& op) { served.push_back(&op); };
    std::array<CustomOp, 6> ops;
    ops[2].set_destination(app.ref());
    for (const std::size_t i : {1u, 4u}) ops[i].set_destination(child.ref());
    for (CustomOp& op : ops) ASSERT_TRUE(loop.post(op));
    loop.turn();
    EXPECT_EQ(served, (std::vector<Op*>{&ops[0], &ops[2], &ops[3], &ops[5], &ops[1], &ops[4]}));
    for (Op* op : served) (op == &ops[1] || op == &ops[4] ? child : app).complete(*op, 0);
    for (const CustomOp& op : ops) EXPECT_EQ(op.state(), OpState::idle);
}

}  // namespace
}  // namespace gyre
