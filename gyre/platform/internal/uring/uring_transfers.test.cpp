// SPDX-License-Identifier: Apache-2.0
// Transfers on a ring: receives that go on by themselves into provided buffers, and sends that the
// platform hands over alone or together.
#include <thread>

#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_world.test.hpp"

namespace gyre::platform {
namespace {

// ---- Receives that go on by themselves ----

struct RingReceive {
    RingReceive(UringWorld& world, Fd fd)
        : memory(1u << 20u), ring(memory), op(fd, ring, OverflowPolicy::drop_newest) {
        world.app.start(op);
    }
    std::vector<std::byte> memory;
    ByteRing ring;
    ReceiveRingOp op;
};

TEST(Uring, a_receive_that_runs_out_of_buffers_goes_on_when_they_are_back) {
    GYRE_NEEDS_URING();
    UringWorld world({.buffer_count = 2, .buffer_size_bytes = 16});
    const auto pair = world.tcp_pair();
    RingReceive receive(world, pair[0]);
    const std::string text(10'000, 'x');
    write_to(pair[1], text);
    while (receive.op.stats.received_bytes < text.size()) world.loop.turn();
    EXPECT_TRUE(world.platform->has_multishot_receive());
    EXPECT_GT(world.platform->out_of_buffers_count(), 0u);
    EXPECT_EQ(receive.ring.size_bytes(), text.size());
    EXPECT_EQ(world.cancel(receive.op), cancelled_result);
    world.close_pairs();
}

TEST(Uring, several_receives_share_the_buffers) {
    GYRE_NEEDS_URING();
    UringWorld world({.buffer_count = 2, .buffer_size_bytes = 64});
    std::vector<std::array<Fd, 2>> pairs;
    std::vector<std::unique_ptr<RingReceive>> receives;
    for (int i = 0; i < 8; ++i) {
        pairs.push_back(world.tcp_pair());
        receives.push_back(std::make_unique<RingReceive>(world, pairs.back()[0]));
    }
    world.settle();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        write_to(pairs[i][1], std::string(1000, static_cast<char>('a' + i)));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        while (receives[i]->op.stats.received_bytes < 1000) world.loop.turn();
        std::vector<std::byte> out(1000);
        EXPECT_EQ(receives[i]->ring.read(out), 1000u);
        EXPECT_EQ(text_of(out), std::string(1000, static_cast<char>('a' + i)));
    }
    EXPECT_GT(world.platform->out_of_buffers_count(), 0u);
    world.loop.close();
    world.close_pairs();
}

// What the system took before the cancellation is in the ring; the rest is still in the socket.
TEST(Uring, a_cancelled_receive_into_a_ring_loses_no_byte) {
    GYRE_NEEDS_URING();
    for (int round = 0; round < 50; ++round) {
        UringWorld world({.buffer_count = 4, .buffer_size_bytes = 16});
        const auto pair = world.tcp_pair();
        RingReceive receive(world, pair[0]);
        for (int i = 0; i < round % 4; ++i) world.loop.turn(world.loop.now());
        write_to(pair[1], std::string(200, 'x'));
        for (int i = 0; i < round % 3; ++i) world.loop.turn(world.loop.now());
        EXPECT_EQ(world.cancel(receive.op), cancelled_result);
        EXPECT_EQ(receive.op.stats.received_bytes, receive.ring.size_bytes());
        std::vector<std::byte> rest(400);
        std::size_t total = receive.ring.size_bytes();
        if (total < 200) {
            ReceiveOp after(pair[0], rest);
            total += static_cast<std::size_t>(world.run(after));
        }
        EXPECT_EQ(total, 200u);
        world.close_pairs();
    }
}

TEST(Uring, a_receive_into_a_ring_ends_with_the_stream_and_its_last_bytes) {
    GYRE_NEEDS_URING();
    for (const bool has_buffers : {true, false}) {
        UringWorld world({.has_provided_buffers = has_buffers});
        auto pair = world.tcp_pair();
        RingReceive receive(world, pair[0]);
        world.settle();
        EXPECT_EQ(world.platform->has_multishot_receive(), has_buffers);
        write_to(pair[1], "last");
        EXPECT_TRUE(world.platform->environment()->sockets().end_sending(pair[1]));
        EXPECT_EQ(world.finish(receive.op), 0);
        EXPECT_EQ(receive.ring.size_bytes(), 4u);
        world.close_pairs();
    }
}

// Many streams, because the end must come with the last bytes, from another thread.
TEST(Uring, the_end_that_comes_with_the_last_bytes_is_not_missed) {
    GYRE_NEEDS_URING();
    UringWorld world;
    for (int round = 0; round < 200; ++round) {
        const auto pair = round % 2 == 0 ? world.pair() : world.tcp_pair();
        RingReceive receive(world, pair[0]);
        world.loop.turn(world.loop.now());
        std::thread writer([&pair] {
            write_to(pair[1], "last");
            ::shutdown(pair[1], SHUT_WR);
        });
        EXPECT_EQ(world.finish(receive.op), 0);
        EXPECT_EQ(receive.ring.size_bytes(), 4u);
        writer.join();
        world.close_pairs();
    }
}

TEST(Uring, a_pipe_is_received_into_a_ring_too) {
    GYRE_NEEDS_URING();
    UringWorld world;
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    RingReceive receive(world, ends[0]);
    world.settle();
    for (std::size_t i = 1; i <= 3; ++i) {
        write_to(ends[1], "some");
        while (receive.op.stats.received_bytes < 4 * i) world.loop.turn();
    }
    EXPECT_EQ(world.cancel(receive.op), cancelled_result);
    for (const int fd : ends) ::close(fd);
}

// ---- Sends ----

TEST(Uring, a_large_send_that_comes_alone_is_done_in_its_turn_without_the_ring) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = world.pair();
    world.settle();
    const std::uint64_t calls_before = world.platform->system_call_count();
    const std::vector<std::byte> large(4096);
    SendOp send(pair[0], large);
    world.app.start(send);
    world.loop.turn(world.loop.now());
    EXPECT_FALSE(send.is_in_flight());
    EXPECT_EQ(send.result(), 4096);
    EXPECT_EQ(world.platform->system_call_count(), calls_before);
    EXPECT_EQ(world.platform->request_count(), 0u);
    world.close_pairs();
}

TEST(Uring, a_small_send_goes_with_the_next_wait) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = world.pair();
    world.settle();
    const std::vector<std::byte> small(4095);
    SendOp send(pair[0], small);
    world.app.start(send);
    world.loop.turn(world.loop.now());
    EXPECT_EQ(world.platform->request_count(), 1u);
    EXPECT_EQ(world.finish(send), 4095);
    world.close_pairs();
}

