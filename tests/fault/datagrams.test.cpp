// SPDX-License-Identifier: Apache-2.0
// Datagrams under faults: an unreachable peer for every kind of op, a tiny receive buffer, and
// signals that interrupt system calls (as in interruptions.test.cpp).
#include "tests/fault/fault_world.hpp"
#include "tests/platforms/datagram_world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_REAL_PLATFORMS(Refusals);
GYRE_ON_REAL_PLATFORMS(LossyReceivers);

constexpr std::int32_t refused = failure(std::errc::connection_refused);

// Connects the socket to an address that nobody has any more.
void connect_to_nobody(World& world, const Socket& socket) {
    Address nobody;
    {
        const Socket gone(world);
        nobody = gone.address();
    }
    ASSERT_TRUE(socket.connect(nobody));
}

TEST_P(Refusals, end_the_first_receive_and_leave_the_others_waiting) {
    Socket here(*world);
    connect_to_nobody(*world, here);
    std::array<std::byte, 16> buffer{};
    ReceiveFromOp first(here.fd(), buffer);
    ReceiveFromOp second(here.fd(), buffer);
    world->app.start(first);
    world->app.start(second);
    world->settle();
    EXPECT_EQ(here.send("x"), 1);
    EXPECT_EQ(world->finish(first), refused);
    world->settle();
    EXPECT_TRUE(second.is_in_flight());
    EXPECT_EQ(here.send("x"), 1);
    EXPECT_EQ(world->finish(second), refused);
    EXPECT_EQ(world->completions_of(second), 1u);
}

TEST_P(Refusals, end_a_send_without_sending_it) {
    Socket here(*world);
    Socket there(*world);
    connect_to_nobody(*world, here);
    EXPECT_EQ(here.send("x"), 1);
    world->settle();
    EXPECT_EQ(here.send("told", there.address()), refused);
    EXPECT_EQ(here.send("sent", there.address()), 4);
    EXPECT_EQ(there.receive(), "sent");
}

TEST_P(Refusals, are_told_by_a_poll_and_by_readiness_and_stay_for_the_receive) {
    Socket here(*world);
    connect_to_nobody(*world, here);
    PollOp poll(here.fd(), Events::readable);
    ReadinessOp readiness(here.fd(), Events::readable);
    world->app.start(poll);
    world->app.start(readiness);
    world->settle();
    EXPECT_EQ(here.send("x"), 1);
    ASSERT_GT(world->finish(poll), 0);
    EXPECT_TRUE(any(static_cast<Events>(poll.result()) & Events::error));
    Events seen = Events::none;
    while (!any(seen & Events::error)) {
        seen = seen | readiness.take_events();
        if (!any(seen & Events::error)) world->turn();
    }
    EXPECT_EQ(world->cancel(readiness), cancelled_result);
    EXPECT_EQ(here.receive(), "error: Connection refused");
}

TEST_P(Refusals, meet_a_cancellation_and_one_of_them_is_the_result) {
    for (int turns = 0; turns < 5; ++turns) {
        Socket here(*world);
        connect_to_nobody(*world, here);
        std::array<std::byte, 16> buffer{};
        ReceiveFromOp op(here.fd(), buffer);
        world->app.start(op);
        world->settle();
        SendToOp send(here.fd(), bytes_of("x"), Address());
        world->app.start(send);
        for (int i = 0; i < turns && op.is_in_flight(); ++i) world->turn();
        world->app.stop(op);
        const std::int32_t result = world->finish(op);
        EXPECT_TRUE(result == refused || result == cancelled_result) << result;
        EXPECT_EQ(world->completions_of(op), 1u);
        EXPECT_EQ(world->finish(send), 1);
        world->app.done.clear();
    }
}

TEST_P(LossyReceivers, lose_datagrams_and_never_a_part_of_one) {
    Socket here(*world);
    Socket there(*world);
    const int small = 1;  // The system makes it the smallest that it allows.
    ASSERT_EQ(::setsockopt(there.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    int received = 0;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 20; ++i) {
            ASSERT_EQ(
                here.send(std::string(static_cast<std::size_t>(100 + i), 'x'), there.address()),
                100 + i);
        }
        std::string last;
        while (there.has_one()) {
            const std::string data = there.receive();
            EXPECT_EQ(data, std::string(data.size(), 'x'));
            EXPECT_GE(data.size(), 100u);
            EXPECT_GT(data.size(), last.size());
            last = data;
            ++received;
        }
    }
    EXPECT_GT(received, 0);
    EXPECT_LT(received, 400);
}

}  // namespace
}  // namespace gyre::test
