// SPDX-License-Identifier: Apache-2.0
// When handles close, as libuv's test-close-order.c pins it. Each test names the one it restates.
#include <array>
#include <set>
#include <string>
#include <vector>

#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/listener_handle.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/uv_semantics/uv_loop.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

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
    const auto joined = loop.sockets().connection_pair().value();
    const auto polled = loop.sockets().connection_pair().value();
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
    test::Live<ListenerHandle> listener(loop);
    before->start([&](Prepare&) { is_after_check = false; });
    after->start([&](Check&) { is_after_check = true; });
    timer->start(nothing, 1h);
    idle->start(nothing);
    async->start(nothing);
    signal->start([](Signal&, Result<int>) {}, 10);
    poll->start(Events::readable, [](FdPoll&, Result<Events>) {});
    near->open(joined[0]);
    far->open(joined[1]);
    far->read_start(buffer, [](StreamHandle&, Result<ConstBytes>) {});
    ASSERT_TRUE(listener->listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get());
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

}  // namespace
}  // namespace gyre::handle
