// SPDX-License-Identifier: Apache-2.0
// The loop and its hooks, as libuv's test-loop-alive.c, test-loop-stop.c, test-loop-handles.c,
// test-run-once.c, test-run-nowait.c, test-idle.c, test-active.c, test-ref.c, test-walk-handles.c,
// test-loop-close.c, test-loop-time.c, test-loop-configure.c, test-close-order.c, test-metrics.c
// and test-embed.c pin them. Each test names the one it restates.
#include <array>
#include <set>

#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/listener.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/stream.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

constexpr auto nothing = [](auto&) {};

GYRE_HANDLES_EVERYWHERE(UvLoop);

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

// test-idle.c: idle_starvation
TEST_P(UvLoop, with_an_idle_hook_still_runs_timers_and_checks) {
    int idles = 0;
    int checks = 0;
    int ticks = 0;
    test::Live<Idle> idle(loop);
    test::Live<Check> check(loop);
    test::Live<Timer> timer(loop);
    idle->start([&](Idle&) {
        ++idles;
        world.virtual_clock.advance(100us);
    });
    check->start([&](Check&) { ++checks; });
    timer->start(
        [&](Timer&) {
            // The first may be due before the first poll, where the machine was busy.
            if (++ticks == 1) return;
            idle->close();
            check->close();
            timer->close();
        },
        2ms, 2ms);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(ticks, 2);
    EXPECT_GT(idles, 0);
    EXPECT_GT(checks, 0);
}

// test-idle->c: idle_check
TEST_P(UvLoop, runs_a_check_hook_as_often_as_an_idle_hook) {
    int idles = 0;
    int checks = 0;
    test::Live<Idle> idle(loop);
    test::Live<Check> check(loop);
    idle->start([&](Idle&) { ++idles; });
    check->start([&](Check& self) {
        EXPECT_EQ(++checks, idles);
        if (checks < 7) return;
        idle->stop();
        self.stop();
    });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(idles, 7);
    EXPECT_EQ(checks, 7);
}

// test-loop-handles.c: loop_handles
TEST_P(UvLoop, hooks_start_and_stop_each_other_while_they_run) {
    int prepare_2_calls = 0;
    int check_calls = 0;
    int idles = 0;
    int rounds = 0;
    test::Live<Prepare> prepare_1(loop);
    test::Live<Prepare> prepare_2(loop);
    test::Live<Check> check(loop);
    test::Live<Idle> idle(loop);
    test::Live<Timer> timer(loop);
    prepare_1->start([&](Prepare& self) {
        if (rounds % 2 == 0) {
            prepare_2->start([&](Prepare& own) {
                ++prepare_2_calls;
                own.stop();
            });
        }
        if (++rounds == 10) {
            self.close();
            prepare_2->close();
            check->close();
            idle->close();
        }
    });
    check->start([&](Check&) {
        ++check_calls;
        if (idle->is_active()) {
            idle->stop();
        } else {
            idle->start([&](Idle&) { ++idles; });
        }
    });
    timer->start([](Timer&) {}, 1us, 1us);
    timer->unref();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(rounds, 10);
    EXPECT_EQ(prepare_2_calls, 5);
    EXPECT_EQ(check_calls, 9);
    EXPECT_GT(idles, 0);
}

// test-loop-handles.c: the order of hooks of one kind
TEST_P(UvLoop, runs_hooks_of_one_kind_newest_first) {
    std::string order;
    test::Live<Prepare> a(loop);
    test::Live<Prepare> b(loop);
    test::Live<Prepare> c(loop);
    a->start([&](Prepare&) { order += 'a'; });
    b->start([&](Prepare&) { order += 'b'; });
    c->start([&](Prepare&) { order += 'c'; });
    loop.run(RunMode::no_wait);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(order, "cbacba");
}

// test-loop-handles.c: a hook started by a hook of its kind
TEST_P(UvLoop, a_hook_started_by_one_of_its_kind_waits_for_the_next_iteration) {
    std::string order;
    test::Live<Check> a(loop);
    test::Live<Check> b(loop);
    a->start([&](Check&) {
        order += 'a';
        b->start([&](Check&) { order += 'b'; });
    });
    loop.run(RunMode::no_wait);
    EXPECT_EQ(order, "a");
    loop.run(RunMode::no_wait);
    EXPECT_EQ(order, "aba");
}

// test-loop-handles.c: a hook stopped by one that runs before it
TEST_P(UvLoop, a_hook_stopped_by_one_before_it_does_not_run) {
    test::Live<Idle> older(loop);
    test::Live<Idle> newer(loop);
    older->start([](Idle&) { FAIL(); });
    newer->start([&](Idle& self) {
        older->stop();
        self.stop();
    });
    EXPECT_FALSE(loop.run());
}

