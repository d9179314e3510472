// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/loop.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "gyre/kernel/recorder.test.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::FakePlatform;
using test::Recorder;
using test::TestMachine;

using Steps = std::vector<std::string>;

TEST(Loop, a_turn_waits_once_then_timers_then_inbox_then_outputs_then_ticks) {
    // clause: K16
    FakePlatform platform;
    TestMachine app("app");
    Recorder recorder;
    Loop loop(platform, app, {.observer = &recorder, .rounds_per_turn_max = 1});
    TimerOp timer(Instant(2'000));
    app.submit(timer);  // With the loop from now on.
    platform.on_wait = [&] { platform.time = Instant(3'000); };

    CustomOp posted;
    ASSERT_TRUE(loop.post(posted));
    CustomOp output;
    app.submit(output);
    recorder.steps.clear();
    platform.waits.clear();
    loop.turn();
    EXPECT_EQ(platform.waits.size(), 1u);
    EXPECT_EQ(recorder.steps, (Steps{"wait", "waited",                      //
                                     "route completion of timer to app",    //
                                     "route submission of custom to app",   //
                                     "route submission of custom to fake",  //
                                     "tick app", "complete timer at app",   //
                                     "tick fake"}));
    app.finish(posted, 0);
    platform.finish(output, 0);
    loop.run();
}

TEST(Loop, the_inbox_is_drained_only_of_what_was_there_at_the_start) {
    // clause: K16
    FakePlatform platform;
    TestMachine app("app");
    Recorder recorder;
    Loop loop(platform, app, {.observer = &recorder});
    std::deque<CustomOp> posts(3);
    std::size_t posted = 1;
    recorder.on_routed = [&](const Op&) {
        if (posted < posts.size()) {
            ASSERT_TRUE(loop.post(posts[posted++]));
        }
    };
    CustomOp also_there;
    ASSERT_TRUE(loop.post(posts[0]));
    ASSERT_TRUE(loop.post(also_there));
    loop.turn();
    EXPECT_EQ(app.held, (std::vector<Op*>{&posts[0], &also_there}));
    loop.turn();
    EXPECT_EQ(app.held.size(), 4u);
    loop.close();
}

TEST(Loop, a_timer_started_in_a_tick_comes_in_the_next_turn_however_early_it_is_due) {
    // clause: K16
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    TimerOp timer(Instant(0));
    app.on_tick = [&] {
        if (app.ticks.size() == 1) app.submit(timer);
    };
    app.tick_again();
    loop.turn();
    EXPECT_TRUE(timer.is_in_flight());
    loop.turn();
    EXPECT_EQ(app.completed, std::vector<Op*>{&timer});
    EXPECT_EQ(platform.waits.size(), 2u);
}

TEST(Loop, does_not_wait_while_outputs_are_unrouted_or_a_machine_has_input) {
    // A loop that routes after its check for work would block although work is ready.
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app, {.rounds_per_turn_max = 1});
    TimerOp far(Instant(1'000'000));
    app.submit(far);
    int left = 5;
    std::deque<CustomOp> ops(5);
    platform.answers_at_once = true;
    app.on_tick = [&] {
        if (left > 0) app.submit(ops[static_cast<std::size_t>(--left)]);
    };
    app.tick_again();
    platform.waits.clear();
    while (app.completed.size() < 5) loop.turn();
    for (const Instant deadline : platform.waits) EXPECT_EQ(deadline, Instant(1'000));
    EXPECT_EQ(loop.now(), Instant(1'000));
    loop.run();
    EXPECT_EQ(platform.waits.back(), Instant(1'000'000));
}

TEST(Loop, a_storm_of_timers_is_delivered_in_portions_in_order_and_without_waiting) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app, {.timers_per_turn_max = 10});
    std::deque<TimerOp> timers(35);
    std::vector<Op*> order;
    for (TimerOp& timer : timers) {
        timer.deadline = Instant(2'000 + 7 * order.size());
        order.push_back(&timer);
        app.submit(timer);
    }
    loop.turn();
    platform.time = Instant(1'000'000);
    platform.waits.clear();
    CustomOp posted;
    ASSERT_TRUE(loop.post(posted));
    loop.turn();
    EXPECT_GE(app.completed.size(), 10u);
    EXPECT_LT(app.completed.size(), 35u);
    EXPECT_EQ(app.held, std::vector<Op*>{&posted});
    while (app.completed.size() < timers.size()) loop.turn();
    EXPECT_EQ(app.completed, order);
    for (const Instant deadline : platform.waits) EXPECT_LE(deadline, Instant(1'000'000));
    loop.close();
}

TEST(Loop, waits_until_the_next_deadline_and_not_in_slices) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    TimerOp timer(Instant(500'000'000'000));
    app.submit(timer);
    loop.run();
    EXPECT_EQ(app.completed.size(), 1u);
    EXPECT_EQ(std::count(platform.waits.begin(), platform.waits.end(), timer.deadline), 1);
    EXPECT_LE(loop.turn_count(), 3u);
}

TEST(Loop, counts_its_sleeps_and_its_ops_and_measures_sleeps_where_that_is_wanted) {
    for (const bool measures : {false, true}) {
        FakePlatform platform;
        TestMachine app;
        LoopOptions options;
        options.measures_idle_time = measures;
        Loop loop(platform, app, options);
        TimerOp first(Instant(5'000));
        TimerOp second(Instant(9'000));
        app.submit(first);
        app.submit(second);
        // A tick takes time during which the loop does not block.
        app.on_tick = [&] { platform.time = platform.time + Duration(500); };
        EXPECT_EQ(loop.run(), Loop::End::idle);
        EXPECT_EQ(loop.sleep_count(), 2U);
        EXPECT_LE(loop.sleep_count(), loop.turn_count());
        EXPECT_EQ(loop.op_count(), 2U);
        EXPECT_EQ(loop.idle_time(), Duration(measures ? 4'000 + 3'500 : 0));
    }
}

TEST(Loop, a_turn_waits_no_longer_than_it_is_told) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    TimerOp timer(Instant(9'000));
    app.submit(timer);
    loop.turn(Instant(4'000));
    EXPECT_EQ(loop.now(), Instant(4'000));
    EXPECT_TRUE(timer.is_in_flight());
    loop.turn(Instant(20'000));
    EXPECT_EQ(loop.now(), Instant(9'000));
    EXPECT_FALSE(timer.is_in_flight());
}

TEST(Loop, keeps_timers_from_the_platform_and_brings_none_a_nanosecond_early) {
    // clause: K12
    FakePlatform platform;
    TestMachine app;
    TestMachine child;
    Loop loop(platform, app);
    app.add_child(child);
    TimerOp of_app(Instant(5'000));
    TimerOp of_child(Instant(5'000));
    app.submit(of_app);
    child.submit(of_child);
    while (loop.now() < Instant(4'999)) loop.turn(Instant(4'999));
    EXPECT_EQ(loop.now(), Instant(4'999));
    EXPECT_EQ(loop.timer_count(), 2u);
    EXPECT_TRUE(platform.held.empty());
    loop.run();
    EXPECT_EQ(loop.now(), Instant(5'000));
    EXPECT_EQ(app.completed, std::vector<Op*>{&of_app});
    EXPECT_EQ(child.completed, std::vector<Op*>{&of_child});
    EXPECT_EQ(of_app.result(), 0);
    EXPECT_EQ(of_child.result(), 0);
    app.remove_child(child);
}

TEST(Loop, has_exactly_two_roots_the_app_and_the_platform) {
    // clause: K25
    FakePlatform platform;
    TestMachine app("app");
    TestMachine child("child");
    Loop loop(platform, app);
    app.add_child(child);
    EXPECT_EQ(app.parent(), nullptr);
    EXPECT_EQ(platform.parent(), nullptr);
    EXPECT_EQ(loop.app_ref(), app.ref());
    EXPECT_EQ(loop.platform_ref(), platform.ref());
    EXPECT_NE(child.parent(), nullptr);
    EXPECT_DEATH(child.add_child(app), "machine app is the root of a loop");
    EXPECT_DEATH((Loop(platform, child)),
                 "machine child cannot be the root of a loop: it has a parent");
    EXPECT_DEATH((Loop(platform, app)), "is the root of a loop already");
    app.remove_child(child);
}

TEST(Loop, run_ends_when_nothing_is_in_flight) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_EQ(loop.turn_count(), 0u);
    TimerOp timer(Instant(7'000));
    app.submit(timer);
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_EQ(loop.now(), Instant(7'000));
}

TEST(Loop, an_op_in_the_background_does_not_keep_it_alive) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    TimerOp timer(Instant(7'000));
    timer.set_background(true);
    app.submit(timer);
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_TRUE(timer.is_in_flight());
    EXPECT_LT(loop.now(), Instant(7'000));
    app.cancel(timer);
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_TRUE(timer.is_cancelled());
}

TEST(Loop, run_says_stuck_when_nothing_can_ever_happen) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    CustomOp op;
    app.submit(op);
    EXPECT_EQ(loop.run(), Loop::End::stuck);
    app.cancel(op);
    EXPECT_EQ(loop.run(), Loop::End::idle);
}

TEST(Loop, stop_before_run_lets_it_return_at_once_and_only_once) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    TimerOp timer(Instant(7'000));
    app.submit(timer);
    loop.stop();
    loop.stop();
    EXPECT_EQ(loop.run(), Loop::End::stopped);
    EXPECT_TRUE(timer.is_in_flight());
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_FALSE(timer.is_in_flight());
}

TEST(Loop, time_never_goes_back_and_a_jump_forward_fires_what_is_due) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    TimerOp timer(Instant(50'000));
    app.submit(timer);
    platform.on_wait = [&] { platform.time = Instant(10); };
    app.tick_again();
    loop.turn();
    EXPECT_EQ(loop.now(), Instant(1'000));
    EXPECT_TRUE(timer.is_in_flight());
    platform.on_wait = [&] { platform.time = Instant(1'000'000'000); };
    app.tick_again();
    loop.turn();
    EXPECT_EQ(app.completed, std::vector<Op*>{&timer});
}

TEST(Loop, two_ops_of_one_pair_arrive_in_the_order_they_were_sent) {
    // clause: K21
    FakePlatform platform;
    TestMachine app;
    TestMachine child;
    Loop loop(platform, app);
    app.add_child(child);
    std::deque<CustomOp> ops(50);
    for (CustomOp& op : ops) {
        op.set_destination(child.ref());
        app.submit(op);
        if (&op == &ops[20]) loop.turn();
    }
    loop.turn();
    loop.turn();
    ASSERT_EQ(child.held.size(), ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) EXPECT_EQ(child.held[i], &ops[i]);
    loop.close();
    app.remove_child(child);
}

TEST(Loop, a_trace_can_be_followed_from_hop_to_hop) {
    // clause: K23
    FakePlatform platform;
    TestMachine app;
    TestMachine middle;
    Loop loop(platform, app);
    app.add_child(middle);
    CustomOp first;
    CustomOp second;
    middle.on_submission = [&](Op& op) {
        second.set_destination(loop.platform_ref());
        middle.submit(second, op.as_cause());
        middle.held.push_back(&op);
    };
    first.set_destination(middle.ref());
    app.submit(first);
    loop.turn();
    loop.turn();
    ASSERT_EQ(platform.held, std::vector<Op*>{&second});
    EXPECT_EQ(second.trace_id(), first.trace_id());
    EXPECT_EQ(second.parent_op_id(), first.id());
    EXPECT_NE(second.id(), first.id());
    platform.finish(second, 0);
    middle.finish(first, 0);
    loop.run();
    EXPECT_EQ(second.trace_id(), first.id());
    app.remove_child(middle);
}

TEST(Loop, the_observer_sees_every_step_of_an_op) {
    FakePlatform platform;
    platform.answers_at_once = true;
    TestMachine app("app");
    Recorder recorder;
    Loop loop(platform, app, {.observer = &recorder});
    CustomOp op;
    app.submit(op);
    loop.run();
    EXPECT_EQ(recorder.steps,
              (Steps{"submit custom by app", "wait", "waited", "route submission of custom to fake",
                     "tick fake", "route completion of custom to app", "tick app",
                     "complete custom at app"}));
}

TEST(Loop, the_observer_sees_where_a_turn_ends_and_can_be_found_by_others) {
    struct EndRecorder : Recorder {
        void on_turned() noexcept override { steps.emplace_back("turned"); }
    } recorder;
    FakePlatform platform;
    TestMachine app("app");
    Loop loop(platform, app, {.observer = &recorder});
    app.tick_again();
    loop.turn();
    EXPECT_EQ(recorder.steps, (Steps{"wait", "waited", "tick app", "turned"}));
    EXPECT_EQ(loop.observer(), &recorder);
}

TEST(Loop, fits_in_64_kilobytes) {
    EXPECT_LE(sizeof(Loop), 65'536u);
}

}  // namespace
}  // namespace gyre
