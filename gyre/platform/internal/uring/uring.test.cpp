// SPDX-License-Identifier: Apache-2.0
// Cases that only io_uring has: full queues, exhausted provided buffers, results that come in parts
// or after a cancellation, threads that exit. tests/platforms has the tests for all platforms.
#include "gyre/platform/internal/uring/uring.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <thread>

#include "gyre/io/environment.hpp"
#include "gyre/platform/internal/uring/uring_world.test.hpp"

namespace gyre::platform {
namespace {

constexpr UringOptions tiny{.submission_count = 2, .completion_count = 4};
constexpr UringOptions deferred{.task_running = UringOptions::TaskRunning::deferred};

// Many receives that wait at once, each on its own socket pair.
struct Receives {
    Receives(UringWorld& in, std::size_t count) : world(in), buffers(count) {
        for (auto& buffer : buffers) {
            pairs.push_back(world.pair());
            ops.push_back(std::make_unique<ReceiveOp>(pairs.back()[0], buffer));
            world.app.start(*ops.back());
        }
    }
    UringWorld& world;
    std::vector<std::array<std::byte, 8>> buffers;
    std::vector<std::array<Fd, 2>> pairs;
    std::vector<std::unique_ptr<ReceiveOp>> ops;
};

TEST(Uring, more_requests_than_the_submission_queue_has_room_for_are_all_made) {
    GYRE_NEEDS_URING();
    UringWorld world(tiny);
    Receives receives(world, 100);
    world.settle();
    EXPECT_EQ(world.platform->request_count(), 100u);
    EXPECT_GE(world.platform->full_count(), 10u);
    for (const auto& pair : receives.pairs) write_to(pair[1], "x");
    for (const auto& op : receives.ops) EXPECT_EQ(world.finish(*op), 1);
    EXPECT_EQ(world.platform->request_count(), 0u);
    world.close_pairs();
}

TEST(Uring, more_results_than_the_completion_queue_has_room_for_all_come_once) {
    GYRE_NEEDS_URING();
    UringWorld world(tiny);
    Receives receives(world, 100);
    world.settle();
    world.app.done.clear();
    for (const auto& pair : receives.pairs) write_to(pair[1], "x");  // All at once: 4 have room.
    for (const auto& op : receives.ops) EXPECT_EQ(world.finish(*op), 1);
    EXPECT_EQ(world.app.done.size(), receives.ops.size());
    EXPECT_GT(world.platform->overflow_count(), 0u);
    world.close_pairs();
}

TEST(Uring, more_cancels_than_the_submission_queue_has_room_for_all_arrive) {
    GYRE_NEEDS_URING();
    UringWorld world(tiny);
    Receives receives(world, 100);
    world.settle();
    const std::uint64_t full_count_before = world.platform->full_count();
    for (const auto& op : receives.ops) world.app.cancel(*op);
    // Four results fit into the completion queue at a time.
    for (int i = 0; i < 1000 && world.platform->request_count() > 0; ++i) {
        world.loop.turn(world.loop.now());
    }
    EXPECT_GE(world.platform->full_count(), full_count_before + 10);
    EXPECT_EQ(world.platform->request_count(), 0u);
    for (const auto& op : receives.ops) {
        ASSERT_FALSE(op->is_in_flight());
        EXPECT_EQ(op->result(), cancelled_result);
    }
    world.close_pairs();
}

TEST(Uring, a_tiny_ring_takes_back_everything_at_the_close) {
    GYRE_NEEDS_URING();
    UringWorld world(tiny);
    Receives receives(world, 100);
    world.settle();
    world.loop.close();
    for (const auto& op : receives.ops) EXPECT_EQ(op->result(), cancelled_result);
    EXPECT_EQ(world.platform->request_count(), 0u);
    EXPECT_GT(world.platform->overflow_count(), 0u);
    world.close_pairs();
}

TEST(Uring, a_watch_that_ended_because_results_had_no_room_goes_on) {
    GYRE_NEEDS_URING();
    UringWorld world(tiny);
    const auto pair = world.pair();
    ReadinessOp readiness(pair[0], Events::readable);
    world.app.start(readiness);
    world.settle();
    Receives receives(world, 50);
    world.settle();
    for (int round = 0; round < 5; ++round) {
        for (const auto& other : receives.pairs) write_to(other[1], "x");
        write_to(pair[1], "x");
        for (const auto& op : receives.ops) EXPECT_EQ(world.finish(*op), 1);
        while (readiness.take_events() != Events::readable) world.loop.turn();
        for (const auto& op : receives.ops) world.app.start(*op);
        world.settle();
        (void)readiness.take_events();
    }
    EXPECT_GT(world.platform->overflow_count(), 0u);
    world.loop.close();
    world.close_pairs();
}

// ---- Cancelling ----

TEST(Uring, a_receive_cancelled_while_data_comes_is_either_done_or_took_nothing) {
    GYRE_NEEDS_URING();
    for (const UringOptions& options : {UringOptions{}, deferred}) {
        UringWorld world(options);
        const auto pair = world.pair();
        std::array<std::byte, 8> buffer{};
        int cancelled_count = 0;
        for (int i = 0; i < 300; ++i) {
            ReceiveOp op(pair[0], buffer);
            world.app.start(op);
            world.loop.turn(world.loop.now());
            world.app.done.clear();
            std::thread writer([&pair] { write_to(pair[1], "x"); });
            const std::int32_t result = world.cancel(op);
            writer.join();
            EXPECT_EQ(world.app.done.size(), 1u);
            if (result == cancelled_result) {
                ++cancelled_count;
                EXPECT_EQ(world.run(op), 1);
            } else {
                EXPECT_EQ(result, 1);
            }
        }
        EXPECT_GT(cancelled_count, 0);
        world.close_pairs();
    }
}

TEST(Uring, an_op_stays_held_until_its_request_is_back) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = world.pair();
    std::array<std::byte, 8> buffer{};
    ReceiveOp op(pair[0], buffer);
    world.app.start(op);
    world.settle();
    EXPECT_EQ(world.platform->request_count(), 1u);
    EXPECT_EQ(world.cancel(op), cancelled_result);
    EXPECT_EQ(world.platform->request_count(), 0u);
    world.close_pairs();
}

TEST(Uring, a_descriptor_closed_at_once_gives_its_ops_back_and_reaches_the_peer) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = *world.platform->environment()->sockets().connection_pair();
    std::array<std::byte, 8> buffer{};
    ReceiveOp op(pair[0], buffer);
    world.app.start(op);
    world.settle();
    world.platform->environment()->sockets().close_now(pair[0]);
    std::array<std::byte, 8> peer_buffer{};
    ReceiveOp peer(pair[1], peer_buffer);
    EXPECT_EQ(world.run(peer), 0);
    EXPECT_EQ(world.finish(op), cancelled_result);
    world.platform->environment()->sockets().close_now(pair[1]);
}