// test-idle.c: uv_idle_start twice
TEST_P(UvLoop, starting_an_active_hook_changes_nothing) {
    int calls = 0;
    test::Live<Idle> idle(loop);
    idle->start([&](Idle& self) {
        ++calls;
        self.stop();
    });
    EXPECT_TRUE(idle->start([](Idle&) { FAIL(); }).get());
    EXPECT_EQ(loop.active_handle_count(), 1u);
    loop.run();
    EXPECT_EQ(calls, 1);
}

// test-active.c: active
TEST_P(UvLoop, a_handle_is_active_from_start_to_stop_and_closing_from_close_on) {
    int closed = 0;
    test::Live<Timer> timer(loop);
    EXPECT_FALSE(timer->is_active());
    EXPECT_FALSE(timer->is_closing());
    timer->start([](Timer&) { FAIL(); }, 1s);
    EXPECT_TRUE(timer->is_active());
    timer->stop();
    EXPECT_FALSE(timer->is_active());
    timer->start([](Timer&) { FAIL(); }, 1s);
    timer->close([&](Handle&) { ++closed; });
    EXPECT_FALSE(timer->is_active());
    EXPECT_TRUE(timer->is_closing());
    loop.run();
    EXPECT_EQ(closed, 1);
    EXPECT_TRUE(timer->is_closing());
}

// test-ref.c: has_ref
TEST_P(UvLoop, a_handle_tells_whether_it_has_its_reference) {
    test::Live<Timer> timer(loop);
    EXPECT_TRUE(timer->has_ref());
    timer->ref();
    EXPECT_TRUE(timer->has_ref());
    timer->unref();
    EXPECT_FALSE(timer->has_ref());
}

// test-ref.c: ref
TEST_P(UvLoop, with_nothing_in_it_returns_at_once) {
    EXPECT_FALSE(loop.run());
}

// test-ref.c: idle_ref, prepare_ref, check_ref
// clause: L02
TEST_P(UvLoop, hooks_without_their_reference_do_not_keep_it) {
    test::Live<Idle> idle(loop);
    test::Live<Prepare> prepare(loop);
    test::Live<Check> check(loop);
    idle->start(nothing);
    prepare->start(nothing);
    check->start(nothing);
    idle->unref();
    prepare->unref();
    check->unref();
    EXPECT_FALSE(loop.run());
}

// test-ref.c: unref_in_prepare_cb
TEST_P(UvLoop, ends_when_a_prepare_hook_takes_its_own_reference) {
    test::Live<Prepare> prepare(loop);
    prepare->start([](Prepare& self) { self.unref(); });
    EXPECT_FALSE(loop.run());
}

// test-ref.c: timer_ref and timer_ref2
// clause: L02 L03
TEST_P(UvLoop, a_timer_without_its_reference_does_not_keep_it) {
    test::Live<Timer> timer(loop);
    timer->unref();
    EXPECT_FALSE(loop.run());
    timer->start([](Timer&) { FAIL(); }, 1h);
    EXPECT_FALSE(loop.run());
}

// test-ref.c: async_ref
TEST_P(UvLoop, a_wake_without_its_reference_does_not_keep_it) {
    test::Live<Async> async(loop);
    async->start(nothing);
    async->unref();
    EXPECT_FALSE(loop.run());
}

// test-ref.c: tcp_ref and pipe_ref
TEST_P(UvLoop, a_stream_that_does_nothing_does_not_keep_it) {
    test::Live<Tcp> tcp(loop);
    test::Live<Pipe> pipe(loop);
    EXPECT_FALSE(loop.run());
}

// test-ref.c: tcp_ref2 and pipe_ref2
TEST_P(UvLoop, a_listener_without_its_reference_does_not_keep_it) {
    test::Live<Listener> listener(loop);
    ASSERT_TRUE(listener->listen(Address::loopback(), {}, [](Listener&, Status) {}).get());
    listener->unref();
    EXPECT_FALSE(loop.run());
}

