// SPDX-License-Identifier: Apache-2.0
// Timers, as libuv's test-timer.c, test-timer-again.c and test-timer-from-check.c pin them. Each
// test names the one it restates.
#include <limits>

#include "gyre/handle/hook.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(UvTimer);

// test-timer.c: timer
TEST_P(UvTimer, fires_once_without_a_repeat_and_is_inactive_then) {
    int calls = 0;
    test::Live<Timer> timer(loop);
    timer->start(
        [&](Timer& self) {
            ++calls;
            EXPECT_FALSE(self.is_active());
        },
        2ms);
    EXPECT_TRUE(timer->is_active());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 1);
}

// test-timer->c: timer (never_cb)
TEST_P(UvTimer, that_is_closed_before_its_time_never_fires) {
    test::Live<Timer> timer(loop);
    timer->start([](Timer&) { FAIL(); }, 1ms);
    timer->close();
    EXPECT_FALSE(loop.run());
}

// test-timer->c: timer (repeat_cb)
TEST_P(UvTimer, repeats_until_it_is_closed_by_its_callback) {
    int calls = 0;
    int closed = 0;
    test::Live<Timer> timer(loop);
    timer->start(
        [&](Timer& self) {
            EXPECT_TRUE(self.is_active());
            if (++calls == 5) self.close([&](Handle&) { ++closed; });
        },
        1ms, 1ms);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 5);
    EXPECT_EQ(closed, 1);
}

// test-timer->c: timer_init
TEST_P(UvTimer, has_no_repeat_and_no_callback_at_first) {
    test::Live<Timer> timer(loop);
    EXPECT_EQ(timer->repeat(), Duration(0));
    EXPECT_FALSE(timer->is_active());
    EXPECT_EQ(timer->again().get().error().code(), std::errc::invalid_argument);
}

// test-timer->c: timer_start_twice
TEST_P(UvTimer, started_twice_fires_once_for_the_second_start) {
    int calls = 0;
    test::Live<Timer> timer(loop);
    timer->start([](Timer&) { FAIL(); }, 24h);
    timer->start([&](Timer&) { ++calls; }, 1ms);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 1);
}

// test-timer->c: timer_order
TEST_P(UvTimer, of_one_instant_fire_in_the_order_of_their_starts) {
    std::string order;
    test::Live<Timer> a(loop);
    test::Live<Timer> b(loop);
    a->start([&](Timer&) { order += 'a'; }, 0ms);
    b->start([&](Timer&) { order += 'b'; }, 0ms);
    loop.run();
    b->start([&](Timer&) { order += 'b'; }, 0ms);
    a->start([&](Timer&) { order += 'a'; }, 0ms);
    loop.run();
    EXPECT_EQ(order, "abba");
}

// test-timer.c: timer_huge_timeout
TEST_P(UvTimer, with_a_huge_delay_does_not_overflow_into_the_past) {
    test::Live<Timer> tiny(loop);
    test::Live<Timer> huge(loop);
    test::Live<Timer> largest(loop);
    tiny->start(
        [&](Timer&) {
            tiny->close();
            huge->close();
            largest->close();
        },
        1ms);
    huge->start([](Timer&) { FAIL(); }, Duration(0xffffffffffffLL));
    largest->start([](Timer&) { FAIL(); }, Duration::max());
    EXPECT_FALSE(loop.run());
}

// test-timer.c: timer_huge_repeat
TEST_P(UvTimer, with_a_huge_repeat_fires_once_and_stays_armed) {
    int calls = 0;
    test::Live<Timer> tiny(loop);
    test::Live<Timer> huge(loop);
    tiny->start(
        [&](Timer&) {
            if (++calls == 3) loop.stop();
        },
        1ms, 1ms);
    huge->start([&](Timer&) { ++calls; }, 1ms, Duration::max());
    EXPECT_TRUE(loop.run());
    EXPECT_TRUE(huge->is_active());
}

// test-timer.c: timer_run_once
// clause: L15
TEST_P(UvTimer, that_is_due_has_fired_when_run_once_returns) {
    int calls = 0;
    test::Live<Timer> timer(loop);
    timer->start([&](Timer&) { ++calls; }, 0ms);
    EXPECT_FALSE(loop.run(RunMode::once));
    EXPECT_EQ(calls, 1);
    timer->start([&](Timer&) { ++calls; }, 1ms);
    EXPECT_FALSE(loop.run(RunMode::once));
    EXPECT_EQ(calls, 2);
}

// test-timer->c: timer_is_closing
TEST_P(UvTimer, that_is_closing_cannot_be_started) {
    test::Live<Timer> timer(loop);
    timer->close();
    EXPECT_EQ(timer->start([](Timer&) {}, 100ms).get().error().code(), std::errc::invalid_argument);
    EXPECT_FALSE(timer->is_active());
}

// test-timer->c: timer_null_callback
TEST_P(UvTimer, without_a_callback_cannot_be_started) {
    test::Live<Timer> timer(loop);
    EXPECT_EQ(timer->start({}, 100ms).get().error().code(), std::errc::invalid_argument);
}

// test-timer->c: timer_early_check
TEST_P(UvTimer, is_never_early) {
    Instant fired;
    test::Live<Timer> timer(loop);
    loop.update_now();
    const Instant start = loop.now();
    timer->start([&](Timer&) { fired = world.platform().now(); }, 3ms);
    loop.run();
    EXPECT_GE(fired, start + 3ms);
}

