// SPDX-License-Identifier: Apache-2.0
// How a loop is closed, and what it reports about ops that are not completed.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/recorder.test.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using std::chrono::microseconds;
using test::CustomOp;
using test::FakePlatform;
using test::Recorder;
using test::TestMachine;

TEST(Loop, a_stop_during_close_does_not_turn_waits_into_looks) {
    FakePlatform platform;
    TestMachine app("app");
    Loop loop(platform, app);
    CustomOp op;
    app.submit(op);
    loop.turn();
    platform.confirms_cancels = false;
    platform.never_ends = true;
    app.on_closing = [&] {
        app.cancel(op);
        loop.stop();
    };
    // The platform completes the op only in a blocking wait: polling would go on forever.
    int looks = 0;
    platform.on_wait = [&] {
        const bool is_look = platform.waits.back() != Instant::never();
        looks += is_look ? 1 : 0;
        if ((!is_look || looks > 100) && op.is_in_flight()) {
            platform.finish(op, failure(std::errc::operation_canceled));
        }
    };
    loop.close();
    EXPECT_LT(looks, 10);
    EXPECT_EQ(op.result(), failure(std::errc::operation_canceled));
}

TEST(Loop, close_cancels_everything_children_first_then_app_then_platform) {
    // clause: K20
    FakePlatform platform;
    TestMachine app("app");
    TestMachine child("child");
    TestMachine grandchild("grandchild");
    Recorder recorder;
    std::vector<std::string> closed;
    TimerOp timers[3];
    CustomOp from_child;
    {
        Loop loop(platform, app, {.observer = &recorder});
        app.add_child(child);
        child.add_child(grandchild);
        TestMachine* machines[] = {&app, &child, &grandchild};
        for (int i = 0; i < 3; ++i) {
            timers[i].deadline = Instant(1'000'000'000'000);
            machines[i]->submit(timers[i]);
            machines[i]->on_closing = [&, i, machine = machines[i]] {
                closed.emplace_back(machine->name());
                machine->cancel(timers[i]);
                if (i == 1) child.cancel(from_child);
            };
        }
        from_child.set_destination(loop.platform_ref());
        child.submit(from_child);
        loop.turn();
        ASSERT_EQ(platform.held.size(), 1u);
        loop.close();
        EXPECT_EQ(closed, (std::vector<std::string>{"grandchild", "child", "app"}));
        for (const TimerOp& timer : timers) EXPECT_TRUE(timer.is_cancelled());
        EXPECT_TRUE(from_child.is_cancelled());
        EXPECT_EQ(loop.ops_in_flight(), 0u);
        EXPECT_LT(loop.now(), Instant(1'000'000'000'000));
        // The platform was still open to handle the app's cancellation.
        EXPECT_EQ(platform.cancellations, std::vector<Op*>{&from_child});
        child.remove_child(grandchild);
        app.remove_child(child);
    }
}

TEST(Loop, close_gives_back_what_its_platform_serves_for_another_loop_after_the_app_is_closed) {
    // clause: K20
    Peers peers(2);
    FakePlatform here_platform;
    FakePlatform there_platform;
    TestMachine here("here");
    TestMachine there("there");
    Loop here_loop(here_platform, here, {.thread_id = 1, .peers = &peers});
    Loop there_loop(there_platform, there, {.thread_id = 2, .peers = &peers});
    CustomOp op;
    op.set_destination(there_loop.platform_ref());
    here.submit(op);
    here_loop.turn();
    there_loop.turn();
    ASSERT_EQ(there_platform.held, std::vector<Op*>{&op});
    there.on_closing = [&] { EXPECT_EQ(there_platform.held.size(), 1u); };
    there_loop.close();
    here_loop.turn();
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
    EXPECT_TRUE(op.is_cancelled());
}

// Like a platform that must wait for the system before it can complete a cancelled op.
class SlowPlatform : public FakePlatform {
public:
    bool is_closing = false;

protected:
    void on_close() override { is_closing = true; }
};

TEST(Loop, close_waits_for_what_its_platform_can_give_back_only_later) {
    // clause: K20
    SlowPlatform platform;
    platform.never_ends = true;
    TestMachine app("app");
    Loop loop(platform, app);
    CustomOp op;
    op.set_destination(loop.platform_ref());
    ASSERT_TRUE(loop.post(op));
    loop.turn();
    ASSERT_EQ(platform.held, std::vector<Op*>{&op});
    platform.on_wait = [&] {
        if (platform.is_closing && op.is_in_flight()) {
            platform.finish(op, failure(std::errc::operation_canceled));
        }
    };
    loop.close();
    EXPECT_EQ(platform.ops_held(), 0u);
    EXPECT_TRUE(op.is_cancelled());
}

TEST(Loop, that_is_destroyed_is_closed_first) {
    // clause: K20
    FakePlatform platform;
    TestMachine app("app");
    int closings = 0;
    app.on_closing = [&] { ++closings; };
    {
        const Loop loop(platform, app);
    }
    EXPECT_EQ(closings, 1);
}

TEST(LoopDeathTest, closing_with_ops_that_nobody_cancels_names_them) {
    // clause: K20
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app("app");
            Loop loop(platform, app);
            CustomOp op;
            app.submit(op);
            loop.turn();
            loop.close();
        },
        "never come back: cancel them in on_close\\(\\)\n.*machine [0-9]+ \\(app\\): 1 in flight");
}

TEST(LoopDeathTest, closing_under_a_machine_that_ticks_for_ever_says_so) {
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app("app");
            Loop loop(platform, app);
            app.on_tick = [&] {
                app.ticks.clear();
                platform.waits.clear();
                app.tick_again();
            };
            app.tick_again();
            loop.turn();
            loop.close();
        },
        "a machine asks for ticks without end: stop in on_close");
}

TEST(LoopDeathTest, destroyed_with_live_ops_lists_them) {
    // clause: K04
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app("app");
            TimerOp timer(Instant(7'000));
            CustomOp op;
            Loop loop(platform, app);
            app.submit(timer);
            app.submit(op);
            loop.turn();
        },
        "destroyed with live ops: call close\\(\\) first.\n(.|\n)*app\\): 2 in flight(.|\n)*op "
        "[0-9]+ timer "
        "due at 7000 ns");
}

TEST(LoopDeathTest, touched_from_a_foreign_thread_is_caught_where_checks_are_on) {
    if (!GYRE_DEBUG_CHECKS) GTEST_SKIP() << "this build has no debug checks";
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app("app");
            Loop loop(platform, app);
            loop.turn();
            std::thread([&] {
                TimerOp timer(Instant(7'000));
                app.submit(timer);
            }).join();
        },
        "touched from a foreign thread: post an op or ring a WakeOp");
}

TEST(Loop, a_closed_loop_stays_closed_also_when_it_is_turned) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    loop.close();
    loop.turn();
    CustomOp op;
    EXPECT_FALSE(loop.post(op));
    EXPECT_EQ(loop.run_until_stopped(), Loop::End::idle);
}

}  // namespace
}  // namespace gyre
