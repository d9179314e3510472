// SPDX-License-Identifier: Apache-2.0
// Datagrams: transferred whole or not at all, with their sender, and to which receivers.
#include <memory>

#include "tests/platforms/datagram_world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Datagrams);

using Buffer = std::array<std::byte, 16>;

std::string_view text(const Buffer& buffer, std::int32_t size) {
    return text_of(ConstBytes(buffer).first(static_cast<std::size_t>(size)));
}

constexpr std::array<std::uint8_t, 16> ipv6_loopback = {0, 0, 0, 0, 0, 0, 0, 0,
                                                        0, 0, 0, 0, 0, 0, 0, 1};

// clause: K07
TEST_P(Datagrams, come_whole_one_by_one_with_their_sender) {
    Socket here(*world);
    Socket there(*world);
    EXPECT_EQ(here.send("one", there.address()), 3);
    EXPECT_EQ(here.send("second", there.address()), 6);
    Address from;
    EXPECT_EQ(there.receive(&from), "one");
    EXPECT_EQ(from, here.address());
    EXPECT_EQ(there.receive(&from), "second");
    EXPECT_EQ(from, here.address());
}

TEST_P(Datagrams, a_receive_waits_for_what_comes_later) {
    Socket here(*world);
    Socket there(*world);
    Buffer buffer{};
    ReceiveFromOp op(there.fd(), buffer);
    for (int i = 0; i < 3; ++i) {
        world->app.start(op);
        world->settle();
        EXPECT_TRUE(op.is_in_flight());
        EXPECT_EQ(here.send("later", there.address()), 5);
        ASSERT_EQ(world->finish(op), 5);
        EXPECT_EQ(text(buffer, 5), "later");
        EXPECT_EQ(op.from, here.address());
        EXPECT_FALSE(op.is_truncated);
    }
}

TEST_P(Datagrams, that_are_empty_come_too) {
    Socket here(*world);
    Socket there(*world);
    EXPECT_EQ(here.send("", there.address()), 0);
    EXPECT_EQ(here.send("x", there.address()), 1);
    Address from;
    EXPECT_EQ(there.receive(&from), "");
    EXPECT_EQ(from, here.address());
    EXPECT_EQ(there.receive(), "x");
}

TEST_P(Datagrams, that_do_not_fit_are_cut_off_and_say_so) {
    Socket here(*world);
    Socket there(*world);
    std::array<std::byte, 4> buffer{};
    ReceiveFromOp op(there.fd(), buffer);
    world->app.start(op);
    world->settle();
    EXPECT_EQ(here.send("abcdefg", there.address()), 7);
    EXPECT_EQ(world->finish(op), 4);
    EXPECT_TRUE(op.is_truncated);
    EXPECT_EQ(text_of(buffer), "abcd");
    EXPECT_EQ(here.send("1234", there.address()), 4);
    EXPECT_EQ(world->run(op), 4);  // The rest of the first was discarded.
    EXPECT_FALSE(op.is_truncated);
    EXPECT_EQ(text_of(buffer), "1234");
}

TEST_P(Datagrams, that_are_too_big_are_refused) {
    Socket here(*world);
    Socket there(*world);
    EXPECT_EQ(here.send(std::string(65508, 'x'), there.address()),
              failure(std::errc::message_size));
    EXPECT_EQ(here.send(std::string(65507, 'x'), there.address()), 65507);
    EXPECT_EQ(there.receive().size(), 65507u);
}

TEST_P(Datagrams, receives_on_one_socket_are_served_in_order) {
    Socket here(*world);
    Socket there(*world);
    std::array<Buffer, 20> buffers{};
    std::vector<std::unique_ptr<ReceiveFromOp>> ops;
    for (Buffer& buffer : buffers) {
        ops.push_back(std::make_unique<ReceiveFromOp>(there.fd(), buffer));
        world->app.start(*ops.back());
    }
    world->settle();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        ASSERT_GT(here.send(std::to_string(i), there.address()), 0);
    }
    std::vector<const Op*> started;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        EXPECT_EQ(text(buffers[i], world->finish(*ops[i])), std::to_string(i));
        started.push_back(ops[i].get());
    }
    EXPECT_EQ(world->order_of(started), started);
}

TEST_P(Datagrams, sends_on_one_socket_go_out_in_order) {
    Socket here(*world);
    Socket there(*world);
    std::vector<std::unique_ptr<SendToOp>> ops;
    for (const char* word : {"one", "two", "three", "four"}) {
        ops.push_back(std::make_unique<SendToOp>(here.fd(), bytes_of(word), there.address()));
        world->app.start(*ops.back());
    }
    std::string received;
    for (const auto& op : ops) {
        EXPECT_EQ(world->finish(*op), static_cast<std::int32_t>(op->buffer.size()));
        received += there.receive() + ' ';
    }
    EXPECT_EQ(received, "one two three four ");
}

