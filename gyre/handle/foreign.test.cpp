// SPDX-License-Identifier: Apache-2.0
// Calls from foreign threads: posted to the loop's thread, in order, with a result to wait for.
#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include "gyre/base/random.hpp"
#include "gyre/handle/async.hpp"
#include "gyre/handle/child.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/listener_handle.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/handle/udp.hpp"
#include "gyre/io/environment.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_FOR_REAL(ForeignCalls);

// Runs the loop on this thread while `work` runs on others, until all of them are done.
void run_beside(PhasedLoop& loop, int thread_count, const std::function<void(int)>& work) {
    Async done(loop);
    std::atomic<int> left = thread_count;
    done.start([&](Async& self) {
        if (left.load() == 0 && !self.is_closing()) self.close();
    });
    std::vector<std::thread> threads;
    for (int n = 0; n < thread_count; ++n) {
        threads.emplace_back([&, n] {
            work(n);
            left.fetch_sub(1);
            done.send();
        });
    }
    while (left.load() > 0) loop.run(RunMode::once);
    for (std::thread& thread : threads) thread.join();
    if (!done.is_closing()) done.close();
    while (done.is_linked()) loop.run(RunMode::no_wait);
}

// clause: L17
TEST_P(ForeignCalls, are_made_on_the_loops_thread_and_can_be_awaited) {
    const auto here = std::this_thread::get_id();
    run_beside(loop, 1, [&](int) {
        const auto there = loop.call([] { return std::this_thread::get_id(); }).get();
        EXPECT_EQ(there.value(), here);
        EXPECT_NE(std::this_thread::get_id(), here);
    });
}

