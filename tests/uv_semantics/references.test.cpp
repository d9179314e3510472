// SPDX-License-Identifier: Apache-2.0
// Which handles keep a loop alive, as libuv's test-active.c and test-ref.c pin it. Each test names
// the one it restates.
#include "gyre/handle/async.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/listener_handle.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/uv_semantics/uv_loop.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

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
    test::Live<ListenerHandle> listener(loop);
    ASSERT_TRUE(listener->listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get());
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

}  // namespace
}  // namespace gyre::handle
