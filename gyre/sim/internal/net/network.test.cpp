// SPDX-License-Identifier: Apache-2.0
// The simulated network through ops: results and error numbers as Linux gives them.
#include "gyre/sim/internal/net/network.hpp"
#include "gyre/io/socket_ops.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <numeric>
#include <string>

#include "gyre/sim/test_net.test.hpp"

namespace gyre::sim {
namespace {

using namespace std::chrono_literals;

TEST(SimNetwork, carries_bytes_both_ways) {
    for (const Address& at :
         {Address::loopback(), Address::ipv6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0),
          Address::unix_path("/run/x").value()}) {
        Net net;
        const Pair pair = net.connected(at);
        EXPECT_EQ(net.send(pair.client, "ping"), 4);
        EXPECT_EQ(net.receive(pair.server), 4);
        EXPECT_EQ(net.received, "ping");
        EXPECT_EQ(net.send(pair.server, "pong!"), 5);
        EXPECT_EQ(net.receive(pair.client), 5);
        EXPECT_EQ(net.received, "pong!");
    }
}

TEST(SimNetwork, tells_addresses) {
    Net net;
    const Fd listener = net.listen();
    const Address there = net.sockets().local_address(listener).value();
    EXPECT_GE(there.port(), 32768);
    const Fd client = net.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(net.sockets().local_address(client).value(), Address::ipv4({}, 0));
    ASSERT_EQ(net.connect(client, there), 0);
    AcceptOp accept(listener);
    const Fd server = net.result_of(accept);
    EXPECT_EQ(accept.peer, net.sockets().local_address(client).value());
    EXPECT_EQ(net.sockets().local_address(server).value(), there);
    EXPECT_EQ(net.sockets().local_address(99).error(), Error(std::errc::bad_file_descriptor));
}

TEST(SimNetwork, a_listener_on_any_ipv6_address_takes_ipv4_too) {
    Net net;
    const Fd listener = net.listen(Address::ipv6({}, 8080));
    const Fd client = net.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(net.connect(client, Address::loopback(8080)), 0);
    AcceptOp accept(listener);
    EXPECT_GT(net.result_of(accept), 0);
    EXPECT_EQ(accept.peer.to_string().substr(0, 12), "[::ffff:7f00");
}

TEST(SimNetwork, connecting_to_nobody_is_refused_and_can_be_tried_again) {
    Net net;
    const Fd client = net.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(net.connect(client, Address::loopback(8080)), number(std::errc::connection_refused));
    const Fd listener = net.listen(Address::loopback(8080));
    EXPECT_EQ(net.connect(client, Address::loopback(8080)), 0);
    EXPECT_GT(net.accept(listener), 0);
}

TEST(SimNetwork, a_unix_path_that_is_not_there_and_one_that_nobody_serves_differ) {
    Net net;
    const Address path = Address::unix_path("/run/x").value();
    const Fd client = net.sockets().stream(Address::Family::unix_path).value();
    EXPECT_EQ(net.connect(client, path), number(std::errc::no_such_file_or_directory));
    net.sockets().close_now(net.listen(path));
    EXPECT_EQ(net.connect(client, path), number(std::errc::connection_refused));
    EXPECT_EQ(net.sockets().listen(path, {}).error(), Error(std::errc::address_in_use));
}

TEST(SimNetwork, an_address_in_use_is_refused_unless_both_share_it) {
    Net net;
    const ListenOptions shared{.share_port = true};
    (void)net.listen(Address::loopback(80));
    EXPECT_EQ(net.sockets().listen(Address::loopback(80), {}).error(),
              Error(std::errc::address_in_use));
    EXPECT_EQ(net.sockets().listen(Address::ipv4({}, 80), shared).error(),
              Error(std::errc::address_in_use));
    (void)net.listen(Address::loopback(81), shared);
    EXPECT_TRUE(net.sockets().listen(Address::loopback(81), shared));
    EXPECT_EQ(net.sockets().listen(Address::ipv4({10, 1, 2, 3}, 82), {}).error(),
              Error(std::errc::address_not_available));
}

TEST(SimNetwork, ops_on_a_descriptor_that_is_not_open_fail) {
    Net net;
    const std::int32_t bad = number(std::errc::bad_file_descriptor);
    EXPECT_EQ(net.receive(77), bad);
    EXPECT_EQ(net.send(77, "x"), bad);
    EXPECT_EQ(net.accept(-1), bad);
    EXPECT_EQ(net.connect(77, Address::loopback(1)), bad);
    EXPECT_EQ(net.close(77), bad);
    EXPECT_EQ(net.poll(77, Events::readable), bad);
    ReadinessOp readiness(77, Events::readable);
    EXPECT_EQ(net.result_of(readiness), bad);
    EXPECT_EQ(net.sockets().end_sending(77).error(), Error(std::errc::bad_file_descriptor));
}

TEST(SimNetwork, calls_that_do_not_fit_the_state_of_a_socket_fail_as_on_linux) {
    Net net;
    const Fd fresh = net.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(net.receive(fresh), number(std::errc::not_connected));
    EXPECT_EQ(net.send(fresh, "x"), number(std::errc::broken_pipe));
    EXPECT_EQ(net.accept(fresh), number(std::errc::invalid_argument));
    EXPECT_EQ(net.sockets().end_sending(fresh).error(), Error(std::errc::not_connected));
    EXPECT_EQ(net.connect(fresh, Address::ipv6({}, 80)),
              number(std::errc::address_family_not_supported));

    const Fd fresh_unix = net.sockets().stream(Address::Family::unix_path).value();
    EXPECT_EQ(net.receive(fresh_unix), number(std::errc::invalid_argument));
    EXPECT_EQ(net.send(fresh_unix, "x"), number(std::errc::not_connected));

    const Pair pair = net.connected();
    EXPECT_EQ(net.connect(pair.client, Address::loopback(80)),
              number(std::errc::already_connected));
    const Fd listener = net.listen();
    EXPECT_EQ(net.receive(listener), number(std::errc::not_connected));
    EXPECT_EQ(net.send(listener, "x"), number(std::errc::broken_pipe));
}

TEST(SimNetwork, descriptors_are_the_lowest_free_numbers) {
    Net net;
    const auto next = [&net] { return net.sockets().stream(Address::Family::ipv4).value(); };
    EXPECT_EQ(next(), 3);
    EXPECT_EQ(next(), 4);
    EXPECT_EQ(next(), 5);
    EXPECT_EQ(net.close(4), 0);
    EXPECT_EQ(next(), 4);
    EXPECT_EQ(next(), 6);
}

TEST(SimNetwork, a_process_out_of_descriptors_gets_no_more_but_its_accepts_wait_and_recover) {
    Net net(SimOptions{.descriptor_count_max = 6});
    const Fd listener = net.listen(Address::loopback(80));
    const Fd client = net.sockets().stream(Address::Family::ipv4).value();
    const Fd other = net.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(net.sockets().stream(Address::Family::ipv4).error(),
              Error(std::errc::too_many_files_open));
    EXPECT_EQ(net.sockets().connection_pair().error(), Error(std::errc::too_many_files_open));

    ASSERT_EQ(net.connect(client, Address::loopback(80)), 0);
    AcceptOp accept(listener);
    net.app.start(accept);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    EXPECT_TRUE(accept.is_in_flight());

    EXPECT_EQ(net.close(other), 0);
    net.settle();
    EXPECT_EQ(accept.result(), other);
}

TEST(SimNetwork, after_the_end_of_sending_the_peer_reads_the_rest_and_then_the_end) {
    for (const bool is_tcp : {true, false}) {
        Net net;
        const Pair pair = is_tcp ? net.connected() : net.unix_pair();
        EXPECT_EQ(net.send(pair.client, "last"), 4);
        EXPECT_TRUE(net.sockets().end_sending(pair.client));
        EXPECT_EQ(net.send(pair.client, "more"), number(std::errc::broken_pipe));
        EXPECT_EQ(net.receive(pair.server), 4);
        EXPECT_EQ(net.receive(pair.server), 0);
        EXPECT_EQ(net.receive(pair.server), 0);
        EXPECT_EQ(net.send(pair.server, "reply"), 5);
        EXPECT_EQ(net.receive(pair.client), 5);
    }
}

TEST(SimNetwork, closing_with_unread_bytes_resets_the_connection_once) {
    for (const bool is_tcp : {true, false}) {
        Net net;
        const Pair pair = is_tcp ? net.connected() : net.unix_pair();
        EXPECT_EQ(net.send(pair.client, "unread"), 6);
        EXPECT_EQ(net.send(pair.server, "read first"), 10);
        EXPECT_EQ(net.close(pair.server), 0);
        net.pass_time();
        EXPECT_EQ(net.receive(pair.client), 10);
        EXPECT_EQ(net.receive(pair.client), number(std::errc::connection_reset));
        EXPECT_EQ(net.receive(pair.client), 0);
        EXPECT_EQ(net.send(pair.client, "x"), number(std::errc::broken_pipe));
    }
}

TEST(SimNetwork, sending_to_a_closed_peer_breaks_tcp_at_the_second_try_and_unix_at_the_first) {
    Net net;
    const Pair tcp = net.connected();
    EXPECT_EQ(net.close(tcp.server), 0);
    EXPECT_EQ(net.receive(tcp.client), 0);
    EXPECT_EQ(net.send(tcp.client, "x"), 1);
    net.pass_time();
    EXPECT_EQ(net.send(tcp.client, "x"), number(std::errc::broken_pipe));
    EXPECT_EQ(net.receive(tcp.client), 0);

    const Pair local = net.unix_pair();
    EXPECT_EQ(net.close(local.server), 0);
    EXPECT_EQ(net.send(local.client, "x"), number(std::errc::broken_pipe));
}

TEST(SimNetwork, closing_a_listener_resets_connections_that_nobody_accepted) {
    Net net;
    const Fd listener = net.listen(Address::loopback(80));
    const Fd client = net.sockets().stream(Address::Family::ipv4).value();
    ASSERT_EQ(net.connect(client, Address::loopback(80)), 0);
    EXPECT_EQ(net.close(listener), 0);
    EXPECT_EQ(net.receive(client), number(std::errc::connection_reset));
}

TEST(SimNetwork, a_full_stream_takes_what_fits_and_then_lets_the_sender_wait) {
    Net net(SimOptions{.stream_buffer_bytes = 10});
    const Pair pair = net.unix_pair();
    EXPECT_EQ(net.send(pair.client, "0123456789ABCDEF"), 10);
    SendOp blocked(pair.client, bytes_of("ABCDEF"));
    net.app.start(blocked);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    EXPECT_TRUE(blocked.is_in_flight());

    EXPECT_EQ(net.receive(pair.server), 10);
    net.settle();
    EXPECT_EQ(blocked.result(), 6);
    EXPECT_EQ(net.receive(pair.server), 6);
    EXPECT_EQ(net.received, "ABCDEF");
}

TEST(SimNetwork, a_waiting_send_ends_when_the_peer_closes) {
    Net net(SimOptions{.stream_buffer_bytes = 4});
    const Pair pair = net.unix_pair();
    EXPECT_EQ(net.send(pair.client, "0123"), 4);
    SendOp blocked(pair.client, bytes_of("4"));
    net.app.start(blocked);
    EXPECT_EQ(net.loop.run(), Loop::End::stuck);
    net.sockets().close_now(pair.server);
    net.settle();
    EXPECT_EQ(blocked.result(), number(std::errc::broken_pipe));
}

TEST(SimNetwork, ops_of_one_side_are_served_in_their_order) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Net net(SimOptions{.seed = seed, .short_transfer_one_in = 2});
        const Pair pair = net.unix_pair();
        std::array<char, 3> a{};
        std::array<char, 3> b{};
        ReceiveOp first(pair.server, std::as_writable_bytes(std::span(a)));
        ReceiveOp second(pair.server, std::as_writable_bytes(std::span(b)));
        SendOp one(pair.client, bytes_of("1"));
        SendOp two(pair.client, bytes_of("2"));
        for (Op* op : std::initializer_list<Op*>{&first, &second, &one, &two}) net.app.start(*op);
        while (!first.result()) net.loop.turn();
        EXPECT_EQ(a[0], '1');
        net.app.stop(second);
        net.settle();
    }
}

