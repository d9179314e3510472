// SPDX-License-Identifier: Apache-2.0
// Poll, readiness and receive into a ring: ops that watch a descriptor.
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <thread>

#include "gyre/platform/io_world.test.hpp"

namespace gyre::platform {
namespace {

GYRE_ON_EACH_PLATFORM(Watching);

Events events_of(const Op& op) {
    return static_cast<Events>(op.result());
}

TEST_P(Watching, a_poll_is_not_ready_when_another_op_took_what_came) {
    IoWorld world(GetParam());
    Pair pair(world);
    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(pair.near, buffer);
    PollOp poll(pair.near, Events::readable);
    world.app.start(receive);
    world.app.start(poll);
    world.settle();
    pair.write_far("x");
    EXPECT_EQ(world.finish(receive), 1);
    world.settle();
    EXPECT_TRUE(poll.is_in_flight());
    EXPECT_EQ(world.cancel(poll), cancelled_result);
}

TEST_P(Watching, a_regular_file_is_always_ready) {
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

TEST_P(Watching, a_ring_receives_until_the_end_of_the_stream) {
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
