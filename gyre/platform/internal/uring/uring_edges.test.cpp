// SPDX-License-Identifier: Apache-2.0
// Edge-triggered readiness ops of UringPlatform: their descriptors are in an epoll set that the
// ring polls.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>

#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_edges.hpp"
#include "gyre/platform/internal/uring/uring_world.test.hpp"

namespace gyre::platform {
namespace {

bool is_readable(Fd fd) {
    pollfd query{fd, POLLIN, 0};
    return ::poll(&query, 1, 0) == 1;
}

// The owner of a descriptor may close it without telling the platform.
TEST(UringEdges, an_op_does_not_keep_its_socket_open) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = *world.platform->environment()->sockets().connection_pair();
    ReadinessOp op(pair[0], Events::readable);
    world.app.start(op);
    world.settle();
    EXPECT_FALSE(is_readable(pair[1]));
    ::close(pair[0]);
    EXPECT_TRUE(is_readable(pair[1])) << "the end of the stream";
    EXPECT_EQ(world.cancel(op), cancelled_result);
    world.platform->environment()->sockets().close_now(pair[1]);
}

// The system tears a ring down some time after the end of its process.
TEST(UringEdges, the_port_of_a_process_that_was_killed_is_free_at_its_end) {
    GYRE_NEEDS_URING();
    SystemClock clock;
    for (int round = 0; round < 5; ++round) {
        const auto sockets = uring_for_test(clock, {});
        Sockets& calls = sockets->environment()->sockets();
        const Fd listener = calls.listen(Address::loopback(), {}).value();
        const Address at = calls.local_address(listener).value();
        int ready[2];
        ASSERT_EQ(::pipe(ready), 0);
        const pid_t pid = ::fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            UringWorld world;
            ReadinessOp op(listener, Events::readable);
            world.app.start(op);
            world.settle();
            (void)!::write(ready[1], "x", 1);
            for (;;) ::pause();
        }
        calls.close_now(listener);
        char byte = 0;
        ASSERT_EQ(::read(ready[0], &byte, 1), 1);
        ASSERT_EQ(::kill(pid, SIGKILL), 0);
        ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
        const auto again = calls.listen(at, {});
        EXPECT_TRUE(again) << again.error().message();
        if (again) calls.close_now(*again);
        for (const int fd : ready) ::close(fd);
    }
}

TEST(UringEdges, more_of_them_than_are_taken_at_once_all_come) {
    GYRE_NEEDS_URING();
    constexpr std::size_t count = UringEdges::event_count_max + 40;
    UringWorld world;
    std::deque<ReadinessOp> ops;
    for (std::size_t i = 0; i < count; ++i) {
        const auto pair = world.pair();
        write_to(pair[1], "x");
        ops.emplace_back(pair[0], Events::readable);
    }
    for (ReadinessOp& op : ops) world.app.start(op);
    // What is left is told of without a wait, also when another loop waits for the ring.
    while (world.app.rung.size() < UringEdges::event_count_max) world.loop.turn(world.loop.now());
    if (world.app.rung.size() < count) {
        while (!world.loop.watch_posts()) world.loop.turn();
        EXPECT_TRUE(is_readable(world.platform->backend_fd()));
    }
    while (world.app.rung.size() < count) world.loop.turn();
    for (ReadinessOp& op : ops) EXPECT_TRUE(any(op.take_events() & Events::readable));
    for (ReadinessOp& op : ops) EXPECT_EQ(world.cancel(op), cancelled_result);
    world.close_pairs();
}

TEST(UringEdges, two_ops_of_a_descriptor_each_get_their_own_events) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = world.pair();
    ReadinessOp reader(pair[0], Events::readable);
    ReadinessOp writer(pair[0], Events::writable);
    world.app.start(reader);
    world.settle();
    EXPECT_EQ(reader.take_events(), Events::none);
    world.app.start(writer);
    while (world.app.rung.empty()) world.loop.turn();
    EXPECT_EQ(writer.take_events(), Events::writable);
    EXPECT_EQ(reader.take_events(), Events::none);
    // The one that stays keeps its place in the set.
    EXPECT_EQ(world.cancel(writer), cancelled_result);
    world.app.rung.clear();
    write_to(pair[1], "x");
    while (world.app.rung.empty()) world.loop.turn();
    EXPECT_EQ(reader.take_events(), Events::readable);
    EXPECT_EQ(world.cancel(reader), cancelled_result);
    world.close_pairs();
}

// Nothing is left of the op that was there before.
TEST(UringEdges, a_number_that_is_used_again_is_watched_again) {
    GYRE_NEEDS_URING();
    UringWorld world;
    Sockets& sockets = world.platform->environment()->sockets();
    for (int round = 0; round < 3; ++round) {
        const auto pair = *sockets.connection_pair();
        ReadinessOp op(pair[0], Events::readable);
        world.app.start(op);
        world.settle();
        world.app.rung.clear();
        write_to(pair[1], "x");
        while (world.app.rung.empty()) world.loop.turn();
        EXPECT_TRUE(any(op.take_events() & Events::readable));
        if (round == 1) {
            ::close(pair[0]);  // The owner's own close, before the op is back.
            EXPECT_EQ(world.cancel(op), cancelled_result);
        } else {
            EXPECT_EQ(world.cancel(op), cancelled_result);
            sockets.close_now(pair[0]);
        }
        sockets.close_now(pair[1]);
    }
}

}  // namespace
}  // namespace gyre::platform
