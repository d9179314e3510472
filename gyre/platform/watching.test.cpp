// SPDX-License-Identifier: Apache-2.0
// Poll, readiness and receive into a ring: ops that watch a descriptor.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <thread>

#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/io_world.test.hpp"

namespace gyre::platform {
namespace {

GYRE_ON_EACH_PLATFORM(DescriptorWatching);

Events events_of(const Op& op) {
    return static_cast<Events>(op.result());
}

TEST_P(DescriptorWatching, a_regular_file_is_always_ready) {
    IoWorld world(GetParam());
    std::FILE* file = std::tmpfile();
    PollOp poll(::fileno(file), Events::readable | Events::writable);
    world.run(poll);
    EXPECT_EQ(events_of(poll), Events::readable | Events::writable);
    ReadinessOp readiness(::fileno(file), Events::readable);
    world.app.start(readiness);
    world.turn_until_rung(readiness);
    EXPECT_EQ(readiness.take_events(), Events::readable);
    EXPECT_EQ(world.cancel(readiness), cancelled_result);
    std::fclose(file);
}

TEST_P(DescriptorWatching, a_level_of_a_regular_file_rings_for_as_long_as_it_stands) {
    IoWorld world(GetParam());
    std::FILE* file = std::tmpfile();
    ReadinessOp level(::fileno(file), Events::readable, Trigger::level);
    world.app.start(level);
    world.turn_until_rung(level, 5);
    EXPECT_EQ(level.take_events(), Events::readable);
    EXPECT_EQ(world.cancel(level), cancelled_result);
    std::fclose(file);
}

// Users of poll handles own the descriptor, and may close it at any time.
TEST_P(DescriptorWatching, a_level_works_on_a_number_that_was_closed_and_given_out_again) {
    IoWorld world(GetParam());
    Pair pair(world);
    ReadinessOp first(pair.near, Events::readable, Trigger::level);
    world.app.start(first);
    world.settle();
    world.app.stop(first);
    ::close(pair.near);
    Pair other(world);
    ASSERT_EQ(other.near, std::exchange(pair.near, -1));
    ReadinessOp second(other.near, Events::readable, Trigger::level);
    world.app.start(second);
    EXPECT_EQ(world.finish(first), cancelled_result);
    world.settle();
    other.write_far("x");
    world.turn_until_rung(second, 3);
    EXPECT_EQ(world.cancel(second), cancelled_result);
}

TEST(EpollWatching, a_level_that_is_gone_leaves_nothing_behind_that_keeps_the_loop_awake) {
    IoWorld world("epoll");
    auto& epoll = static_cast<EpollPlatform&>(world.platform());
    Pair pair(world);
    ReadinessOp readable(pair.near, Events::readable, Trigger::level);
    ReadinessOp writable(pair.near, Events::writable, Trigger::level);
    for (ReadinessOp* op : {&readable, &writable}) world.app.start(*op);
    world.turn_until_rung(writable, 3);
    for (ReadinessOp* op : {&writable, &readable}) {
        EXPECT_EQ(world.cancel(*op), cancelled_result);
        const std::uint64_t waits = epoll.system_wait_count();
        world.settle();
        EXPECT_LE(epoll.system_wait_count(), waits + 50);
        pair.write_far("x");
        if (op == &writable) world.turn_until_rung(readable, 3);
    }
    EXPECT_EQ(epoll.registered_count(), 0u);
}

// The registration outlives the number if another descriptor refers to the same socket.
TEST(EpollWatching, a_level_whose_number_was_closed_too_early_does_not_keep_the_loop_awake) {
    IoWorld world("epoll");
    auto& epoll = static_cast<EpollPlatform&>(world.platform());
    Pair pair(world);
    Pair kept(world);
    ReadinessOp level(pair.near, Events::readable, Trigger::level);
    ReadinessOp kept_level(kept.near, Events::readable, Trigger::level);
    ReadinessOp kept_edge(kept.far, Events::readable);
    for (ReadinessOp* op : {&level, &kept_level, &kept_edge}) world.app.start(*op);
    world.settle();
    const Fd duplicate = ::dup(pair.near);
    ::close(std::exchange(pair.near, -1));
    EXPECT_EQ(world.cancel(level), cancelled_result);
    pair.write_far("x");
    world.settle();
    const std::uint64_t waits = epoll.system_wait_count();
    world.settle();
    EXPECT_LE(epoll.system_wait_count(), waits + 50);
    // The other registrations are kept.
    kept.write_far("y");
    world.turn_until_rung(kept_level, 2);
    EXPECT_EQ(::write(kept.near, "z", 1), 1);
    world.turn_until_rung(kept_edge);
    EXPECT_EQ(world.cancel(kept_level), cancelled_result);
    EXPECT_EQ(world.cancel(kept_edge), cancelled_result);
    ::close(duplicate);
}

TEST_P(DescriptorWatching, a_ring_receives_until_the_end_of_the_stream) {
    IoWorld world(GetParam());
    Pair pair(world);
    std::vector<std::byte> memory(1024);
    ByteRing ring(memory);
    ReceiveRingOp op(pair.near, ring, OverflowPolicy::drop_newest);
    world.app.start(op);
    constexpr std::size_t total = std::size_t{32} << 20u;
    std::thread writer([&pair] {
        const std::vector<char> block(1u << 20u, 'x');
        for (std::size_t sent = 0; sent < total;) {
            const ssize_t count =
                ::write(pair.far, block.data(), std::min(block.size(), total - sent));
            if (count > 0) {
                sent += static_cast<std::size_t>(count);
            } else {
                std::this_thread::yield();
            }
        }
        ::shutdown(pair.far, SHUT_WR);
    });
    EXPECT_EQ(world.finish(op), 0);
    writer.join();
    EXPECT_EQ(op.stats.received_bytes, total);
    EXPECT_EQ(op.stats.received_bytes - op.stats.lost_bytes, ring.size_bytes());
}

}  // namespace
}  // namespace gyre::platform