TEST_P(Datagrams, a_socket_that_sends_gets_a_port_by_itself) {
    Socket there(*world);
    const Socket here(*world, Address::Family::ipv4);
    EXPECT_EQ(here.address().port(), 0);
    EXPECT_EQ(here.send("x", there.address()), 1);
    EXPECT_NE(here.address().port(), 0);
    Address from;
    EXPECT_EQ(there.receive(&from), "x");
    EXPECT_EQ(from.port(), here.address().port());
    EXPECT_EQ(there.send("back", from), 4);
    EXPECT_EQ(here.receive(), "back");
}

TEST_P(Datagrams, go_over_ipv6) {
    Socket here(*world, Address::ipv6(ipv6_loopback, 0));
    Socket there(*world, Address::ipv6(ipv6_loopback, 0));
    EXPECT_EQ(here.send("six", there.address()), 3);
    Address from;
    EXPECT_EQ(there.receive(&from), "six");
    EXPECT_EQ(from, here.address());
}

TEST_P(Datagrams, an_ipv6_socket_takes_ipv4_unless_told_not_to) {
    Socket here(*world);
    Socket both(*world, Address::ipv6({}, 0));
    EXPECT_EQ(here.send("four", Address::loopback(both.address().port())), 4);
    Address from;
    EXPECT_EQ(both.receive(&from), "four");
    EXPECT_EQ(from.family(), Address::Family::ipv6);
    EXPECT_EQ(from.port(), here.address().port());
    EXPECT_EQ(both.send("back", from), 4);
    EXPECT_EQ(here.receive(), "back");

    Socket only(*world, Address::ipv6({}, 0), {.only_ipv6 = true});
    EXPECT_EQ(here.send("four", Address::loopback(only.address().port())), 4);
    EXPECT_FALSE(only.has_one());
    EXPECT_EQ(
        world->sockets().bind(here.fd(), Address::loopback(), {.only_ipv6 = true}).error().code(),
        std::errc::invalid_argument);
}

TEST_P(Datagrams, go_between_unix_sockets) {
    Socket here(*world, World::unix_address("here"));
    Socket there(*world, World::unix_address("there"));
    EXPECT_EQ(here.send("by name", there.address()), 7);
    Address from;
    EXPECT_EQ(there.receive(&from), "by name");
    EXPECT_EQ(from, here.address());
    const Socket nameless(*world, Address::Family::unix_path);
    EXPECT_EQ(nameless.send("without", there.address()), 7);
    EXPECT_EQ(there.receive(&from), "without");
    EXPECT_EQ(from, Address());
    EXPECT_EQ(here.send("x", World::unix_address("nobody")),
              failure(std::errc::connection_refused));
}

// No edge reports that a receiver has room again if the sender is not connected to it.
TEST_P(Datagrams, between_unix_sockets_wait_for_room_and_none_is_lost) {
    for (const bool is_connected : {false, true}) {
        Socket there(*world, World::unix_address("full"));
        const Socket here(*world, Address::Family::unix_path);
        const Address to = is_connected ? Address() : there.address();
        if (is_connected) {
            ASSERT_TRUE(here.connect(there.address()));
        }
        std::vector<std::unique_ptr<SendToOp>> sends;
        do {
            sends.push_back(std::make_unique<SendToOp>(here.fd(), bytes_of("data"), to));
            world->app.start(*sends.back());
            world->settle();
        } while (!sends.back()->is_in_flight());
        SendToOp never(here.fd(), bytes_of("never"), to);
        world->app.start(never);
        world->settle();
        EXPECT_EQ(world->cancel(never), cancelled_result);
        for (const auto& send : sends) {
            EXPECT_EQ(there.receive(), "data");
            EXPECT_EQ(world->finish(*send), 4);
        }
        EXPECT_FALSE(there.has_one());
    }
}

TEST_P(Datagrams, of_a_unix_socket_that_waits_to_send_are_still_received) {
    Socket full(*world, World::unix_address("full"));
    Socket here(*world, World::unix_address("here"));
    Buffer buffer{};
    ReceiveFromOp receive(here.fd(), buffer);
    world->app.start(receive);
    std::vector<std::unique_ptr<SendToOp>> sends;
    do {
        sends.push_back(std::make_unique<SendToOp>(here.fd(), bytes_of("data"), full.address()));
        world->app.start(*sends.back());
        world->settle();
    } while (!sends.back()->is_in_flight());
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(full.send("to you", here.address()), 6);
        EXPECT_EQ(world->finish(receive), 6);
        if (i < 2) world->app.start(receive);
    }
    EXPECT_EQ(world->cancel(*sends.back()), cancelled_result);
}

// ---- Connected ----

