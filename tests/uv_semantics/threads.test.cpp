// SPDX-License-Identifier: Apache-2.0
// A loop between threads: embedded in another loop, handed to another thread, woken by several
// asyncs at once. libuv: test-embed.c, test-async.c, and programs that initialise a loop in one
// thread and run it in another.
#include <poll.h>

#include <array>
#include <string>
#include <thread>

#include "gyre/base/bytes.hpp"
#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(UvThreads);
GYRE_HANDLES_FOR_REAL(UvRealThreads);

// test-embed.c: the outer loop polls uv_backend_fd with uv_backend_timeout.
// clause: L17
TEST_P(UvRealThreads, wake_an_embedded_loop_before_its_first_turn) {
    int calls = 0;
    test::Live<Async> async(loop);
    async->start([&](Async&) { ++calls; });
    EXPECT_EQ(loop.next_timeout(), std::nullopt);
    async->send();
    pollfd query{loop.backend_fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&query, 1, 5000), 1);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(calls, 1);
}

// clause: L30
TEST_P(UvThreads, can_hand_over_a_loop_with_active_handles) {
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    const auto here = std::this_thread::get_id();
    int calls = 0;
    const auto note = [&] {
        EXPECT_NE(std::this_thread::get_id(), here);
        ++calls;
    };
    test::Live<Timer> timer(loop);
    test::Live<Async> async(loop);
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    Deferred deferred;
    Work work(loop);
    Write write;
    std::array<std::byte, 8> room{};
    ASSERT_TRUE(near->open((*pair)[0]).get());
    ASSERT_TRUE(far->open((*pair)[1]).get());
    timer->start([&](Timer&) { note(); }, 1ms);
    async->start([&](Async& self) {
        note();
        self.close();
    });
    async->send();
    near->read_start(room, [&](StreamHandle& self, Result<ConstBytes> data) {
        note();
        EXPECT_TRUE(data.has_value());
        self.read_stop();
    });
    deferred.start(loop, [&](Deferred&) { note(); });
    work.queue([] {}, [&](Work&, Status) { note(); });
    far->write(write, bytes_of("x"), [&](Write&, Status) { note(); });
    std::thread other([&] {
        loop.adopt();
        EXPECT_TRUE(loop.is_here());
        EXPECT_FALSE(loop.run());
    });
    other.join();
    EXPECT_EQ(calls, 6);
    EXPECT_FALSE(loop.is_here());
    loop.adopt();
}

// As above, after the first thread has run the loop, so that requests are at the system.
// clause: L30
TEST_P(UvThreads, can_hand_over_a_loop_that_has_run) {
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    int calls = 0;
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    std::array<std::byte, 8> room{};
    Write write;
    ASSERT_TRUE(near->open((*pair)[0]).get());
    ASSERT_TRUE(far->open((*pair)[1]).get());
    near->read_start(room, [&](StreamHandle& self, Result<ConstBytes> data) {
        EXPECT_TRUE(data.has_value());
        ++calls;
        self.read_stop();
    });
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
    std::thread other([&] {
        loop.adopt();
        far->write(write, bytes_of("x"), [&](Write&, Status) { ++calls; });
        EXPECT_FALSE(loop.run());
    });
    other.join();
    loop.adopt();
    EXPECT_EQ(calls, 2);
}

// test-async.c and Node's broadcast to its workers: uv__async_io walks the handles in the order of
// their uv_async_init.
// clause: L17
TEST_P(UvThreads, s_asyncs_of_one_wake_call_back_in_the_order_of_their_starts) {
    std::string trace;
    test::Live<Async> a(loop);
    test::Live<Async> b(loop);
    test::Live<Async> c(loop);
    a->start([&](Async&) { trace += "a"; });
    b->start([&](Async&) { trace += "b"; });
    c->start([&](Async&) { trace += "c"; });
    for (test::Live<Async>* async : {&c, &a, &b}) (*async)->send();
    loop.run(RunMode::no_wait);
    EXPECT_EQ(trace, "abc");
    for (test::Live<Async>* async : {&b, &c, &a}) (*async)->send();
    loop.run(RunMode::no_wait);
    EXPECT_EQ(trace, "abcabc");
}

// clause: L17
TEST_P(UvThreads, s_async_that_another_one_closes_is_not_called) {
    std::string trace;
    test::Live<Async> a(loop);
    test::Live<Async> b(loop);
    test::Live<Async> c(loop);
    a->start([&](Async& self) {
        trace += "a";
        self.send();
        b->close();
    });
    b->start([&](Async&) { trace += "b"; });
    c->start([&](Async&) { trace += "c"; });
    for (test::Live<Async>* async : {&c, &b, &a}) (*async)->send();
    loop.run(RunMode::no_wait);
    EXPECT_EQ(trace, "ac");
}

}  // namespace
}  // namespace gyre::handle
