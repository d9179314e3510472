// SPDX-License-Identifier: Apache-2.0
// Cancelling in every state of an op: idle, submitted, routed, held, with the loop, offloaded,
// ready. Each ends in exactly one completion.
#include "gyre/kernel/op.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::CustomStandingOp;
using test::FakePlatform;
using test::TestMachine;

struct Cancel : ::testing::Test {
    FakePlatform platform;
    TestMachine app{"app"};
    Loop loop{platform, app};

    void expect_one_completion(Op& op, bool as_cancelled) {
        loop.run();
        EXPECT_EQ(std::count(app.completed.begin(), app.completed.end(), &op), 1);
        EXPECT_EQ(op.is_cancelled(), as_cancelled);
        EXPECT_FALSE(op.is_in_flight());
        EXPECT_EQ(loop.ops_in_flight(), 0u);
        EXPECT_EQ(app.ops_in_flight(), 0u);
        EXPECT_EQ(platform.ops_held(), 0u);
    }
};

TEST_F(Cancel, of_an_idle_op_does_nothing) {
    // clause: K10
    CustomOp op;
    app.cancel(op);
    EXPECT_FALSE(op.is_cancel_requested());
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_TRUE(app.completed.empty());
}

TEST_F(Cancel, of_a_submitted_op_keeps_it_from_its_server) {
    // clause: K10
    CustomOp op;
    app.submit(op);
    app.cancel(op);
    expect_one_completion(op, true);
    EXPECT_TRUE(platform.held.empty());
    EXPECT_TRUE(platform.cancellations.empty());
}

TEST_F(Cancel, of_a_routed_op_that_its_server_has_not_taken) {
    // clause: K10
    TestMachine server("server");
    app.add_child(server);
    CustomOp op;
    op.set_destination(server.ref());
    bool cancelled_on_the_way = false;
    app.on_input_of_child = [&](TestMachine& child, Op& passing, Lane lane) {
        app.pass_down(child, passing, lane);
        if (lane == Lane::submissions && !cancelled_on_the_way) {
            cancelled_on_the_way = true;
            app.cancel(op);  // It is in the server's in port now.
        }
    };
    app.submit(op);
    expect_one_completion(op, true);
    EXPECT_TRUE(cancelled_on_the_way);
    EXPECT_TRUE(server.held.empty());
    app.remove_child(server);
}

TEST_F(Cancel, of_an_op_on_its_way_to_a_parent_that_would_hold_it) {
    // clause: K10
    TestMachine child("child");
    app.add_child(child);
    bool was_shown = false;
    app.on_output_of_child = [&](TestMachine&, Op& passing, Lane) {
        was_shown = true;
        app.hold(passing);
    };
    CustomOp op;
    child.submit(op);
    child.cancel(op);  // The parent has not seen it, and never will.
    loop.run();
    EXPECT_EQ(child.completed, std::vector<Op*>{&op});
    EXPECT_TRUE(op.is_cancelled());
    EXPECT_FALSE(was_shown);
    app.remove_child(child);
}

TEST_F(Cancel, of_a_childs_timer_that_its_parent_has_passed_on) {
    // clause: K10
    TestMachine child("child");
    app.add_child(child);
    TimerOp timer(Instant(1'000'000));
    app.on_output_of_child = [&](TestMachine&, Op& passing, Lane lane) {
        app.forward(passing, lane);
        child.cancel(timer);  // It is in the app's out port now.
    };
    child.submit(timer);
    loop.run();
    EXPECT_EQ(child.completed, std::vector<Op*>{&timer});
    EXPECT_TRUE(timer.is_cancelled());
    EXPECT_LT(loop.now(), Instant(1'000'000));
    app.remove_child(child);
}

TEST_F(Cancel, of_a_held_op_reaches_its_server_which_ends_it) {
    // clause: K10
    CustomOp op;
    app.submit(op);
    loop.turn();
    ASSERT_EQ(op.state(), OpState::held);
    app.cancel(op);
    app.cancel(op);
    expect_one_completion(op, true);
    EXPECT_EQ(platform.cancellations.size(), 1u);
}

TEST_F(Cancel, comes_too_late_and_the_result_stands) {
    // clause: K10
    platform.confirms_cancels = false;
    CustomOp op;
    app.submit(op);
    loop.turn();
    app.cancel(op);
    loop.turn();
    ASSERT_EQ(platform.cancellations.size(), 1u);
    platform.finish(op, 42);
    expect_one_completion(op, false);
    EXPECT_EQ(op.result(), 42);
}

TEST_F(Cancel, on_its_way_while_the_op_completes_gives_way) {
    // clause: K10
    CustomOp op;
    app.submit(op);
    loop.turn();
    app.cancel(op);           // In the app's cancellations …
    platform.finish(op, 42);  // … and completed before the cancellation arrives.
    expect_one_completion(op, false);
    EXPECT_TRUE(platform.cancellations.empty());
}

TEST_F(Cancel, of_a_ready_op_leaves_its_result) {
    // clause: K10
    CustomOp op;
    app.submit(op);
    loop.turn();
    platform.finish(op, 42);
    app.cancel(op);
    expect_one_completion(op, false);
    EXPECT_EQ(op.result(), 42);
}

TEST_F(Cancel, of_a_timer_reaches_the_timers) {
    // clause: K10, K12
    TimerOp timer(Instant(1'000'000));
    app.submit(timer);
    ASSERT_EQ(loop.timer_count(), 1u);
    app.cancel(timer);
    EXPECT_EQ(loop.timer_count(), 0u);
    expect_one_completion(timer, true);
    EXPECT_LT(loop.now(), Instant(1'000'000));
}

