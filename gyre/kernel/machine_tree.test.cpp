// SPDX-License-Identifier: Apache-2.0
// Machines as parents: ops of a child pass through them, and they may intercept, replace or gather
// these.
#include <gtest/gtest.h>

#include "gyre/kernel/family.test.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::CustomStandingOp;
using test::Family;
using test::TestMachine;

TEST(Machine, an_op_of_a_child_goes_through_its_parents_both_ways) {
    // clause: K19
    Family family;
    CustomOp op;
    op.set_destination(family.loop.platform_ref());
    std::vector<std::string> path;
    family.parent.on_output_of_child = [&](TestMachine& from, Op& out, Lane lane) {
        path.push_back(std::string("parent takes from ") + from.name());
        family.parent.forward(out, lane);
    };
    family.app.on_output_of_child = [&](TestMachine& from, Op& out, Lane lane) {
        path.push_back(std::string("app takes from ") + from.name());
        family.app.forward(out, lane);
    };
    family.platform.answers_at_once = true;
    family.child.submit(op);
    family.loop.run();
    EXPECT_EQ(path, (std::vector<std::string>{"parent takes from child", "app takes from parent"}));
    EXPECT_EQ(family.child.completed, std::vector<Op*>{&op});
    EXPECT_EQ(op.result(), 7);
    EXPECT_TRUE(family.app.completed.empty());
    EXPECT_TRUE(family.parent.completed.empty());
}

TEST(Machine, a_child_gets_and_gives_nothing_past_its_parents_on_no_lane) {
    // clause: K19
    Family family;
    std::vector<Lane> by_parent;
    std::vector<Lane> by_app;
    std::vector<Lane> to_child;
    family.parent.on_input_of_child = [&](TestMachine& child, Op& op, Lane lane) {
        to_child.push_back(lane);
        family.parent.pass_down(child, op, lane);
    };
    family.parent.on_output_of_child = [&](TestMachine&, Op& op, Lane lane) {
        by_parent.push_back(lane);
        family.parent.forward(op, lane);
    };
    family.app.on_output_of_child = [&](TestMachine&, Op& op, Lane lane) {
        by_app.push_back(lane);
        family.app.forward(op, lane);
    };
    CustomOp own;
    own.set_destination(family.loop.platform_ref());
    family.child.submit(own);
    family.loop.turn();
    family.child.cancel(own);
    family.loop.run();
    EXPECT_TRUE(own.is_cancelled());
    CustomStandingOp served;
    served.set_destination(family.child.ref());
    family.app.submit(served);
    family.loop.turn();
    ASSERT_EQ(family.child.held, std::vector<Op*>{&served});
    family.child.notify(served);
    family.loop.turn();
    family.child.finish(served, 0);
    family.loop.run();
    EXPECT_EQ(family.app.notified.size(), 1u);
    EXPECT_EQ(family.app.completed, std::vector<Op*>{&served});
    const std::vector<Lane> all{Lane::submissions, Lane::cancellations, Lane::notifications,
                                Lane::completions};
    EXPECT_EQ(by_parent, all);
    EXPECT_EQ(by_app, all);
    EXPECT_EQ(to_child, (std::vector<Lane>{Lane::completions, Lane::submissions}));
}

TEST(Machine, a_parent_can_intercept_an_op_and_the_loop_never_sees_it) {
    // clause: K19
    Family family;
    family.parent.on_output_of_child = [&](TestMachine& from, Op& op, Lane lane) {
        ASSERT_EQ(lane, Lane::submissions);
        family.parent.hold(op);
        family.parent.answer(from, op, 99);
    };
    CustomOp op;
    family.child.submit(op);
    family.loop.run();
    EXPECT_EQ(op.result(), 99);
    EXPECT_EQ(family.child.completed.size(), 1u);
    EXPECT_TRUE(family.platform.held.empty());
}

