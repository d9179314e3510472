// SPDX-License-Identifier: Apache-2.0
// Cancellation of a datagram receive in each of its states: one completion, and no datagram lost.
#include "tests/platforms/datagram_world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(DatagramCancelling);

using Buffer = std::array<std::byte, 16>;

// clause: K10
TEST_P(DatagramCancelling, a_receive_cancelled_before_it_was_routed_takes_nothing) {
    Socket here(*world);
    Socket there(*world);
    EXPECT_EQ(here.send("kept", there.address()), 4);
    world->settle();
    Buffer buffer{};
    ReceiveFromOp op(there.fd(), buffer);
    world->app.start(op);
    ASSERT_EQ(op.state(), OpState::submitted);
    EXPECT_EQ(world->cancel(op), cancelled_result);
    EXPECT_EQ(world->completions_of(op), 1u);
    EXPECT_EQ(there.receive(), "kept");
}

// clause: K10
TEST_P(DatagramCancelling, a_held_receive_that_is_cancelled_takes_nothing) {
    Socket here(*world);
    Socket there(*world);
    Buffer buffer{};
    ReceiveFromOp op(there.fd(), buffer);
    world->app.start(op);
    world->settle();
    ASSERT_EQ(op.state(), OpState::held);
    EXPECT_EQ(world->cancel(op), cancelled_result);
    EXPECT_EQ(world->completions_of(op), 1u);
    EXPECT_EQ(here.send("kept", there.address()), 4);
    EXPECT_EQ(there.receive(), "kept");
}

// clause: K10
TEST_P(DatagramCancelling, a_ready_receive_that_is_cancelled_keeps_its_datagram) {
    Socket here(*world);
    Socket there(*world);
    Buffer buffer{};
    ReceiveFromOp op(there.fd(), buffer);
    world->app.start(op);
    world->settle();
    SendToOp send(here.fd(), bytes_of("done"), there.address());
    world->app.start(send);
    world->app.pause();
    while (op.state() != OpState::ready) world->turn();
    world->app.stop(op);
    world->app.go_on();
    EXPECT_EQ(world->finish(op), 4);
    EXPECT_EQ(op.from, here.address());
    EXPECT_EQ(world->finish(send), 4);
    EXPECT_EQ(world->completions_of(op), 1u);
}

// clause: K10
TEST_P(DatagramCancelling, cancelled_while_they_arrive_are_with_the_op_or_with_the_socket) {
    Socket here(*world);
    Socket there(*world);
    for (int turns = 0; turns < 6; ++turns) {
        Buffer buffer{};
        ReceiveFromOp op(there.fd(), buffer);
        SendToOp send(here.fd(), bytes_of("data"), there.address());
        world->app.start(op);
        world->settle();
        world->app.start(send);
        for (int i = 0; i < turns && op.is_in_flight(); ++i) world->turn();
        world->app.stop(op);
        const std::int32_t result = world->finish(op);
        ASSERT_EQ(world->finish(send), 4);
        EXPECT_EQ(world->completions_of(op), 1u);
        world->app.done.clear();
        if (result == cancelled_result) {
            EXPECT_EQ(there.receive(), "data");
        } else {
            EXPECT_EQ(result, 4);
            EXPECT_EQ(op.from, here.address());
        }
        EXPECT_FALSE(there.has_one());
    }
}

TEST_P(DatagramCancelling, who_stood_behind_a_cancelled_receive_goes_on) {
    Socket here(*world);
    Socket there(*world);
    Buffer buffer{};
    ReceiveFromOp first(there.fd(), buffer);
    ReceiveFromOp second(there.fd(), buffer);
    ReceiveFromOp third(there.fd(), buffer);
    for (ReceiveFromOp* op : {&first, &second, &third}) world->app.start(*op);
    world->settle();
    EXPECT_EQ(world->cancel(second), cancelled_result);
    EXPECT_EQ(world->cancel(first), cancelled_result);
    EXPECT_EQ(here.send("third", there.address()), 5);
    EXPECT_EQ(world->finish(third), 5);
}

TEST_P(DatagramCancelling, a_close_brings_back_what_waits) {
    Socket socket(*world);
    Buffer buffer{};
    ReceiveFromOp first(socket.fd(), buffer);
    ReceiveFromOp second(socket.fd(), buffer);
    world->app.start(first);
    world->app.start(second);
    world->settle();
    socket.close();
    EXPECT_EQ(first.result(), cancelled_result);
    EXPECT_EQ(second.result(), cancelled_result);
    EXPECT_FALSE(first.is_in_flight());
    EXPECT_FALSE(second.is_in_flight());
}

}  // namespace
}  // namespace gyre::test