TEST(Uring, sends_that_come_together_are_handed_over_together) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const std::array pairs = {world.pair(), world.pair(), world.pair()};
    world.settle();
    const std::vector<std::byte> large(4096);
    std::vector<std::unique_ptr<SendOp>> sends;
    for (const auto& pair : pairs) {
        sends.push_back(std::make_unique<SendOp>(pair[0], large));
        world.app.start(*sends.back());
    }
    world.loop.turn(world.loop.now());
    EXPECT_EQ(world.platform->request_count(), 3u);
    for (const auto& send : sends) EXPECT_EQ(world.finish(*send), 4096);
    world.close_pairs();
}

TEST(Uring, a_large_send_that_comes_alone_into_a_pipe_is_written) {
    GYRE_NEEDS_URING();
    UringWorld world;
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const std::vector<std::byte> large(4096);
    SendOp send(pipe[1], large);
    EXPECT_EQ(world.run(send), 4096);
    for (const Fd fd : pipe) world.platform->environment()->sockets().close_now(fd);
}

TEST(Uring, a_send_that_comes_alone_and_finds_no_room_waits_for_it) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = world.pair();
    const std::vector<std::byte> much(std::size_t{4} << 20u);
    SendOp send(pair[0], much);
    world.settle();
    for (;;) {
        world.app.start(send);
        world.loop.turn(world.loop.now());
        if (send.is_in_flight()) break;
        ASSERT_GT(send.result(), 0);
    }
    EXPECT_EQ(world.platform->request_count(), 1u);
    std::vector<std::byte> taken(much.size());
    ASSERT_GT(::read(pair[1], taken.data(), taken.size()), 0);
    EXPECT_GT(world.finish(send), 0);
    world.close_pairs();
}

}  // namespace
}  // namespace gyre::platform