// ---- Threads ----

TEST(Uring, a_loop_goes_on_when_the_thread_that_turned_it_has_ended) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = world.pair();
    std::array<std::byte, 8> buffer{};
    ReceiveOp op(pair[0], buffer);
    std::thread([&] {
        world.app.start(op);
        world.settle();
    }).join();
    EXPECT_TRUE(op.is_in_flight());  // The system cancelled the request when the thread exited.
    write_to(pair[1], "x");
    EXPECT_EQ(world.finish(op), 1);
    std::thread waker([&] { world.platform->wake(); });
    (void)world.platform->wait(Instant::never());
    waker.join();
    world.close_pairs();
}

TEST(Uring, with_deferred_running_is_made_on_one_thread_and_turned_on_another) {
    GYRE_NEEDS_URING();
    SystemClock clock;
    const auto platform = uring_for_test(clock, deferred);
    std::thread([&] {
        TestApp app;
        Loop loop(*platform, app);
        const auto pair = *platform->environment()->sockets().connection_pair();
        std::array<std::byte, 8> buffer{};
        ReceiveOp op(pair[0], buffer);
        app.start(op);
        for (int i = 0; i < 3; ++i) loop.turn(loop.now());
        write_to(pair[1], "x");
        while (op.is_in_flight()) loop.turn();
        EXPECT_EQ(op.result(), 1);
        for (const Fd fd : pair) platform->environment()->sockets().close_now(fd);
        loop.close();
    }).join();
}

