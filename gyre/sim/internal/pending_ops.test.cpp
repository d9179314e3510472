// SPDX-License-Identifier: Apache-2.0
// How ops on simulated descriptors are cancelled, closed and watched.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "gyre/io/environment.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/sim/test_net.test.hpp"

namespace gyre::sim {
namespace {

// ---- Cancelling and closing ----

TEST(SimCancel, a_cancelled_receive_takes_nothing) {
    Net net;
    const Pair pair = net.unix_pair();
    ReceiveOp receive(pair.server, net.buffer);
    net.app.start(receive);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    net.app.stop(receive);
    net.settle();
    EXPECT_TRUE(receive.is_cancelled());
    EXPECT_EQ(net.send(pair.client, "kept"), 4);
    EXPECT_EQ(net.receive(pair.server), 4);
}

TEST(SimCancel, a_cancelled_accept_leaves_the_connection_for_the_next) {
    Net net;
    const Fd listener = net.listen(Address::loopback(80));
    AcceptOp accept(listener);
    net.app.start(accept);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    net.app.stop(accept);
    net.settle();
    EXPECT_TRUE(accept.is_cancelled());
    const Fd client = net.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(net.connect(client, Address::loopback(80)), 0);
    EXPECT_GT(net.accept(listener), 0);
}

TEST(SimCancel, a_cancelled_connect_leaves_a_fresh_socket_at_whatever_moment) {
    for (int turns = 0; turns < 8; ++turns) {
        Net net;
        const Fd listener = net.listen(Address::loopback(80));
        const Fd client = net.sockets().stream(Address::Family::ipv4).value();
        ConnectOp connect(client, Address::loopback(80));
        net.app.start(connect);
        for (int i = 0; i < turns; ++i) net.loop.turn();
        net.app.stop(connect);
        net.settle();
        if (connect.result() == 0) {
            EXPECT_EQ(net.connect(client, Address::loopback(80)),
                      number(std::errc::already_connected));
            continue;
        }
        EXPECT_TRUE(connect.is_cancelled());
        EXPECT_EQ(net.connect(client, Address::loopback(80)), 0);
        const Fd server = net.accept(listener);
        EXPECT_GT(server, 0);
    }
}

TEST(SimCancel, closing_a_descriptor_gives_its_ops_back_first) {
    Net net;
    const Pair pair = net.unix_pair();
    ReceiveOp receive(pair.server, net.buffer);
    PollOp poll(pair.server, Events::readable);
    ReadinessOp readiness(pair.server, Events::readable);
    CloseOp close(pair.server);
    for (Op* op : std::initializer_list<Op*>{&receive, &poll, &readiness}) net.app.start(*op);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    net.app.start(close);
    net.settle();
    ASSERT_EQ(net.app.done.size(), 4u);
    EXPECT_EQ(net.app.done.back(), &close);
    EXPECT_EQ(close.result(), 0);
    EXPECT_TRUE(receive.is_cancelled());
    EXPECT_TRUE(poll.is_cancelled());
    EXPECT_TRUE(readiness.is_cancelled());
}

TEST(SimCancel, what_was_sent_before_a_close_is_sent_and_what_comes_after_it_is_refused) {
    Net net;
    const Pair pair = net.unix_pair();
    SendOp before(pair.client, bytes_of("before"));
    CloseOp close(pair.client);
    SendOp after(pair.client, bytes_of("after"));
    for (Op* op : std::initializer_list<Op*>{&before, &close, &after}) net.app.start(*op);
    net.settle();
    EXPECT_EQ(before.result(), 6);
    EXPECT_EQ(close.result(), 0);
    EXPECT_EQ(after.result(), number(std::errc::bad_file_descriptor));
    EXPECT_EQ(net.receive(pair.server), 6);
    EXPECT_EQ(net.receive(pair.server), 0);
}

TEST(SimCancel, a_loop_that_closes_gets_back_what_the_platform_holds) {
    VirtualClock clock;
    SimPlatform platform(clock);
    class Closing : public TestApp {
    public:
        std::vector<Op*> open;

    private:
        void on_close() override {
            for (Op* op : open) stop(*op);
        }
    } app;
    Loop loop(platform, app);
    const auto pair = platform.environment()->sockets().connection_pair().value();
    std::array<std::byte, 8> memory{};
    ReceiveOp receive(pair[0], memory);
    SignalOp signal(2);
    OpenOp open("/x");
    app.open = {&receive, &signal, &open};
    for (Op* op : app.open) app.start(*op);
    loop.turn();
    loop.close();
    for (Op* op : app.open) EXPECT_TRUE(op->is_cancelled());
}

// ---- Watching ----

TEST(SimWatch, a_poll_tells_what_is_ready) {
    Net net;
    const Pair pair = net.connected();
    const auto value = [](Events events) { return static_cast<std::int32_t>(events); };
    EXPECT_EQ(net.poll(pair.server, Events::writable), value(Events::writable));
    PollOp readable(pair.server, Events::readable);
    net.app.start(readable);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    EXPECT_EQ(net.send(pair.client, "x"), 1);
    net.settle();
    EXPECT_EQ(readable.result(), value(Events::readable));
    EXPECT_EQ(net.poll(pair.server, Events::readable), value(Events::readable));

    EXPECT_EQ(net.receive(pair.server), 1);
    EXPECT_EQ(net.close(pair.client), 0);
    EXPECT_EQ(net.poll(pair.server, Events::readable), value(Events::readable | Events::hang_up));
}

TEST(SimWatch, readiness_rings_for_what_is_there_and_then_for_each_change) {
    Net net;
    const Pair pair = net.unix_pair();
    ReadinessOp readiness(pair.server, Events::readable | Events::writable);
    net.app.start(readiness);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    EXPECT_EQ(net.app.rung.size(), 1u);
    EXPECT_EQ(readiness.take_events(), Events::writable);

    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(net.send(pair.client, "x"), 1);
        EXPECT_EQ(net.loop.run(), Loop::End::stuck);
        EXPECT_EQ(net.app.rung.size(), static_cast<std::size_t>(2 + i));
        EXPECT_TRUE(any(readiness.take_events() & Events::readable));
    }
    net.app.stop(readiness);
    net.settle();
    EXPECT_TRUE(readiness.is_cancelled());
}

TEST(SimWatch, readiness_rings_when_a_full_stream_has_room_again) {
    Net net(SimOptions{.stream_buffer_bytes = 4});
    const Pair pair = net.unix_pair();
    EXPECT_EQ(net.send(pair.client, "01234"), 4);
    ReadinessOp readiness(pair.client, Events::writable);
    net.app.start(readiness);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    EXPECT_TRUE(net.app.rung.empty());
    EXPECT_EQ(net.receive(pair.server), 4);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    EXPECT_EQ(readiness.take_events(), Events::writable);
    net.app.stop(readiness);
    net.settle();
}

TEST(SimWatch, a_receive_ring_rings_until_the_stream_ends_and_counts_what_is_lost) {
    Net net;
    const Pair pair = net.unix_pair();
    std::array<std::byte, 4> memory{};
    ByteRing ring(memory);
    ReceiveRingOp receive(pair.server, ring, OverflowPolicy::drop_newest);
    net.app.start(receive);
    EXPECT_EQ(net.send(pair.client, "abc"), 3);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    EXPECT_EQ(net.app.rung.size(), 1u);
    EXPECT_EQ(net.send(pair.client, "defg"), 4);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    EXPECT_EQ(receive.stats.received_bytes, 7u);
    EXPECT_EQ(receive.stats.lost_bytes, 3u);
    EXPECT_EQ(receive.stats.overflows, 1u);

    std::array<std::byte, 8> got{};
    EXPECT_EQ(ring.read(got), 4u);
    EXPECT_EQ(text_of(Bytes(got).first(4)), "abcd");
    EXPECT_EQ(net.close(pair.client), 0);
    net.settle();
    EXPECT_EQ(receive.result(), 0);
}

}  // namespace
}  // namespace gyre::sim