// test-timer->c: timer_check_double_call
TEST_P(UvTimer, is_not_called_twice_in_one_iteration) {
    int calls = 0;
    test::Live<Timer> timer(loop);
    timer->start(
        [&](Timer& self) {
            ++calls;
            self.start([&](Timer&) { ++calls; }, 0ms);
        },
        0ms);
    loop.run(RunMode::once);
    EXPECT_EQ(calls, 1);
    loop.run(RunMode::once);
    EXPECT_EQ(calls, 2);
}

// test-timer->c: timer_no_double_call_once and timer_no_double_call_nowait
TEST_P(UvTimer, that_repeats_is_called_once_by_run_once_and_by_run_no_wait) {
    for (const RunMode mode : {RunMode::once, RunMode::no_wait}) {
        int calls = 0;
        test::Live<Timer> timer(loop);
        timer->start([&](Timer&) { ++calls; }, 0ms, 1h);
        EXPECT_TRUE(loop.run(mode));
        EXPECT_EQ(calls, 1);
    }
}

// test-timer->c: timer_no_run_on_unref
TEST_P(UvTimer, without_a_reference_does_not_run) {
    test::Live<Timer> timer(loop);
    timer->start([](Timer&) { FAIL(); }, 0ms);
    timer->unref();
    EXPECT_FALSE(loop.run());
}

// test-timer-again.c: timer_again
TEST_P(UvTimer, again_starts_it_anew_with_its_repeat) {
    int calls = 0;
    test::Live<Timer> repeating(loop);
    test::Live<Timer> dummy(loop);
    EXPECT_FALSE(dummy->again().get());
    repeating->start(
        [&](Timer& self) {
            if (++calls == 3) self.stop();
        },
        1h, 1ms);
    EXPECT_EQ(repeating->repeat(), 1ms);
    EXPECT_TRUE(repeating->again().get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 3);
}

// test-timer-again.c: timer_again (repeat_2)
TEST_P(UvTimer, again_without_a_repeat_leaves_it_alone) {
    int calls = 0;
    test::Live<Timer> timer(loop);
    timer->start(
        [&](Timer& self) {
            ++calls;
            EXPECT_TRUE(self.again().get());
            EXPECT_FALSE(self.is_active());
        },
        1ms, 1ms);
    timer->set_repeat(0ms);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 1);
}

// test-timer-again.c: timer_again (uv_timer_set_repeat in the callback)
TEST_P(UvTimer, a_repeat_set_in_the_callback_counts_after_the_one_that_is_armed) {
    std::vector<Duration> distances;
    Instant last = loop.now();
    test::Live<Timer> timer(loop);
    timer->start(
        [&](Timer& self) {
            distances.push_back(loop.now() - last);
            last = loop.now();
            self.set_repeat(5ms);
            if (distances.size() == 3) self.stop();
        },
        1ms, 1ms);
    loop.run();
    ASSERT_EQ(distances.size(), 3u);
    EXPECT_GE(distances[2], 5ms);
    if (!world.is_real()) {
        EXPECT_EQ(distances[1], 1ms);
    }
}

// test-timer->c: timer (order_cb) and docs of uv_timer_start: relative to the cached time
TEST(UvTimerTime, counts_from_the_cached_now_and_a_repeat_is_armed_before_its_callback) {
    test::HandleWorld world;
    PhasedLoop& loop = world.loop();
    std::vector<Duration> at;
    const Instant start = loop.now();
    test::Live<Timer> timer(loop);
    timer->start(
        [&](Timer& self) {
            at.push_back(loop.now() - start);
            world.virtual_clock.advance(4ms);  // A slow callback.
            if (at.size() == 3) self.stop();
        },
        10ms, 10ms);
    loop.run();
    EXPECT_EQ(at, (std::vector<Duration>{10ms, 20ms, 30ms}));
}

// test-timer-from-check.c: timer_from_check
TEST_P(UvTimer, of_no_delay_started_by_a_check_hook_fires_in_the_same_iteration) {
    std::string trace;
    test::Live<Prepare> prepare(loop);
    test::Live<Check> check(loop);
    test::Live<Timer> timer(loop);
    prepare->start([&](Prepare& self) {
        trace += "prepare ";
        self.stop();
    });
    check->start([&](Check& self) {
        trace += "check ";
        self.stop();
        timer->start([&](Timer&) { trace += "timer "; }, 0ms);
    });
    loop.run(RunMode::no_wait);
    EXPECT_EQ(trace, "prepare check timer ");
}

// test-timer->c: timer (due_in)
TEST(UvTimerTime, tells_how_long_it_has_left) {
    test::HandleWorld world;
    test::Live<Timer> timer(world.loop());
    EXPECT_EQ(timer->due_in(), Duration(0));
    timer->start([](Timer&) {}, 50ms);
    EXPECT_EQ(timer->due_in(), 50ms);
    world.virtual_clock.advance(20ms);
    EXPECT_EQ(timer->due_in(), 50ms);
    world.loop().update_now();
    EXPECT_EQ(timer->due_in(), 30ms);
    world.virtual_clock.advance(1h);
    world.loop().update_now();
    EXPECT_EQ(timer->due_in(), Duration(0));
}

// test-timer->c: timer_start_stop_start within a pass
TEST_P(UvTimer, that_another_callback_of_the_pass_stops_does_not_fire) {
    test::Live<Timer> first(loop);
    test::Live<Timer> second(loop);
    first->start([&](Timer&) { second->stop(); }, 0ms);
    second->start([](Timer&) { FAIL(); }, 0ms);
    EXPECT_FALSE(loop.run());
}

// test-timer.c: timer_stop of an inactive timer
TEST_P(UvTimer, can_be_stopped_when_it_is_not_active) {
    test::Live<Timer> timer(loop);
    EXPECT_TRUE(timer->stop().get());
    EXPECT_TRUE(timer->stop().get());
}

}  // namespace
}  // namespace gyre::handle
