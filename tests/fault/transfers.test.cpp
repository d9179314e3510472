// SPDX-License-Identifier: Apache-2.0
// Transfers that are cut short, and connections that are reset under every kind of op.
#include "tests/fault/fault_world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_REAL_PLATFORMS(ShortTransfers);
GYRE_ON_REAL_PLATFORMS(Resets);

std::string pattern(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 23);
    return text;
}

TEST_P(ShortTransfers, lose_and_repeat_nothing) {
    Pair pair(*world);
    const int small = 4096;
    ASSERT_EQ(::setsockopt(pair.near, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    const std::string text = pattern(std::size_t{1} << 20u);
    std::array<std::byte, 1500> buffer{};
    SendOp send(pair.near, bytes_of(text));
    ReceiveOp receive(pair.far, buffer);
    world->app.start(send);
    world->app.start(receive);
    std::size_t sent = 0;
    std::string received;
    std::size_t short_sends = 0;
    while (received.size() < text.size()) {
        world->turn();
        if (!send.is_in_flight() && sent < text.size()) {
            ASSERT_GT(send.result(), 0);
            sent += static_cast<std::size_t>(send.result());
            short_sends += sent < text.size() ? 1 : 0;
            send.buffer = bytes_of(text).subspan(sent);
            if (sent < text.size()) world->app.start(send);
        }
        if (!receive.is_in_flight()) {
            ASSERT_GT(receive.result(), 0);
            const auto size = static_cast<std::size_t>(receive.result());
            received += text_of(ConstBytes(buffer).first(size));
            if (received.size() < text.size()) world->app.start(receive);
        }
    }
    EXPECT_EQ(received, text);
    EXPECT_GT(short_sends, 0u);
}

TEST_P(ShortTransfers, of_a_byte_at_a_time_are_seen_as_such) {
    Pair pair(*world);
    const std::string text = pattern(200);
    std::array<std::byte, 64> buffer{};
    ReceiveOp receive(pair.near, buffer);
    for (const char& c : text) {
        world->app.start(receive);
        pair.write_far({&c, 1});
        ASSERT_EQ(world->finish(receive), 1);
        EXPECT_EQ(static_cast<char>(buffer[0]), c);
    }
}

TEST_P(Resets, end_a_receive_and_a_ring_with_the_error) {
    for (const bool uses_ring : {false, true}) {
        const auto [client, server] = world->connected();
        std::array<std::byte, 16> buffer{};
        ByteRing ring(buffer);
        ReceiveOp receive(client, buffer);
        ReceiveRingOp receive_ring(client, ring, OverflowPolicy::drop_newest);
        Op& op = uses_ring ? static_cast<Op&>(receive_ring) : receive;
        world->app.start(op);
        world->settle();
        close_with_reset(*world, server);
        EXPECT_EQ(world->finish(op), failure(std::errc::connection_reset));
        EXPECT_EQ(world->completions_of(op), 1u);
        world->close(client);
    }
}

TEST_P(Resets, end_a_send_that_waits_for_room) {
    const auto [client, server] = world->connected();
    const std::string text = pattern(1000);
    SendOp send(client, bytes_of(text));
    (void)world->fill(client, send);
    close_with_reset(*world, server);
    std::int32_t result = world->finish(send);
    // Where the system found room at the last moment, the next one meets the reset.
    while (result > 0) result = world->run(send);
    EXPECT_TRUE(result == failure(std::errc::connection_reset) ||
                result == failure(std::errc::broken_pipe));
    world->close(client);
}

TEST_P(Resets, are_told_by_a_poll_and_by_readiness) {
    const auto [client, server] = world->connected();
    PollOp poll(client, Events::readable);
    ReadinessOp readiness(client, Events::readable);
    world->app.start(poll);
    world->app.start(readiness);
    world->settle();
    close_with_reset(*world, server);
    world->finish(poll);
    ASSERT_GT(poll.result(), 0);
    EXPECT_TRUE(any(static_cast<Events>(poll.result()) & Events::error));
    Events seen = Events::none;
    while (!any(seen & Events::error)) {
        seen = seen | readiness.take_events();
        if (!any(seen & Events::error)) world->turn();
    }
    EXPECT_EQ(world->cancel(readiness), cancelled_result);
    world->close(client);
}

TEST_P(Resets, of_a_connection_that_nobody_accepted_leave_the_listener_alive) {
    const Fd listener = world->listen();
    const Fd gone = world->stream();
    ConnectOp first(gone, world->address_of(listener));
    ASSERT_EQ(world->run(first), 0);
    close_with_reset(*world, gone);
    const Fd socket = world->stream();
    ConnectOp second(socket, world->address_of(listener));
    ASSERT_EQ(world->run(second), 0);
    EXPECT_EQ(world->send(socket, "here"), 4);
    // The one that is gone may be given out or left out, but the other one comes.
    std::string received;
    while (received.empty()) {
        AcceptOp accept(listener);
        const Fd accepted = world->run(accept);
        ASSERT_GE(accepted, 0);
        std::array<std::byte, 16> buffer{};
        ReceiveOp receive(accepted, buffer);
        const std::int32_t size = world->run(receive);
        if (size > 0) received = text_of(ConstBytes(buffer).first(static_cast<std::size_t>(size)));
        world->close(accepted);
    }
    EXPECT_EQ(received, "here");
    world->close(socket);
    world->close(listener);
}

}  // namespace
}  // namespace gyre::test
