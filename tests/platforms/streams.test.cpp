// SPDX-License-Identifier: Apache-2.0
// Receive and send: results, order, the end of a stream, and errors.
#include <memory>

#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Streams);

using Buffer = std::array<std::byte, 16>;

std::string_view text(const Buffer& buffer, std::size_t size) {
    return text_of(ConstBytes(buffer).first(size));
}

// clause: K07
TEST_P(Streams, a_receive_takes_what_is_there_and_comes_back_once) {
    Pair pair(*world);
    pair.write_far("hello");
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    ASSERT_EQ(world->run(op), 5);
    EXPECT_EQ(text(buffer, 5), "hello");
    world->settle();
    EXPECT_EQ(world->completions_of(op), 1u);
    EXPECT_EQ(op.state(), OpState::idle);
}

// clause: K22
TEST_P(Streams, a_receive_waits_for_what_comes_later) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    for (int i = 0; i < 3; ++i) {
        world->app.start(op);
        world->settle();
        EXPECT_TRUE(op.is_in_flight());
        pair.write_far("later");
        ASSERT_EQ(world->finish(op), 5);
        EXPECT_EQ(text(buffer, 5), "later");
    }
}

TEST_P(Streams, a_small_buffer_leaves_the_rest_for_the_next_receive) {
    Pair pair(*world);
    std::array<std::byte, 4> buffer{};
    ReceiveOp first(pair.near, buffer);
    world->app.start(first);
    world->settle();
    pair.write_far("abcdefg");
    EXPECT_EQ(world->finish(first), 4);
    EXPECT_EQ(text_of(buffer), "abcd");
    EXPECT_EQ(world->receive(pair.near), "efg");
}

TEST_P(Streams, receives_on_one_descriptor_are_served_in_order) {
    Pair pair(*world);
    std::array<std::array<std::byte, 2>, 40> buffers{};
    std::vector<std::unique_ptr<ReceiveOp>> ops;
    for (auto& buffer : buffers) {
        ops.push_back(std::make_unique<ReceiveOp>(pair.near, buffer));
        world->app.start(*ops.back());
    }
    world->settle();
    std::string sent;
    for (std::size_t i = 0; i < ops.size(); ++i) sent += std::string(2, static_cast<char>('!' + i));
    pair.write_far(sent);
    std::string received;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        ASSERT_EQ(world->finish(*ops[i]), 2);
        received += text_of(buffers[i]);
    }
    EXPECT_EQ(received, sent);
    std::vector<const Op*> started;
    for (const auto& op : ops) started.push_back(op.get());
    EXPECT_EQ(world->order_of(started), started);
}

TEST_P(Streams, sends_on_one_descriptor_go_out_in_order) {
    Pair pair(*world);
    std::vector<std::unique_ptr<SendOp>> ops;
    for (const char* word : {"one ", "two ", "three ", "four"}) {
        ops.push_back(std::make_unique<SendOp>(pair.near, bytes_of(word)));
        world->app.start(*ops.back());
    }
    for (const auto& op : ops) {
        EXPECT_EQ(world->finish(*op), static_cast<std::int32_t>(op->buffer.size()));
    }
    std::string received;
    while (received.size() < 18) received += world->receive(pair.far);
    EXPECT_EQ(received, "one two three four");
}

TEST_P(Streams, both_directions_go_on_independently) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp waits(pair.near, buffer);
    world->app.start(waits);
    world->settle();
    EXPECT_EQ(world->send(pair.near, "out"), 3);
    EXPECT_EQ(world->receive(pair.far), "out");
    EXPECT_TRUE(waits.is_in_flight());
    pair.write_far("in");
    EXPECT_EQ(world->finish(waits), 2);
}

TEST_P(Streams, a_receive_sees_the_end_again_and_again) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    world->app.start(op);
    world->settle();
    pair.close_far();
    EXPECT_EQ(world->finish(op), 0);
    EXPECT_EQ(world->run(op), 0);
}

TEST_P(Streams, the_end_that_came_with_the_last_bytes_is_seen) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    world->app.start(op);
    world->settle();
    pair.write_far("last");
    pair.close_far();
    EXPECT_EQ(world->finish(op), 4);
    EXPECT_EQ(world->run(op), 0);
}