// clause: L17
TEST_P(ForeignCalls, of_one_thread_keep_their_order) {
    std::vector<int> seen;
    run_beside(loop, 1, [&](int) {
        for (int i = 0; i < 1000; ++i) loop.call([&seen, i] { seen.push_back(i); });
        EXPECT_TRUE(loop.call([] {}).get());
    });
    ASSERT_EQ(seen.size(), 1000u);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

// clause: L17
TEST_P(ForeignCalls, bring_back_the_error_of_the_operation) {
    Timer timer(loop);
    run_beside(loop, 1, [&](int) {
        EXPECT_EQ(timer.again().get().error().code(), std::errc::invalid_argument);
        EXPECT_TRUE(timer.start([](Timer&) {}, 1h, 1h).get());
        EXPECT_TRUE(timer.again().get());
        EXPECT_TRUE(timer.close().get());
        EXPECT_FALSE(timer.start([](Timer&) {}, 1h).get());
    });
    while (timer.is_active() || loop.closing_handle_count() > 0) loop.run(RunMode::no_wait);
}

// clause: L17
TEST_P(ForeignCalls, to_a_loop_that_is_closed_are_refused) {
    ASSERT_TRUE(loop.close());
    std::thread other([this] {
        EXPECT_EQ(loop.call([] {}).get().error().code(), std::errc::owner_dead);
        EXPECT_FALSE(loop.stop().get());
    });
    other.join();
}

// clause: L17
TEST_P(ForeignCalls, that_meet_a_close_are_answered_all_the_same) {
    std::atomic<bool> is_sent = false;
    std::thread other([&] {
        auto answer = loop.call([] {});
        is_sent.store(true);
        const Status status = answer.get();
        EXPECT_TRUE(status.has_value() || status.error().code() == std::errc::owner_dead);
    });
    while (!is_sent.load()) std::this_thread::yield();
    // The call is in the inbox, and the loop is closed before it runs again.
    const Status closed = loop.close();
    EXPECT_TRUE(closed.has_value());
    other.join();
}

// Each thread has one handle of every kind and calls all its operations in a random order.
struct Everything {
    explicit Everything(PhasedLoop& at, const std::array<Fd, 2>& fds, Fd polled)
        : loop(at),
          timer(at),
          idle(at),
          prepare(at),
          check(at),
          async(at),
          signal(at),
          poll(at, polled),
          near(at),
          far(at),
          listener(at),
          udp(at) {
        static_cast<void>(near.open(fds[0]).get());
        static_cast<void>(far.open(fds[1]).get());
    }

    void act(Random& random) {
        switch (random.below(24)) {
            case 0:
                timer.start([](Timer&) {}, 10us, 20us);
                break;
            case 1:
                timer.stop();
                break;
            case 2:
                timer.again();
                break;
            case 3:
                timer.set_repeat(Duration(static_cast<std::int64_t>(random.below(100))));
                break;
            case 4:
                timer.unref();
                break;
            case 5:
                timer.ref();
                break;
            case 6:
                idle.start([](Idle& self) { self.stop(); });
                break;
            case 7:
                prepare.start([](Prepare& self) { self.stop(); });
                break;
            case 8:
                check.start([](Check& self) { self.stop(); });
                break;
            case 9:
                idle.stop();
                break;
            case 10:
                async.start([](Async&) {});
                break;
            case 11:
                async.send();
                break;
            case 12:
                signal.start([](Signal&, Result<int>) {}, 10);
                break;
            case 13:
                signal.stop();
                break;
            case 14:
                poll.start(Events::readable, [](FdPoll&, Result<Events>) {});
                break;
            case 15:
                poll.stop();
                break;
            case 16:
                far.read_start(buffer, [](StreamHandle&, Result<ConstBytes>) {});
                break;
            case 17:
                udp.receive_start(buffer, [](Udp&, Result<Udp::Received>) {});
                break;
            case 18:
                udp.receive_stop();
                break;
            case 19:
                udp.connect(Address::loopback(9));
                break;
            case 20:
                udp.disconnect();
                break;
            case 21:
                udp.set_ttl(static_cast<int>(random.below(300)));
                break;
            case 22:
                udp.try_send(bytes_of("x"), Address::loopback(9));
                break;
            default:
                far.read_stop();
                break;
        }
    }
    // Requests are the caller's until their callback, so these are awaited.
    void act_and_wait() {
        std::atomic<int> done = 0;
        Work work(loop);
        work.queue([] {}, [&](Work&, Status) { ++done; });
        work.cancel();
        Write write;
        near.write(write, bytes_of("x"), [&](Write&, Status) { ++done; });
        Deferred deferred;
        deferred.start(loop, [&](Deferred&) { ++done; });
        int expected = 3;
        UdpSend send;
        udp.disconnect();
        if (udp.send(send, bytes_of("x"), Address::loopback(9), [&](UdpSend&, Status) { ++done; })
                .get()) {
            ++expected;
        }
        while (done.load() < expected) std::this_thread::yield();
    }
    void close_all() {
        std::atomic<int> closed = 0;
        const std::array<Handle*, 11> handles = {
            &timer, &idle, &prepare, &check, &async, &signal, &poll, &near, &far, &listener, &udp};
        for (Handle* handle : handles) handle->close([&](Handle&) { ++closed; });
        while (closed.load() < static_cast<int>(handles.size())) std::this_thread::yield();
    }

    PhasedLoop& loop;
    std::array<std::byte, 64> buffer{};
    Timer timer;
    Idle idle;
    Prepare prepare;
    Check check;
    Async async;
    Signal signal;
    FdPoll poll;
    Pipe near;
    Pipe far;
    ListenerHandle listener;
    Udp udp;
};

// clause: L17
TEST_P(ForeignCalls, of_every_kind_from_four_threads_do_no_harm) {
    constexpr int thread_count = 4;
    std::vector<std::array<Fd, 2>> streams;
    std::vector<std::array<Fd, 2>> polled;
    for (int n = 0; n < thread_count; ++n) {
        streams.push_back(loop.sockets().connection_pair().value());
        polled.push_back(loop.sockets().connection_pair().value());
    }
    run_beside(loop, thread_count, [&](int n) {
        const auto at = static_cast<std::size_t>(n);
        Random random(static_cast<std::uint64_t>(n) + 1);
        Everything own(loop, streams[at], polled[at][0]);
        EXPECT_TRUE(
            own.listener.listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get());
        for (int round = 0; round < 20; ++round) {
            for (int i = 0; i < 20; ++i) own.act(random);
            own.act_and_wait();
            loop.stop();
            EXPECT_TRUE(loop.call([&] { return loop.is_alive(); }).get().value());
            (void)loop.metrics().idle_time(world.platform().now());
        }
        own.close_all();
    });
    EXPECT_FALSE(loop.is_alive());
    EXPECT_EQ(loop.active_handle_count(), 0u);
    for (const auto& pair : polled) {
        for (const Fd fd : pair) loop.sockets().close_now(fd);
    }
}

// No thread runs the loop while they are made: a result that is there at once was not posted.
// clause: L17
TEST_P(ForeignCalls, of_every_kind_have_no_effect_before_the_loop_runs) {
    const auto polled = loop.sockets().connection_pair().value();
    Everything own(loop, loop.sockets().connection_pair().value(), polled[0]);
    Tcp tcp(loop);
    Child child(loop, *world.platform().environment()->children());
    Work work(loop);
    Deferred deferred;
    Write write;
    Shutdown shutdown;
    Connect connect;
    UdpSend send;
    Async keep(loop);
    keep.start([](Async&) {});
    const auto nothing = [](auto&&...) {};
    const Membership group{.group = Address::ipv4({239, 255, 0, 1}, 0)};
    const std::array<Handle*, 13> handles = {
        &own.timer, &own.idle, &own.prepare, &own.check,    &own.async, &own.poll, &own.signal,
        &own.near,  &own.far,  &own.udp,     &own.listener, &tcp,       &child};
    int closed = 0;
    std::thread other([&] {
        int number = 0;
        const auto expect_posted = [&](auto result) {
            ++number;
            EXPECT_FALSE(result.is_there()) << "call " << number;
        };
        expect_posted(loop.call([] {}));
        expect_posted(loop.stop());
        expect_posted(own.timer.start(nothing, 1h, 1h));
        expect_posted(own.timer.again());
        expect_posted(own.timer.set_repeat(2h));
        expect_posted(own.timer.unref());
        expect_posted(own.timer.ref());
        expect_posted(own.timer.stop());
        expect_posted(own.idle.start(nothing));
        expect_posted(own.idle.stop());
        expect_posted(own.prepare.start(nothing));
        expect_posted(own.check.start(nothing));
        expect_posted(own.async.start(nothing));
        expect_posted(own.signal.start(nothing, 10));
        expect_posted(own.signal.stop());
        expect_posted(own.signal.start_once(nothing, 10));
        expect_posted(own.poll.start(Events::readable, nothing));
        expect_posted(own.poll.stop());
        expect_posted(own.near.write(write, bytes_of("x"), nothing));
        expect_posted(own.near.shutdown(shutdown, nothing));
        expect_posted(own.far.read_start(own.buffer, nothing));
        expect_posted(own.far.read_stop());
        expect_posted(own.listener.listen(Address::loopback(), {}, nothing));
        expect_posted(own.listener.accept(tcp));
        expect_posted(own.udp.open(-1));
        expect_posted(own.udp.bind(Address::loopback()));
        expect_posted(own.udp.connect(Address::loopback(9)));
        expect_posted(own.udp.disconnect());
        expect_posted(own.udp.send(send, bytes_of("x"), Address::loopback(9), nothing));
        expect_posted(own.udp.try_send(bytes_of("x"), Address::loopback(9)));
        expect_posted(own.udp.receive_start(own.buffer, nothing));
        expect_posted(own.udp.receive_stop());
        expect_posted(own.udp.join(group));
        expect_posted(own.udp.leave(group));
        expect_posted(own.udp.set_broadcast(true));
        expect_posted(own.udp.set_ttl(1));
        expect_posted(own.udp.set_multicast_ttl(1));
        expect_posted(own.udp.set_multicast_loopback(true));
        expect_posted(own.udp.set_multicast_interface(0));
        expect_posted(tcp.open(-1));
        expect_posted(tcp.connect(connect, Address::loopback(9), nothing));
        expect_posted(child.start(-1, nothing));
        expect_posted(work.queue([] {}, nothing));
        expect_posted(work.cancel());
        expect_posted(deferred.start(loop, nothing));
        for (Handle* handle : handles) {
            expect_posted(handle->close([&](Handle&) { ++closed; }));
        }
    });
    other.join();
    EXPECT_EQ(loop.active_handle_count(), 1u);
    EXPECT_EQ(loop.active_request_count(), 0u);
    EXPECT_EQ(loop.closing_handle_count(), 0u);
    EXPECT_EQ(own.timer.repeat(), Duration(0));

    while (closed < static_cast<int>(handles.size())) loop.run(RunMode::once);
    keep.close();
    loop.run();
    EXPECT_FALSE(loop.is_alive());
    for (const Fd fd : polled) loop.sockets().close_now(fd);
}

// clause: L18 L19
TEST_P(ForeignCalls, blocking_work_leaves_the_loop_free_and_comes_home_to_its_thread) {
    std::atomic<bool> may_end = false;
    int iterations = 0;
    const auto here = std::this_thread::get_id();
    Work blocking(loop);
    blocking.queue(
        [&] {
            while (!may_end.load()) std::this_thread::yield();
        },
        [&](Work&, Status) { EXPECT_EQ(std::this_thread::get_id(), here); });
    Idle idle(loop);
    idle.start([&](Idle& self) {
        // The work ends only after the loop has run a hundred iterations meanwhile.
        if (++iterations == 100) {
            may_end.store(true);
            self.close();
        }
    });
    loop.run();
    EXPECT_EQ(iterations, 100);
}

// clause: L19
TEST_P(ForeignCalls, queued_work_can_be_cancelled_by_another_thread) {
    std::atomic<bool> may_end = false;
    std::array<Work, 2> busy{Work(loop), Work(loop)};
    for (Work& work : busy) {
        work.queue(
            [&] {
                while (!may_end.load()) std::this_thread::yield();
            },
            [](Work&, Status) {});
    }
    Work queued(loop);
    Status outcome;
    queued.queue([] { FAIL(); }, [&](Work&, Status status) { outcome = status; });
    loop.run(RunMode::no_wait);
    run_beside(loop, 1, [&](int) { EXPECT_TRUE(queued.cancel().get()); });
    may_end.store(true);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(outcome.error().code(), std::errc::operation_canceled);
}

}  // namespace
}  // namespace gyre::handle