// test-ref.c: a reference taken and given on an inactive handle
// clause: L03
TEST_P(UvLoop, a_reference_given_back_before_the_start_counts_from_the_start) {
    test::Live<Timer> timer(loop);
    timer->unref();
    timer->ref();
    timer->start(nothing, 1h);
    EXPECT_TRUE(loop.is_alive());
    timer->unref();
    timer->stop();
    timer->ref();
    EXPECT_FALSE(loop.is_alive());
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

// test-close-order.c: close_order
// clause: L14
TEST_P(UvLoop, close_callbacks_come_after_the_check_hooks_of_the_iteration) {
    int checks = 0;
    int closes = 0;
    int ticks = 0;
    test::Live<Check> check(loop);
    test::Live<Timer> first(loop);
    test::Live<Timer> second(loop);
    check->start([&](Check& self) {
        EXPECT_EQ(closes, 0);
        EXPECT_EQ(ticks, 1);
        ++checks;
        self.stop();
        second->start([&](Timer& own) { own.close([&](Handle&) { ++closes; }); }, 0ms);
    });
    first->start(
        [&](Timer& self) {
            ++ticks;
            self.close([&](Handle&) {
                EXPECT_EQ(checks, 1);
                ++closes;
            });
        },
        0ms);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(checks, 1);
    EXPECT_EQ(closes, 2);
}

// test-close-order.c and docs of uv_close: asynchronous
// clause: L14
TEST_P(UvLoop, a_close_callback_never_runs_inside_close) {
    int closed = 0;
    test::Live<Timer> timer(loop);
    timer->close([&](Handle& handle) {
        ++closed;
        EXPECT_TRUE(handle.is_closing());
    });
    EXPECT_EQ(closed, 0);
    EXPECT_FALSE(timer->close().get());  // Once is enough.
    loop.run();
    EXPECT_EQ(closed, 1);
}

// test-close-order.c: a close inside a close callback
// clause: L14
TEST_P(UvLoop, a_close_inside_a_close_callback_waits_for_the_next_iteration) {
    std::string order;
    test::Live<Timer> outer(loop);
    test::Live<Timer> inner(loop);
    test::Live<Idle> keep(loop);
    outer->close([&](Handle&) {
        order += "outer ";
        inner->close([&](Handle&) { order += "inner "; });
    });
    keep->start([&](Idle&) { order += "idle "; });
    loop.run(RunMode::once);
    EXPECT_EQ(order, "idle outer ");
    loop.run(RunMode::once);
    EXPECT_EQ(order, "idle outer idle inner ");
}

// test-close-order.c and docs of uv_close: each kind, with all that it has under way
// clause: L14
TEST_P(UvLoop, each_kind_of_handle_calls_back_once_after_the_check_hooks_when_it_is_closed) {
    const auto joined = loop.sockets().stream_pair().value();
    const auto polled = loop.sockets().stream_pair().value();
    std::array<std::byte, 8> buffer{};
    bool is_after_check = false;
    test::Live<Prepare> before(loop);
    test::Live<Check> after(loop);
    test::Live<Timer> timer(loop);
    test::Live<Idle> idle(loop);
    test::Live<Async> async(loop);
    test::Live<Signal> signal(loop);
    test::Live<FdPoll> poll(loop, polled[0]);
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    test::Live<Listener> listener(loop);
    before->start([&](Prepare&) { is_after_check = false; });
    after->start([&](Check&) { is_after_check = true; });
    timer->start(nothing, 1h);
    idle->start(nothing);
    async->start(nothing);
    signal->start([](Signal&, Result<int>) {}, 10);
    poll->start(Events::readable, [](FdPoll&, Result<Events>) {});
    near->open(joined[0]);
    far->open(joined[1]);
    far->read_start(buffer, [](Stream&, Result<ConstBytes>) {});
    ASSERT_TRUE(listener->listen(Address::loopback(), {}, [](Listener&, Status) {}).get());
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);

    const std::array<Handle*, 8> handles = {&*timer, &*idle, &*async, &*signal,
                                            &*poll,  &*near, &*far,   &*listener};
    std::vector<Handle*> closed;
    for (Handle* handle : handles) {
        handle->close([&](Handle& self) {
            EXPECT_TRUE(is_after_check);
            closed.push_back(&self);
        });
    }
    EXPECT_TRUE(closed.empty());
    while (loop.closing_handle_count() > 0) loop.run(RunMode::no_wait);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(std::set<Handle*>(closed.begin(), closed.end()),
              std::set<Handle*>(handles.begin(), handles.end()));
    EXPECT_EQ(closed.size(), handles.size());
    for (const Fd fd : polled) loop.sockets().close_now(fd);
}

// test-close-order.c: what a handle's memory may be used for
TEST_P(UvLoop, a_handle_may_be_freed_in_its_close_callback) {
    auto* timer = new Timer(loop);
    timer->start(nothing, 1h);
    timer->close([](Handle& handle) { delete static_cast<Timer*>(&handle); });
    EXPECT_FALSE(loop.run());
}

// test-metrics.c: metrics_idle_time_zero
TEST_P(UvLoop, has_no_idle_time_when_it_does_not_wait) {
    test::Live<Timer> timer(loop);
    timer->start(nothing, 0ms);
    loop.run();
    EXPECT_EQ(loop.metrics().idle_time(loop.now()), Duration(0));
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
