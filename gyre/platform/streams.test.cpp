// SPDX-License-Identifier: Apache-2.0
// Receive and send on descriptors that only a real system has; tests/platforms has the tests for
// all platforms.
#include <array>

#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/io_world.test.hpp"

namespace gyre::platform {
namespace {

GYRE_ON_EACH_PLATFORM(Streams);

TEST_P(Streams, a_pipe_is_read_and_written_too) {
    IoWorld world(GetParam());
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);  // Blocking, as a pipe from a shell is.
    std::array<std::byte, 16> buffer{};
    ReceiveOp receive(ends[0], buffer);
    world.app.start(receive);
    world.settle();
    EXPECT_TRUE(receive.is_in_flight());
    SendOp send(ends[1], bytes_of("through"));
    EXPECT_EQ(world.run(send), 7);
    EXPECT_EQ(world.finish(receive), 7);

    const std::vector<std::byte> large(1u << 20u);
    std::int32_t sent = 0;
    SendOp more(ends[1], large);
    do {
        world.app.start(more);
        world.settle();
        if (!more.is_in_flight()) sent += more.result();
    } while (!more.is_in_flight());
    EXPECT_GT(sent, 0);
    EXPECT_EQ(world.cancel(more), cancelled_result);
    world.close(ends[0]);
    world.close(ends[1]);
}

}  // namespace
}  // namespace gyre::platform
