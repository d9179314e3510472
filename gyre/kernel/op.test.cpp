// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/op.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::FakePlatform;
using test::TestMachine;

TEST(Op, has_the_fields_of_the_specification_in_one_cache_line) {
    // clause: K03, K26
    static_assert(sizeof(Op) == 64);
    static_assert(sizeof(OpId) == 8 && sizeof(TraceId) == 8 && sizeof(Instant) == 8);
    static_assert(sizeof(ThreadId) == 4 && sizeof(MachineId) == 4);
    static_assert(std::is_same_v<decltype(std::declval<Op>().result()), std::int32_t>);

    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app, {.thread_id = 3});
    CustomOp op;
    op.set_destination(loop.platform_ref());
    app.submit(op, {.trace_id = 77, .op_id = 5});
    EXPECT_NE(op.id(), 0u);
    EXPECT_EQ(op.trace_id(), 77u);
    EXPECT_EQ(op.parent_op_id(), 5u);
    EXPECT_EQ(op.code(), OpCode::first_custom);
    EXPECT_EQ(op.source(), app.ref());
    EXPECT_EQ(op.source().thread, 3u);
    EXPECT_EQ(op.destination(), platform.ref());
    EXPECT_TRUE(op.is_linked());
    loop.turn();
    platform.finish(op, -5);
    loop.turn();
    EXPECT_EQ(op.result(), -5);

    // Each flight has its own id.
    const OpId first_id = op.id();
    app.submit(op);
    CustomOp other;
    app.submit(other);
    EXPECT_NE(op.id(), first_id);
    EXPECT_NE(op.id(), other.id());
    platform.answers_at_once = true;
    loop.run();
}

TEST(Op, without_a_cause_is_a_root_operation) {
    // clause: K26
    FakePlatform platform;
    platform.answers_at_once = true;
    TestMachine app;
    Loop loop(platform, app);
    CustomOp op;
    app.submit(op, {.trace_id = 9, .op_id = 4});
    loop.run();
    app.submit(op);
    EXPECT_EQ(op.parent_op_id(), 0u);
    EXPECT_EQ(op.trace_id(), op.id());
    loop.run();
}

// A timer stores its deadline in the field of other ops' destination.
TEST(Op, of_a_timer_has_no_destination) {
    TimerOp timer(Instant(0x1'0000'0001));
    EXPECT_FALSE(timer.destination());
    EXPECT_EQ(timer.deadline, Instant(0x1'0000'0001));
    // It must not be routed to the machine that the bits of its deadline would name.
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    ASSERT_TRUE(loop.post(timer));
    loop.turn();
    ASSERT_EQ(app.held, std::vector<Op*>{&timer});
    app.finish(timer, 0);
    loop.turn();
    EXPECT_FALSE(timer.is_in_flight());
    EXPECT_EQ(timer.deadline, Instant(0x1'0000'0001));
    loop.close();
}

TEST(OpDeathTest, of_a_timer_cannot_be_given_a_destination) {
    TimerOp timer;
    EXPECT_DEATH(timer.set_destination({1, 1}), "a timer has no destination");
}

TEST(OpDeathTest, freed_while_in_flight_is_caught) {
    // clause: K04
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app;
            Loop loop(platform, app);
            CustomOp op;
            app.submit(op);
            loop.turn();
            // The op is destroyed before the loop that still has it.
        },
        "op [0-9]+ \\(custom, code 1024\\) is freed while in flight: cancel it and wait for its "
        "completion");
}

TEST(OpDeathTest, submitted_twice_is_caught) {
    // clause: K04
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app;
            Loop loop(platform, app);
            CustomOp op;
            app.submit(op);
            app.submit(op);
        },
        "op [0-9]+ \\(custom\\) is submitted twice: take its completion first");
}

TEST(Op, belongs_to_its_initiator_again_once_the_completion_is_taken) {
    // clause: K04, K07
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    CustomOp op;
    EXPECT_FALSE(op.is_in_flight());
    app.submit(op);
    EXPECT_TRUE(op.is_in_flight());
    loop.turn();
    ASSERT_EQ(platform.held, std::vector<Op*>{&op});
    EXPECT_TRUE(op.is_in_flight());
    platform.finish(op, 12);
    EXPECT_TRUE(op.is_in_flight());
    loop.turn();
    EXPECT_EQ(app.completed, std::vector<Op*>{&op});
    EXPECT_EQ(op.result(), 12);
    EXPECT_FALSE(op.is_in_flight());
}

TEST(Op, kinds_have_names) {
    EXPECT_STREQ(name_of(OpCode::timer), "timer");
    EXPECT_STREQ(name_of(OpCode::first_io), "io");
    EXPECT_STREQ(name_of(OpCode::first_io_standing), "io");
    EXPECT_STREQ(name_of(static_cast<OpCode>(5000)), "custom");
    EXPECT_TRUE(is_standing(OpCode::wake));
    EXPECT_FALSE(is_standing(OpCode::first_custom));
}

}  // namespace
}  // namespace gyre