TEST_P(Streams, the_end_that_comes_after_a_short_read_is_seen) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    world->app.start(op);
    world->settle();
    pair.write_far("last");
    EXPECT_EQ(world->finish(op), 4);
    world->app.start(op);
    world->settle();
    EXPECT_TRUE(op.is_in_flight());
    pair.close_far();
    EXPECT_EQ(world->finish(op), 0);
}

TEST_P(Streams, a_side_that_ended_sending_still_receives) {
    const auto [client, server] = world->connected();
    EXPECT_EQ(world->send(client, "request"), 7);
    ASSERT_TRUE(world->sockets().end_sending(client));
    EXPECT_EQ(world->receive(server), "request");
    EXPECT_EQ(world->receive(server), "");
    EXPECT_EQ(world->send(server, "answer"), 6);
    EXPECT_EQ(world->receive(client), "answer");
    EXPECT_EQ(world->send(client, "more"), failure(std::errc::broken_pipe));
    world->close(server);
    EXPECT_EQ(world->receive(client), "");
    world->close(client);
}

TEST_P(Streams, a_connection_that_was_reset_is_a_result) {
    const auto [client, server] = world->connected();
    EXPECT_EQ(world->send(client, "unread"), 6);
    Buffer buffer{};
    ReceiveOp receive(client, buffer);
    world->app.start(receive);
    world->settle();
    world->close(server);  // With unread bytes: the peer gets a reset, not an end.
    EXPECT_EQ(world->finish(receive), failure(std::errc::connection_reset));
    world->close(client);
}

TEST_P(Streams, a_send_to_nobody_is_a_result_and_no_signal) {
    Pair pair(*world);
    pair.close_far();
    world->settle();
    EXPECT_EQ(world->send(pair.near, "x"), failure(std::errc::broken_pipe));
}

TEST_P(Streams, a_send_takes_what_there_is_room_for) {
    Pair pair(*world);
    const std::vector<std::byte> large(std::size_t{16} << 20u);
    SendOp op(pair.near, large);
    const std::int32_t taken = world->run(op);
    EXPECT_GT(taken, 0);
    EXPECT_LT(taken, static_cast<std::int32_t>(large.size()));
}

TEST_P(Streams, a_send_waits_for_room_and_goes_on) {
    Pair pair(*world);
    const std::string tail(1000, 't');
    SendOp op(pair.near, bytes_of(tail));
    const std::size_t before = world->fill(pair.near, op);
    std::string received;
    while (received.size() < before + tail.size()) received += world->receive(pair.far, 1u << 20u);
    EXPECT_EQ(world->finish(op), 1000);
    EXPECT_EQ(received.size(), before + tail.size());
    EXPECT_EQ(received.substr(before), tail);
}

TEST_P(Streams, a_socket_that_is_not_connected_is_a_result) {
    const Fd socket = world->stream();
    Buffer buffer{};
    ReceiveOp receive(socket, buffer);
    EXPECT_EQ(world->run(receive), failure(std::errc::not_connected));
    EXPECT_EQ(world->send(socket, "x"), failure(std::errc::broken_pipe));
    world->close(socket);
}

TEST_P(Streams, a_number_that_names_nothing_is_a_result_for_every_kind) {
    Buffer buffer{};
    constexpr std::int32_t bad = failure(std::errc::bad_file_descriptor);
    for (const Fd fd : {-1, -1000, 700, 1 << 30}) {
        ReceiveOp receive(fd, buffer);
        EXPECT_EQ(world->run(receive), bad);
        EXPECT_EQ(world->send(fd, "x"), bad);
        AcceptOp accept(fd);
        EXPECT_EQ(world->run(accept), bad);
        ConnectOp connect(fd, Address::loopback(1));
        EXPECT_EQ(world->run(connect), bad);
        PollOp poll(fd, Events::readable);
        EXPECT_EQ(world->run(poll), bad);
        ReadinessOp readiness(fd, Events::readable);
        EXPECT_EQ(world->run(readiness), bad);
        ByteRing ring(buffer);
        ReceiveRingOp receive_ring(fd, ring, OverflowPolicy::drop_newest);
        EXPECT_EQ(world->run(receive_ring), bad);
        ReadOp read(fd, buffer, 0);
        EXPECT_EQ(world->run(read), bad);
        WriteOp write(fd, buffer, 0);
        EXPECT_EQ(world->run(write), bad);
        FsyncOp fsync(fd);
        EXPECT_EQ(world->run(fsync), bad);
        CloseOp close(fd);
        EXPECT_EQ(world->run(close), bad);
    }
}

}  // namespace
}  // namespace gyre::test