TEST(SimNetwork, every_byte_arrives_in_order_however_short_the_transfers) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Net net(SimOptions{.seed = seed, .stream_buffer_bytes = 64, .short_transfer_one_in = 2});
        const Pair pair = net.connected();
        std::string sent(1000, ' ');
        std::iota(sent.begin(), sent.end(), char{0});
        std::string got;
        std::string_view left = sent;
        while (got.size() < sent.size()) {
            if (!left.empty()) {
                SendOp send(pair.client, bytes_of(left));
                net.app.start(send);
                while (send.is_in_flight()) {
                    net.receive(pair.server);
                    got += net.received;
                }
                left.remove_prefix(static_cast<std::size_t>(send.result()));
            } else {
                net.receive(pair.server);
                got += net.received;
            }
        }
        EXPECT_EQ(got, sent);
    }
}

TEST(SimNetwork, a_connect_that_finds_the_backlog_full_waits) {
    for (const Address& at : {Address::loopback(80), Address::unix_path("/run/x").value()}) {
        Net net;
        const Fd listener = net.listen(at, {.backlog = 0});
        const Fd first = net.sockets().stream(at.family()).value();
        EXPECT_EQ(net.connect(first, at), 0);
        const Fd second = net.sockets().stream(at.family()).value();
        ConnectOp waiting(second, at);
        net.app.start(waiting);
        TimerOp pause(net.clock.peek() + 500ms);
        (void)net.result_of(pause);
        EXPECT_TRUE(waiting.is_in_flight());
        EXPECT_GT(net.accept(listener), 0);
        net.settle();
        EXPECT_EQ(waiting.result(), 0);
    }
}

TEST(SimNetwork, a_tcp_connect_to_a_listener_that_never_accepts_times_out) {
    Net net;
    (void)net.listen(Address::loopback(80), {.backlog = 0});
    const Fd first = net.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(net.connect(first, Address::loopback(80)), 0);
    const Fd second = net.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(net.connect(second, Address::loopback(80)), number(std::errc::timed_out));
}

}  // namespace
}  // namespace gyre::sim
