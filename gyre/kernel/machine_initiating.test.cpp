// SPDX-License-Identifier: Apache-2.0
// A machine's own timers: they are with the loop at once, and can be rescheduled.
#include <gtest/gtest.h>

#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::FakePlatform;
using test::TestMachine;

struct Rescheduling : ::testing::Test {
    FakePlatform platform;
    TestMachine app;
    TestMachine child;
    Loop loop{platform, app};
    TimerOp timer{Instant(5'000)};

    Rescheduling() { app.add_child(child); }
    ~Rescheduling() override { loop.close(); }
};

TEST_F(Rescheduling, a_root_machines_timer_is_with_the_loop_as_soon_as_it_is_submitted) {
    app.submit(timer);
    EXPECT_EQ(loop.timer_count(), 1u);
    EXPECT_TRUE(app.out().empty());
}

TEST_F(Rescheduling, a_childs_timer_still_passes_its_parent) {
    std::vector<Op*> seen;
    app.on_output_of_child = [&](TestMachine&, Op& op, Lane lane) {
        seen.push_back(&op);
        app.forward(op, lane);
    };
    child.submit(timer);
    EXPECT_EQ(loop.timer_count(), 0u);
    loop.run();
    EXPECT_EQ(seen, std::vector<Op*>{&timer});
    EXPECT_EQ(child.completed, std::vector<Op*>{&timer});
}

TEST_F(Rescheduling, a_moved_timer_completes_once_at_its_new_deadline) {
    app.submit(timer);
    EXPECT_TRUE(app.reschedule(timer, Instant(9'000)));
    loop.run();
    EXPECT_EQ(loop.now(), Instant(9'000));
    EXPECT_EQ(app.completed, std::vector<Op*>{&timer});
    EXPECT_EQ(timer.result(), 0);

    app.submit(timer);  // Overdue: the deadline is the one it was rescheduled to.
    EXPECT_TRUE(app.reschedule(timer, Instant(20'000)));
    EXPECT_TRUE(app.reschedule(timer, Instant(10'000)));
    loop.run();
    EXPECT_EQ(loop.now(), Instant(10'000));
}

TEST_F(Rescheduling, a_moved_timer_stands_behind_those_of_its_new_instant) {
    TimerOp other(Instant(9'000));
    app.submit(timer);
    app.submit(other);
    EXPECT_TRUE(app.reschedule(timer, Instant(9'000)));
    loop.run();
    EXPECT_EQ(app.completed, (std::vector<Op*>{&other, &timer}));
    EXPECT_EQ(loop.timer_count(), 0u);
}

TEST_F(Rescheduling, a_childs_timer_can_be_moved_on_its_way) {
    child.submit(timer);
    EXPECT_TRUE(child.reschedule(timer, Instant(7'000)));
    loop.run();
    EXPECT_EQ(loop.now(), Instant(7'000));
    EXPECT_EQ(child.completed, std::vector<Op*>{&timer});
}

TEST_F(Rescheduling, what_does_not_wait_any_more_stays_as_it_is) {
    EXPECT_FALSE(app.reschedule(timer, Instant(9'000)));  // Idle.
    EXPECT_EQ(timer.deadline, Instant(5'000));

    TimerOp second(Instant(5'000));
    app.on_completion = [&](Op& op) {
        // Both are due, and the completion of `second` is not taken yet.
        if (&op != &timer) return;
        EXPECT_FALSE(app.reschedule(second, Instant(9'000)));
    };
    app.submit(timer);
    app.submit(second);
    loop.run();
    EXPECT_EQ(loop.now(), Instant(5'000));
    EXPECT_EQ(app.completed, (std::vector<Op*>{&timer, &second}));

    timer.deadline = Instant(8'000);
    app.on_completion = nullptr;
    app.submit(timer);
    app.cancel(timer);
    EXPECT_FALSE(app.reschedule(timer, Instant(9'000)));
    loop.run();
    EXPECT_TRUE(timer.is_cancelled());
    EXPECT_EQ(app.completed.size(), 3u);
}

TEST_F(Rescheduling, a_childs_timer_that_was_cancelled_on_its_way_stays_cancelled) {
    child.submit(timer);
    child.cancel(timer);
    EXPECT_FALSE(child.reschedule(timer, Instant(9'000)));
    loop.run();
    EXPECT_TRUE(timer.is_cancelled());
}

TEST_F(Rescheduling, a_timer_that_a_parent_holds_is_the_parents) {
    app.on_output_of_child = [&](TestMachine&, Op& op, Lane) { app.hold(op); };
    child.submit(timer);
    loop.turn();
    EXPECT_FALSE(child.reschedule(timer, Instant(9'000)));
    EXPECT_EQ(timer.deadline, Instant(5'000));
    app.answer(child, timer, 0);
    loop.run();
    EXPECT_EQ(child.completed, std::vector<Op*>{&timer});
}

}  // namespace
}  // namespace gyre
