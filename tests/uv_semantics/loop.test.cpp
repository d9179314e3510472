// SPDX-License-Identifier: Apache-2.0
// The loop, as libuv's test-loop-alive.c, test-loop-stop.c, test-run-once.c, test-run-nowait.c,
// test-walk-handles.c, test-loop-close.c, test-loop-time.c, test-loop-configure.c, test-metrics.c
// and test-embed.c pin it. Each test names the one it restates.
#include <array>

#include "gyre/handle/async.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/handle/udp.hpp"
#include "tests/uv_semantics/uv_loop.hpp"

namespace gyre::handle {

INSTANTIATE_TEST_SUITE_P(platforms, UvLoop, testing::ValuesIn(test::every_platform_here()),
                         [](const auto& test) { return test.param; });

namespace {

using namespace std::chrono_literals;

// test-loop-alive.c: loop_alive
TEST_P(UvLoop, is_not_alive_when_it_is_new) {
    EXPECT_FALSE(loop.is_alive());
}

// test-loop-alive.c: loop_alive (handles)
// clause: L02
TEST_P(UvLoop, is_alive_with_an_active_handle_until_it_has_run_out) {
    test::Live<Timer> timer(loop);
    timer->start(nothing, 1ms);
    EXPECT_TRUE(loop.is_alive());
    EXPECT_FALSE(loop.run());
    EXPECT_FALSE(loop.is_alive());
}

// test-loop-alive.c: loop_alive (requests)
// clause: L02
TEST_P(UvLoop, is_alive_with_a_work_request) {
    Work work(loop);
    work.queue([] {}, [](Work&, Status) {});
    EXPECT_TRUE(loop.is_alive());
    EXPECT_FALSE(loop.run());
    EXPECT_FALSE(loop.is_alive());
}

// test-loop-close.c and docs of uv_loop_alive: closing handles
// clause: L02
TEST_P(UvLoop, is_alive_while_a_handle_is_closing) {
    test::Live<Timer> timer(loop);
    timer->close();
    EXPECT_TRUE(loop.is_alive());
    EXPECT_FALSE(loop.run());
}

// test-loop-stop.c: loop_stop
// clause: L22
TEST_P(UvLoop, stopped_by_a_timer_returns_alive_and_can_go_on) {
    int prepares = 0;
    int ticks = 0;
    constexpr int count = 10;
    test::Live<Timer> timer(loop);
    test::Live<Prepare> prepare(loop);
    prepare->start([&](Prepare& self) {
        if (++prepares == count) self.stop();
    });
    timer->start(
        [&](Timer& self) {
            if (++ticks == 1) loop.stop();
            if (ticks == count) self.stop();
        },
        1us, 1us);
    EXPECT_TRUE(loop.run());
    EXPECT_EQ(ticks, 1);
    while (loop.run(RunMode::once)) {
    }
    EXPECT_EQ(ticks, count);
    EXPECT_GT(prepares, 1);
}

// test-loop-stop.c: loop_stop_before_run
// clause: L22
TEST_P(UvLoop, stopped_before_it_runs_does_nothing_once) {
    test::Live<Timer> timer(loop);
    timer->start([](Timer&) { FAIL(); }, 0ms);
    loop.stop();
    EXPECT_TRUE(loop.run());
    timer->stop();
}

// test-run-once.c: run_once
// clause: L05
TEST_P(UvLoop, run_once_runs_an_idle_hook_once_each) {
    int calls = 0;
    constexpr int ticks = 64;
    test::Live<Idle> idle(loop);
    idle->start([&](Idle& self) {
        if (++calls == ticks) self.stop();
    });
    while (loop.run(RunMode::once)) {
    }
    EXPECT_EQ(calls, ticks);
}

// test-run-nowait.c: run_nowait
// clause: L15
TEST_P(UvLoop, run_no_wait_does_not_wait_for_a_timer) {
    test::Live<Timer> timer(loop);
    timer->start([](Timer&) { FAIL(); }, 1h);
    EXPECT_TRUE(loop.run(RunMode::no_wait));
}

// test-walk-handles.c: walk_handles
TEST_P(UvLoop, walk_meets_each_started_handle_and_none_that_is_closed) {
    test::Live<Timer> timer(loop);
    timer->start(nothing, 1ms);
    int seen = 0;
    loop.walk([&](Handle& handle) {
        EXPECT_EQ(&handle, &*timer);
        ++seen;
    });
    EXPECT_EQ(seen, 1);
    timer->close();
    loop.run();
    loop.walk([&](Handle&) { ++seen; });
    EXPECT_EQ(seen, 1);
}

// test-walk-handles.c: closing all of them while walking
TEST_P(UvLoop, walk_lets_the_visitor_close_all_handles) {
    test::Live<Timer> a(loop);
    test::Live<Timer> b(loop);
    test::Live<Idle> c(loop);
    a->start(nothing, 1h);
    b->start(nothing, 1h);
    c->start(nothing);
    int seen = 0;
    loop.walk([&](Handle& handle) {
        ++seen;
        handle.close();
    });
    EXPECT_EQ(seen, 3);
    EXPECT_FALSE(loop.run());
}

// test-loop-close.c: loop_close
TEST_P(UvLoop, close_says_busy_while_a_handle_is_open) {
    test::Live<Timer> timer(loop);
    timer->start([this](Timer&) { loop.stop(); }, 1ms);
    EXPECT_EQ(loop.close().error().code(), std::errc::device_or_resource_busy);
    loop.run();
    timer->close();
    loop.run();
    EXPECT_TRUE(loop.close());
}

// test-loop-time.c: loop_update_time
TEST_P(UvLoop, time_moves_on_by_update_and_by_running) {
    const Instant start = loop.now();
    test::Live<Timer> timer(loop);
    timer->start(nothing, 3ms);
    loop.run();
    EXPECT_GE(loop.now(), start + 3ms);
    const Instant then = loop.now();
    loop.update_now();
    EXPECT_GE(loop.now(), then);
}

// test-loop-time.c: loop_backend_timeout
// clause: L09 L12
TEST_P(UvLoop, timeout_is_zero_without_work_and_the_timers_distance_with_it) {
    test::Live<Timer> timer(loop);
    EXPECT_FALSE(loop.is_alive());
    EXPECT_EQ(loop.next_timeout(), Duration(0));
    timer->start(nothing, 1h);
    EXPECT_LE(*loop.next_timeout(), 1h);
    EXPECT_GT(*loop.next_timeout(), Duration(0));
    loop.run(RunMode::no_wait);
    EXPECT_GT(*loop.next_timeout(), Duration(0));
    timer->stop();
    EXPECT_EQ(loop.next_timeout(), Duration(0));
}

// test-metrics.c: metrics_idle_time_zero
TEST_P(UvLoop, has_no_idle_time_when_it_does_not_wait) {
    test::Live<Timer> timer(loop);
    timer->start(nothing, 0ms);
    loop.run();
    EXPECT_EQ(loop.metrics().idle_time(loop.now()), Duration(0));
}

// test-metrics.c: metrics_pool_events. A wake that was there before the wait, of two.
TEST_P(UvLoop, counts_the_events_that_waited_once_asked) {
    test::Live<Async> wake(loop);
    ASSERT_TRUE(wake->start([](Async&) {}).get());
    wake->send();
    loop.run(RunMode::once);
    EXPECT_EQ(loop.metrics().events(), 1u);
    EXPECT_EQ(loop.metrics().events_waiting(), 0u);
    loop.count_waiting_events();
    wake->send();
    loop.run(RunMode::once);
    EXPECT_EQ(loop.metrics().events(), 2u);
    EXPECT_EQ(loop.metrics().events_waiting(), 1u);
}

// In simulated time a datagram takes a while, so that it arrives in the wait.
TEST(UvLoopAlone, does_not_count_an_event_that_comes_in_the_wait) {
    test::HandleWorld world;
    PhasedLoop& loop = world.loop();
    loop.count_waiting_events();
    test::Live<Udp> udp(loop);
    ASSERT_TRUE(udp->bind(Address::loopback()).get());
    ASSERT_TRUE(udp->try_send(bytes_of("x"), udp->local_address().value()).get());
    std::array<std::byte, 8> buffer{};
    int received = 0;
    udp->receive_start(buffer, [&](Udp& self, Result<Udp::Received>) {
        ++received;
        self.close();
    });
    loop.run();
    EXPECT_EQ(received, 1);
    EXPECT_EQ(loop.metrics().events_waiting(), 0u);
}

// test-metrics.c: metrics_info_check
TEST_P(UvLoop, counts_an_iteration_for_each_pass_of_the_hooks) {
    int idles = 0;
    test::Live<Idle> idle(loop);
    idle->start([&](Idle& self) {
        if (++idles == 5) self.stop();
    });
    loop.run();
    EXPECT_EQ(loop.metrics().iterations(), 5u);
}

// test-embed.c: embed
GYRE_HANDLES_FOR_REAL(UvRealLoop);
TEST_P(UvRealLoop, has_a_descriptor_to_wait_for_it_elsewhere) {
    EXPECT_GE(loop.backend_fd(), 0);
}

// test-loop-eintr.c and test-loop-alive.c on two loops
// clause: L16
TEST_P(UvLoop, two_loops_of_one_thread_do_not_know_each_other) {
    test::HandleWorld other(GetParam(), 1);
    int mine = 0;
    int theirs = 0;
    test::Live<Timer> a(loop);
    test::Live<Timer> b(other.loop());
    a->start([&](Timer&) { ++mine; }, 0ms);
    b->start([&](Timer&) { ++theirs; }, 0ms);
    other.loop().stop();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(mine, 1);
    EXPECT_EQ(theirs, 0);
    EXPECT_TRUE(other.loop().run());
    EXPECT_EQ(theirs, 0);
    EXPECT_FALSE(other.loop().run());
    EXPECT_EQ(theirs, 1);
}

}  // namespace
}  // namespace gyre::handle