TEST_P(Datagrams, a_connected_socket_hears_its_peer_only) {
    Socket here(*world);
    Socket peer(*world);
    Socket other(*world);
    ASSERT_TRUE(here.connect(peer.address()));
    EXPECT_EQ(world->sockets().peer_address(here.fd()).value(), peer.address());
    EXPECT_EQ(other.send("stranger", here.address()), 8);
    EXPECT_EQ(peer.send("friend", here.address()), 6);
    EXPECT_EQ(here.receive(), "friend");
    EXPECT_EQ(here.send("to the peer"), 11);
    EXPECT_EQ(peer.receive(), "to the peer");

    ASSERT_TRUE(here.connect(Address()));
    EXPECT_EQ(world->sockets().peer_address(here.fd()).error().code(), std::errc::not_connected);
    EXPECT_EQ(here.send("x"), failure(std::errc::destination_address_required));
    EXPECT_EQ(other.send("stranger", here.address()), 8);
    EXPECT_EQ(here.receive(), "stranger");
}

TEST_P(Datagrams, a_connect_op_does_what_the_call_does) {
    Socket here(*world);
    Socket there(*world);
    ConnectOp connect(here.fd(), there.address());
    EXPECT_EQ(world->run(connect), 0);
    EXPECT_EQ(here.send("to the peer"), 11);
    EXPECT_EQ(there.receive(), "to the peer");
}

TEST_P(Datagrams, to_nobody_are_refused_where_the_socket_is_connected) {
    Socket here(*world);
    const Address nobody = Address::loopback(1);  // a port that the system assigns to no socket
    EXPECT_EQ(here.send("lost", nobody), 4);
    EXPECT_FALSE(here.has_one());

    ASSERT_TRUE(here.connect(nobody));
    Buffer buffer{};
    ReceiveFromOp waits(here.fd(), buffer);
    world->app.start(waits);
    world->settle();
    EXPECT_EQ(here.send("lost"), 4);
    EXPECT_EQ(world->finish(waits), failure(std::errc::connection_refused));
    EXPECT_EQ(here.send("lost"), 4);
    world->settle();
    // The error is reported once, to the next call.
    EXPECT_EQ(here.send("lost"), failure(std::errc::connection_refused));
    EXPECT_EQ(here.send("lost"), 4);
}

TEST_P(Datagrams, that_find_the_queue_full_are_lost_and_the_first_are_kept) {
    Socket here(*world);
    Socket there(*world);
    const std::string filler(8000, 'x');
    const int sent = 500;
    for (int i = 0; i < sent; ++i) {
        const std::string data = std::to_string(i) + ' ' + filler;
        ASSERT_EQ(here.send(data, there.address()), static_cast<std::int32_t>(data.size()));
    }
    world->settle();
    int received = 0;
    while (there.has_one()) {
        const std::string data = there.receive();
        EXPECT_EQ(data.substr(0, data.find(' ')), std::to_string(received++));
    }
    EXPECT_GT(received, 1);
    EXPECT_LT(received, sent);
    EXPECT_EQ(here.send("room again", there.address()), 10);
    EXPECT_EQ(there.receive(), "room again");
}

TEST_P(Datagrams, a_send_tried_at_once_is_done_or_refused) {
    Socket here(*world);
    Socket there(*world);
    Sockets& sockets = world->sockets();
    EXPECT_EQ(sockets.try_send_to(here.fd(), bytes_of("now"), there.address()).value(), 3u);
    EXPECT_EQ(there.receive(), "now");
    EXPECT_EQ(sockets.try_send_to(here.fd(), bytes_of("x"), Address()).error().code(),
              std::errc::destination_address_required);
    const Socket full(*world, World::unix_address("full"));
    const Socket local(*world, Address::Family::unix_path);
    Result<std::size_t> sent = 0;
    while (sent) sent = sockets.try_send_to(local.fd(), bytes_of("x"), full.address());
    EXPECT_EQ(sent.error().code(), std::errc::resource_unavailable_try_again);
}

TEST_P(Datagrams, a_number_that_names_nothing_is_a_result) {
    Buffer buffer{};
    for (const Fd fd : {-1, 700, 1 << 30}) {
        ReceiveFromOp receive(fd, buffer);
        EXPECT_EQ(world->run(receive), failure(std::errc::bad_file_descriptor));
        SendToOp send(fd, buffer, Address::loopback(9));
        EXPECT_EQ(world->run(send), failure(std::errc::bad_file_descriptor));
    }
}

TEST_P(Datagrams, a_poll_tells_of_a_datagram) {
    Socket here(*world);
    Socket there(*world);
    PollOp poll(there.fd(), Events::readable);
    world->app.start(poll);
    world->settle();
    EXPECT_TRUE(poll.is_in_flight());
    EXPECT_EQ(here.send("x", there.address()), 1);
    EXPECT_EQ(world->finish(poll), static_cast<std::int32_t>(Events::readable));
}

}  // namespace
}  // namespace gyre::test