TEST_F(Cancel, of_a_timer_that_is_due_but_not_taken_leaves_its_result) {
    // clause: K10
    TimerOp first(Instant(2'000));
    TimerOp second(Instant(2'000));
    app.on_completion = [&](Op& op) {
        if (&op == &first) app.cancel(second);
    };
    app.submit(first);
    app.submit(second);
    expect_one_completion(second, false);
}

TEST_F(Cancel, of_a_wake_ends_it_also_while_a_ring_is_on_its_way) {
    // clause: K08, K10
    WakeOp quiet;
    app.submit(quiet);
    app.cancel(quiet);
    expect_one_completion(quiet, true);

    WakeOp rung;
    app.submit(rung);
    rung.ring();
    app.cancel(rung);
    expect_one_completion(rung, true);
    EXPECT_TRUE(app.notified.empty());
    rung.ring();
    EXPECT_FALSE(loop.has_posts());
}

TEST_F(Cancel, of_a_standing_op_with_a_ring_on_its_way_ends_it_once) {
    // clause: K08, K10
    CustomStandingOp op;
    app.submit(op);
    loop.turn();
    platform.notify(op);
    app.cancel(op);
    expect_one_completion(op, true);
    EXPECT_TRUE(app.notified.empty());
}

// Runs no work until the test calls for it, so that the states before and after the start of work
// can be tested.
class ManualOffload : public Offload {
public:
    bool start(Op& op, Work work, Loop& home) noexcept override {
        if (is_full) return false;
        ++starts;
        op_ = &op;
        work_ = work;
        home_ = &home;
        return true;
    }
    bool withdraw(Op& op) noexcept override { return !has_begun && op_ == &op; }
    void run() noexcept { home_->post_offloaded(*op_, work_(*op_)); }

    int starts = 0;
    bool is_full = false;
    bool has_begun = false;

private:
    Op* op_ = nullptr;
    Work work_ = nullptr;
    Loop* home_ = nullptr;
};

struct CancelWork : ::testing::Test {
    FakePlatform platform;
    TestMachine app{"app"};
    ManualOffload offload;
    Loop loop{platform, app, {.offload = &offload}};
    WorkOp work{[](WorkOp&) noexcept -> std::int32_t { return 5; }};
};

TEST_F(CancelWork, that_was_not_routed_is_never_started) {
    // clause: K10
    app.submit(work);
    app.cancel(work);
    loop.run();
    EXPECT_EQ(app.completed, std::vector<Op*>{&work});
    EXPECT_TRUE(work.is_cancelled());
    EXPECT_EQ(offload.starts, 0);
}

TEST_F(CancelWork, that_has_not_begun_ends_as_cancelled) {
    // clause: K10
    app.submit(work);
    loop.turn();
    ASSERT_EQ(work.state(), OpState::offloaded);
    app.cancel(work);
    loop.run();
    EXPECT_EQ(app.completed.size(), 1u);
    EXPECT_TRUE(work.is_cancelled());
}

TEST_F(CancelWork, that_has_begun_ends_with_its_result) {
    // clause: K10
    app.submit(work);
    loop.turn();
    offload.has_begun = true;
    app.cancel(work);
    EXPECT_TRUE(work.is_in_flight());
    offload.run();
    loop.run();
    EXPECT_EQ(app.completed.size(), 1u);
    EXPECT_EQ(work.result(), 5);
}

TEST_F(CancelWork, that_a_machine_gave_away_comes_back_to_that_machine) {
    // clause: K10
    TestMachine server{"server"};
    app.add_child(server);
    CustomOp op;
    op.set_destination(server.ref());
    server.on_submission = [&](Op& got) {
        server.offload(got, [](Op&) noexcept -> std::int32_t { return 9; });
    };
    app.submit(op);
    loop.turn();
    ASSERT_EQ(op.state(), OpState::offloaded);
    EXPECT_EQ(server.ops_held(), 1u);
    app.cancel(op);  // Not begun: withdrawn.
    loop.run();
    EXPECT_TRUE(op.is_cancelled());
    EXPECT_EQ(server.ops_held(), 0u);

    app.submit(op);
    loop.turn();
    offload.has_begun = true;
    app.cancel(op);
    offload.run();
    loop.run();
    EXPECT_EQ(op.result(), 9);
    EXPECT_EQ(app.completed, (std::vector<Op*>{&op, &op}));
    app.remove_child(server);
}

TEST_F(CancelWork, a_full_offload_is_an_error_result) {
    // clause: K14
    offload.is_full = true;
    app.submit(work);
    loop.run();
    EXPECT_EQ(work.result(), failure(std::errc::resource_unavailable_try_again));
}

TEST(Offload, work_without_one_is_an_error_result) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    WorkOp work{[](WorkOp&) noexcept -> std::int32_t { return 5; }};
    app.submit(work);
    loop.run();
    EXPECT_EQ(work.result(), failure(std::errc::function_not_supported));
}

TEST(CancelDeathTest, by_a_machine_that_did_not_submit_the_op_is_caught) {
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app("app");
            TestMachine child("child");
            Loop loop(platform, app);
            app.add_child(child);
            CustomOp op;
            app.submit(op);
            child.cancel(op);
        },
        "is cancelled by child, which did not submit it");
}

TEST(CancelDeathTest, completing_an_op_twice_is_caught) {
    // clause: K10
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app("app");
            Loop loop(platform, app);
            CustomOp op;
            op.set_destination(app.ref());
            app.submit(op);
            loop.turn();
            app.complete(op, 1);
            app.complete(op, 2);
        },
        "is completed by app, which does not hold it");
}

}  // namespace
}  // namespace gyre