TEST(UringDeathTest, a_loop_used_after_fork_says_what_to_do) {
    GYRE_NEEDS_URING();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            SystemClock clock;
            const auto platform = UringPlatform::make(clock);
            const pid_t child = ::fork();
            if (child == 0) (void)(*platform)->wait(Instant());
            int status = 0;
            ::waitpid(child, &status, 0);
            if (WIFSIGNALED(status)) std::abort();
        },
        "make the loop after the fork");
}

// ---- Others ----

TEST(Uring, a_look_without_requests_and_results_is_no_system_call) {
    GYRE_NEEDS_URING();
    for (const UringOptions& options : {UringOptions{}, deferred}) {
        UringWorld world(options);
        const auto pair = world.pair();
        PollOp poll(pair[0], Events::readable);
        world.app.start(poll);
        world.settle();
        world.platform->flush();  // On a busy machine the interval may be over before this call.
        const std::uint64_t calls_before = world.platform->system_call_count();
        Instant now = world.loop.now();
        for (int i = 0; i < 100; ++i) now = world.platform->wait(Instant());
        EXPECT_EQ(world.platform->system_call_count(), calls_before);
        write_to(pair[1], "x");
        while (world.platform->request_count() > 0) now = world.platform->wait(Instant());
        world.finish(poll);
        EXPECT_EQ(static_cast<Events>(poll.result()), Events::readable);
        world.close_pairs();
    }
}

TEST(Uring, its_descriptor_gets_readable_when_a_wait_would_find_something) {
    GYRE_NEEDS_URING();
    for (const UringOptions& options : {UringOptions{}, deferred}) {
        UringWorld world(options);
        world.settle();
        pollfd query{world.platform->backend_fd(), POLLIN, 0};
        std::thread waker([&] { world.platform->wake(); });
        while (::poll(&query, 1, -1) != 1) {
        }
        waker.join();
        EXPECT_EQ(query.revents, POLLIN);
        (void)world.platform->wait(Instant());
        EXPECT_EQ(::poll(&query, 1, 0), 0);
    }
}

TEST(Uring, without_file_requests_leaves_files_to_the_pool) {
    GYRE_NEEDS_URING();
    UringWorld world({.has_file_requests = false});
    OpenOp open("/dev/null");
    EXPECT_EQ(world.run(open), -ENOSYS);  // This loop has no Offload.
}

TEST(Uring, needs_no_pool_for_files) {
    GYRE_NEEDS_URING();
    UringWorld world;
    OpenOp open("/dev/null", {.write = true});
    const Fd fd = world.run(open);
    ASSERT_GE(fd, 0);
    WriteOp write(fd, bytes_of("gone"), 0);
    EXPECT_EQ(world.run(write), 4);
    CloseOp close(fd);
    EXPECT_EQ(world.run(close), 0);
    EXPECT_EQ(world.run(close), -EBADF);
}

TEST(Uring, keeps_its_own_descriptors_from_being_closed) {
    GYRE_NEEDS_URING();
    UringWorld world;
    CloseOp close(world.platform->backend_fd());
    EXPECT_EQ(world.run(close), -EBADF);
    PollOp poll(world.platform->backend_fd(), Events::readable);
    EXPECT_EQ(world.run(poll), -EBADF);
    world.platform->environment()->sockets().close_now(world.platform->backend_fd());
    world.settle();
}

TEST(Uring, set_up_fails_cleanly_whichever_descriptor_is_refused) {
    GYRE_NEEDS_URING();
    SystemClock clock;
    const Fd next = ::dup(0);
    ::close(next);
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    for (const int allowed : {0, 1}) {
        rlimit limit = before;
        limit.rlim_cur = static_cast<rlim_t>(next + allowed);
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
        const auto made = UringPlatform::make(clock);
        ::setrlimit(RLIMIT_NOFILE, &before);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code(), std::errc::too_many_files_open);
        const Fd after = ::dup(0);
        ::close(after);
        EXPECT_EQ(after, next);
    }
}

}  // namespace
}  // namespace gyre::platform