TEST(Machine, a_parent_can_intercept_a_timer_before_the_loop_keeps_it) {
    // clause: K12, K19
    Family family;
    family.parent.on_output_of_child = [&](TestMachine& from, Op& op, Lane) {
        EXPECT_EQ(family.loop.timer_count(), 0u);
        family.parent.hold(op);
        family.parent.answer(from, op, 99);
    };
    TimerOp timer(Instant(5'000));
    family.child.submit(timer);
    family.loop.run();
    EXPECT_EQ(timer.result(), 99);
    EXPECT_EQ(family.child.completed, std::vector<Op*>{&timer});
    EXPECT_LT(family.loop.now(), timer.deadline);
}

TEST(Machine, a_cancel_of_an_intercepted_op_reaches_the_parent_that_holds_it) {
    // clause: K10, K19
    Family family;
    family.parent.on_output_of_child = [&](TestMachine&, Op& op, Lane lane) {
        if (lane == Lane::submissions) {
            family.parent.hold(op);
        } else {
            family.parent.forward(op, lane);
        }
    };
    Op* cancelled = nullptr;
    family.parent.on_cancellation = [&](Op& op) {
        cancelled = &op;
        family.parent.answer(family.child, op, failure(std::errc::operation_canceled));
    };
    CustomOp op;
    family.child.submit(op);
    family.loop.turn();
    family.child.cancel(op);
    family.loop.run();
    EXPECT_EQ(cancelled, &op);
    EXPECT_TRUE(op.is_cancelled());
    EXPECT_EQ(family.child.completed.size(), 1u);
}

TEST(Machine, a_cancel_reaches_also_a_grandparent_that_holds_the_op) {
    // clause: K10, K19
    Family family;
    family.app.on_output_of_child = [&](TestMachine&, Op& op, Lane lane) {
        if (lane == Lane::submissions) {
            family.app.hold(op);
        } else {
            family.app.forward(op, lane);
        }
    };
    std::vector<Op*> cancelled;
    family.app.on_cancellation = [&](Op& op) {
        cancelled.push_back(&op);
        family.app.complete(op, failure(std::errc::operation_canceled));
    };
    CustomOp op;
    family.child.submit(op);
    family.loop.turn();
    ASSERT_EQ(op.state(), OpState::held);
    family.child.cancel(op);
    family.loop.run();
    EXPECT_EQ(cancelled, std::vector<Op*>{&op});
    EXPECT_EQ(family.child.completed, std::vector<Op*>{&op});
    EXPECT_TRUE(op.is_cancelled());
}

TEST(Machine, a_cancel_on_its_way_gives_way_to_the_answer_of_the_parent_that_holds_the_op) {
    // clause: K10
    Family family;
    family.parent.on_output_of_child = [&](TestMachine&, Op& op, Lane lane) {
        ASSERT_EQ(lane, Lane::submissions);
        family.parent.hold(op);
    };
    CustomOp op;
    family.child.submit(op);
    family.loop.turn();
    family.child.cancel(op);
    family.parent.answer(family.child, op, 99);
    family.loop.run();
    EXPECT_EQ(family.child.completed, std::vector<Op*>{&op});
    EXPECT_EQ(op.result(), 99);
}

TEST(Machine, an_op_that_was_intercepted_keeps_its_destination_for_the_next_time) {
    Family family;
    bool intercepts = true;
    family.parent.on_output_of_child = [&](TestMachine& from, Op& out, Lane lane) {
        if (!intercepts) return family.parent.forward(out, lane);
        family.parent.hold(out);
        family.parent.answer(from, out, 1);
    };
    family.platform.answers_at_once = true;
    CustomOp op;
    op.set_destination(family.loop.platform_ref());
    family.child.submit(op);
    family.loop.run();
    EXPECT_EQ(op.result(), 1);
    intercepts = false;
    family.child.submit(op);
    family.loop.run();
    EXPECT_EQ(op.result(), 7);
}

TEST(Machine, a_parent_can_put_an_op_of_its_own_in_place_of_a_childs) {
    // clause: K19, K23
    Family family;
    CustomOp own;
    Op* original = nullptr;
    family.parent.on_output_of_child = [&](TestMachine&, Op& op, Lane) {
        family.parent.hold(op);
        original = &op;
        own.set_destination(family.loop.platform_ref());
        family.parent.submit(own, op.as_cause());
    };
    family.parent.on_completion = [&](Op& op) {
        family.parent.answer(family.child, *original, op.result() * 10);
    };
    family.platform.answers_at_once = true;
    CustomOp op;
    family.child.submit(op);
    family.loop.run();
    EXPECT_EQ(op.result(), 70);
    EXPECT_EQ(own.parent_op_id(), op.id());
    EXPECT_EQ(own.trace_id(), op.trace_id());
}

TEST(Machine, a_parent_can_gather_the_ops_of_several_children_into_one) {
    // clause: K19
    Family family;
    TestMachine second{"second"};
    family.parent.add_child(second);
    std::vector<std::pair<TestMachine*, Op*>> waiting;
    CustomOp gathered;
    family.parent.on_output_of_child = [&](TestMachine& from, Op& op, Lane) {
        family.parent.hold(op);
        waiting.emplace_back(&from, &op);
        if (waiting.size() == 2) {
            gathered.set_destination(family.loop.platform_ref());
            family.parent.submit(gathered);
        }
    };
    family.parent.on_completion = [&](Op& op) {
        for (auto [child, child_op] : waiting) family.parent.answer(*child, *child_op, op.result());
    };
    family.platform.answers_at_once = true;
    CustomOp first_op;
    CustomOp second_op;
    family.child.submit(first_op);
    second.submit(second_op);
    family.loop.run();
    EXPECT_EQ(first_op.result(), 7);
    EXPECT_EQ(second_op.result(), 7);
    EXPECT_EQ(family.parent.completed.size(), 1u);
    family.parent.remove_child(second);
}

TEST(Machine, a_childs_output_gets_its_idle_parent_ticked_in_the_same_turn) {
    // clause: K27
    Family family;
    family.loop.turn();
    family.parent.ticks.clear();
    int seen = 0;
    family.parent.on_output_of_child = [&](TestMachine& from, Op& op, Lane) {
        ++seen;
        family.parent.hold(op);
        family.parent.answer(from, op, 0);
    };
    CustomOp op;
    family.child.submit(op);
    EXPECT_TRUE(family.parent.in().empty());
    family.loop.turn();
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(family.parent.ticks.size(), 1u);
}

}  // namespace
}  // namespace gyre
