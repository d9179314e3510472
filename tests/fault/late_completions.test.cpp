// SPDX-License-Identifier: Apache-2.0
// A completion that arrives while its cancellation is under way: the op completes once, and the
// bytes are either in its buffer or still in the stream.
#include "tests/fault/fault_world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_REAL_PLATFORMS(LateCompletions);

// clause: K10
TEST_P(LateCompletions, for_a_cancelled_receive_are_the_only_ones) {
    Pair pair(*world);
    std::array<std::byte, 16> buffer{};
    for (int round = 0; round < 50; ++round) {
        ReceiveOp receive(pair.near, buffer);
        world->app.start(receive);
        world->settle();
        ASSERT_EQ(::send(pair.far, "late", 4, 0), 4);
        world->app.stop(receive);  // On its way to the platform when the bytes are seen.
        for (int look = 0; look < round; ++look) {
            (void)world->platform().wait(world->loop().now());
        }
        const std::int32_t result = world->finish(receive);
        if (result == cancelled_result) {
            EXPECT_EQ(world->receive(pair.near), "late");
        } else {
            EXPECT_EQ(result, 4);
        }
        world->settle();
        EXPECT_EQ(world->completions_of(receive), 1u);
        world->app.done.clear();
    }
}

// clause: K10
TEST_P(LateCompletions, for_a_cancelled_accept_lose_no_connection) {
    const Fd listener = world->listen();
    const Address at = world->address_of(listener);
    for (int round = 0; round < 20; ++round) {
        AcceptOp accept(listener);
        world->app.start(accept);
        world->settle();
        const Fd socket = world->stream();
        ConnectOp connect(socket, at);
        world->app.start(connect);
        for (int turn = 0; turn < round % 4 && accept.is_in_flight(); ++turn) world->turn();
        world->app.stop(accept);
        for (int look = 0; look < round; ++look) {
            (void)world->platform().wait(world->loop().now());
        }
        Fd accepted = world->finish(accept);
        EXPECT_EQ(world->finish(connect), 0);
        if (accepted == cancelled_result) accepted = world->run(accept);
        ASSERT_GE(accepted, 0);
        world->close(accepted);
        world->close(socket);
    }
    world->close(listener);
}

}  // namespace
}  // namespace gyre::test
