// SPDX-License-Identifier: Apache-2.0
// Rules of the real platforms that show only at an edge: descriptors and children, numbers that are
// used again, ops of another loop, urgent data, many results at once, a second wake.
#include <fcntl.h>

#include <deque>
#include <functional>
#include <thread>

#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/io_world.test.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::platform {
namespace {

GYRE_ON_EACH_PLATFORM(PlatformEdges);

std::array<Fd, 2> tcp_pair(IoWorld& world) {
    const Fd listener = world.sockets().listen(Address::loopback(), {}).value();
    const Fd client = world.sockets().stream(Address::Family::ipv4).value();
    ConnectOp connect(client, *world.sockets().local_address(listener));
    AcceptOp accept(listener);
    world.app.start(accept);
    EXPECT_EQ(world.run(connect), 0);
    const Fd server = world.finish(accept);
    EXPECT_GE(server, 0);
    world.close(listener);
    return {client, server};
}

TEST_P(PlatformEdges, descriptors_that_the_system_gives_are_not_inherited_by_children) {
    IoWorld world(GetParam());
    const auto [client, server] = tcp_pair(world);
    EXPECT_NE(::fcntl(client, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(::fcntl(server, F_GETFD) & FD_CLOEXEC, 0) << "of an accept";

    Pair pair(world);
    const std::array<ConstBytes, 1> pieces{bytes_of("!")};
    const std::array<Fd, 1> own{client};
    SendPiecesOp send(pair.near, pieces, own);
    EXPECT_EQ(world.run(send), 1);
    std::array<std::byte, 8> buffer{};
    std::array<Fd, 1> numbers{-1};
    ReceivePassedOp receive(pair.far, buffer, numbers);
    EXPECT_EQ(world.run(receive), 1);
    ASSERT_EQ(receive.passed_count, 1u);
    EXPECT_NE(::fcntl(numbers[0], F_GETFD) & FD_CLOEXEC, 0) << "of a passed descriptor";
    for (const Fd fd : {client, server, numbers[0]}) world.close(fd);
}

// A send to a socket whose peer is gone must not raise SIGPIPE, as a write to a pipe would.
TEST_P(PlatformEdges, a_number_that_was_a_pipe_and_is_a_socket_now_is_served_as_a_socket) {
    IoWorld world(GetParam());
    std::array<Fd, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK), 0);
    ASSERT_EQ(::write(pipe[1], "x", 1), 1);
    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(pipe[0], buffer);
    EXPECT_EQ(world.run(receive), 1);
    for (const Fd fd : pipe) world.close(fd);
    Pair pair(world);
    ASSERT_EQ(pair.near, pipe[0]) << "the system gives out the lowest free number";
    pair.close_far();
    SendOp send(pair.near, bytes_of("nobody"));
    EXPECT_EQ(world.run(send), failure(std::errc::broken_pipe));
}

// The memory that a standing op shares with its server is for one thread.
TEST_P(PlatformEdges, a_standing_op_of_another_loop_is_refused) {
    Peers peers(2);
    IoWorld here(GetParam(), {.thread_id = 1, .peers = &peers});
    IoWorld there(GetParam(), {.thread_id = 2, .peers = &peers});
    Pair pair(there);
    ReadinessOp op(pair.near, Events::readable);
    op.set_destination(there.loop.platform_ref());
    here.app.start(op);
    while (op.is_in_flight()) {
        here.loop.turn(here.loop.now());
        there.loop.turn(there.loop.now());
        if (here.rings_of(op) > 0) break;
        pair.write_far("x");
    }
    ASSERT_FALSE(op.is_in_flight()) << "it is served";
    EXPECT_EQ(op.result(), failure(std::errc::operation_not_supported));
}

TEST_P(PlatformEdges, plain_data_is_not_told_as_urgent) {
    IoWorld world(GetParam());
    const auto [near, far] = tcp_pair(world);
    const Events wanted = Events::readable | Events::priority;
    std::array<std::byte, 8> buffer{};
    const auto send_and_take = [&](const std::function<Events()>& seen) {
        SendOp send(far, bytes_of("x"));
        EXPECT_EQ(world.run(send), 1);
        const Events events = seen();
        EXPECT_TRUE(any(events & Events::readable));
        EXPECT_FALSE(any(events & Events::priority));
        ReceiveOp receive(near, buffer);
        EXPECT_EQ(world.run(receive), 1);
    };
    for (const Trigger trigger : {Trigger::edge, Trigger::level}) {
        ReadinessOp readiness(near, wanted, trigger);
        world.app.start(readiness);
        world.settle();
        (void)readiness.take_events();
        const std::size_t before = world.rings_of(readiness);
        send_and_take([&] {
            world.turn_until_rung(readiness, before + 1);
            return readiness.take_events();
        });
        EXPECT_EQ(world.cancel(readiness), cancelled_result);
        world.app.rung.clear();
    }
    PollOp poll(near, wanted);
    world.app.start(poll);
    world.settle();
    send_and_take([&] { return static_cast<Events>(world.finish(poll)); });
    for (const Fd fd : {near, far}) world.close(fd);
}

// The machines run in between, however many results there are.
TEST_P(PlatformEdges, one_wait_gives_a_bounded_number_of_results) {
    constexpr std::size_t count = 1000;
    constexpr std::size_t at_once_max = 512;
    IoWorld world(GetParam());
    Pair pair(world);
    std::deque<PollOp> polls;
    for (std::size_t i = 0; i < count; ++i) polls.emplace_back(pair.near, Events::readable);
    for (PollOp& poll : polls) world.app.start(poll);
    world.settle();
    const std::size_t before = world.app.done.size();
    pair.write_far("x");
    std::size_t done = before;
    while (done < before + count) {
        world.loop.turn(world.loop.now() + std::chrono::seconds(10));
        if (std::string_view(GetParam()) == "uring") {
            EXPECT_LE(world.app.done.size() - done, at_once_max);
        }
        done = world.app.done.size();
    }
    for (const PollOp& poll : polls) EXPECT_GT(poll.result(), 0);
}

// The poll of the wakes ends with the thread that submitted it.
TEST_P(PlatformEdges, every_wake_arrives_when_the_thread_that_turned_the_loop_first_has_ended) {
    if (GYRE_DEBUG_CHECKS) GTEST_SKIP() << "two threads turn the loop, which debug builds refuse";
    IoWorld world(GetParam(), {.spin_max = Duration(0)});
    WakeOp wake;
    std::thread([&] {
        world.app.start(wake);
        for (int i = 0; i < 3; ++i) world.loop.turn(world.loop.now());
    }).join();
    for (std::size_t i = 1; i <= 3; ++i) {
        // Rings when the loop sleeps, as far as one can tell from here.
        std::thread ringer([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            wake.ring();
        });
        TimerOp limit(world.platform().now() + std::chrono::seconds(60));
        world.app.start(limit);
        while (world.rings_of(wake) < i && limit.is_in_flight()) world.loop.turn();
        EXPECT_TRUE(limit.is_in_flight()) << "the wake did not end the wait";
        EXPECT_EQ(world.rings_of(wake), i);
        ringer.join();
        world.cancel(limit);
    }
    EXPECT_EQ(world.cancel(wake), cancelled_result);
}

}  // namespace
}  // namespace gyre::platform
