// SPDX-License-Identifier: Apache-2.0
// Datagrams, and descriptors passed over a Unix socket.
#include "gyre/net/datagram.hpp"

#include <array>
#include <chrono>

#include "gyre/io/environment.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre::net {
namespace {

using namespace std::chrono_literals;

GYRE_NET_SUITE(Datagrams);
GYRE_NET_SUITE(Passing);

using Buffer = std::array<std::byte, 16>;

std::string text(const Buffer& buffer, std::size_t size) {
    return std::string(text_of(ConstBytes(buffer).first(size)));
}

TEST_P(Datagrams, come_whole_with_their_sender) {
    run([]() -> Future<void> {
        const Datagram server = co_await bind_datagram(Address::loopback());
        const Datagram client = co_await bind_datagram(Address::loopback());
        const Address at = server.local_address().value();
        co_await client.send_to(bytes_of("one"), at);
        co_await client.send_to({}, at);
        co_await client.send_to(bytes_of("more than sixteen"), at);
        Buffer buffer{};
        Received got = co_await server.receive_from(buffer);
        EXPECT_EQ(text(buffer, got.size), "one");
        EXPECT_EQ(got.from, client.local_address().value());
        got = co_await server.receive_from(buffer);
        EXPECT_EQ(got.size, 0u);
        EXPECT_FALSE(got.is_truncated);
        got = co_await server.receive_from(buffer);
        EXPECT_EQ(text(buffer, got.size), "more than sixtee");
        EXPECT_TRUE(got.is_truncated);
    });
}

TEST_P(Datagrams, of_the_unix_kind_go_to_a_path) {
    const Address at = unix_address("datagrams");
    run([at]() -> Future<void> {
        const Datagram server = co_await bind_datagram(at);
        const Datagram client = co_await open_datagram(Address::Family::unix_path);
        co_await client.send_to(bytes_of("hello"), at);
        Buffer buffer{};
        const Received got = co_await server.receive_from(buffer);
        EXPECT_EQ(text(buffer, got.size), "hello");
    });
}

TEST_P(Datagrams, a_connected_socket_is_told_that_nobody_is_there) {
    run([]() -> Future<void> {
        // Nothing listens on this port.
        const Datagram client = co_await connect_datagram(Address::loopback(1));
        co_await client.send(bytes_of("anyone?"));
        Buffer buffer{};
        const auto got = co_await try_(client.receive_from(buffer));
        EXPECT_EQ(got.error(), Error(std::errc::connection_refused));
    });
}

TEST_P(Datagrams, a_cancelled_receive_leaves_the_datagram) {
    run([]() -> Future<void> {
        const Datagram server = co_await bind_datagram(Address::loopback());
        Buffer buffer{};
        const auto late = co_await try_(timeout(server.receive_from(buffer), 1ms));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        const Datagram client = co_await connect_datagram(server.local_address().value());
        co_await client.send(bytes_of("later"));
        const Received got = co_await server.receive_from(buffer);
        EXPECT_EQ(text(buffer, got.size), "later");
    });
}

TEST_P(Datagrams, an_address_in_use_is_an_error_that_names_it) {
    run([]() -> Future<void> {
        const Datagram first = co_await bind_datagram(Address::loopback());
        const Address at = first.local_address().value();
        std::string said;
        try {
            static_cast<void>(co_await bind_datagram(at));
        } catch (const std::system_error& e) {
            said = e.what();
            EXPECT_EQ(e.code(), std::errc::address_in_use);
        }
        EXPECT_NE(said.find(at.to_string()), std::string::npos) << said;
    });
}

// One end of a pair is passed; bytes written to it afterwards arrive at the other end.
TEST_P(Passing, a_descriptor_works_where_it_arrives) {
    const int before = descriptor_count();
    run([this]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        auto [passed, kept] = co_await connection_pair();
        const std::array<Fd, 1> own{passed.fd()};
        EXPECT_EQ(co_await pass_descriptors(near, bytes_of("here"), own), 4u);
        Buffer buffer{};
        std::array<Fd, 3> numbers{};
        const Passed got = co_await receive_descriptors(far, buffer, numbers);
        EXPECT_EQ(text(buffer, got.size), "here");
        EXPECT_EQ(got.count, 1u);
        EXPECT_FALSE(got.is_cut_off);
        co_await passed.aclose();
        const Connection arrived(loop().platform().environment()->sockets(), numbers[0]);
        co_await arrived.write(bytes_of("alive"));
        EXPECT_EQ(co_await kept.read(buffer), 5u);
        EXPECT_EQ(text(buffer, 5), "alive");
    });
    EXPECT_EQ(descriptor_count(), before);
}

TEST_P(Passing, what_has_no_room_is_closed_and_told) {
    const int before = descriptor_count();
    run([this]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        const std::array<Fd, 3> three{near.fd(), near.fd(), near.fd()};
        EXPECT_EQ(co_await pass_descriptors(near, bytes_of("x"), three), 1u);
        Buffer buffer{};
        std::array<Fd, 1> numbers{};
        const Passed got = co_await receive_descriptors(far, buffer, numbers);
        EXPECT_EQ(got.count, 1u);
        EXPECT_TRUE(got.is_cut_off);
        loop().platform().environment()->sockets().close_now(numbers[0]);
        const std::array<Fd, 17> many{};
        const auto refused = co_await try_(pass_descriptors(near, bytes_of("x"), many));
        EXPECT_EQ(refused.error(), Error(std::errc::argument_list_too_long));
        co_await near.aclose();
        const Passed end = co_await receive_descriptors(far, buffer, numbers);
        EXPECT_EQ(end.size, 0u);
    });
    EXPECT_EQ(descriptor_count(), before);
}

// Received descriptors belong to the await until it returns them.
TEST_P(Passing, a_loop_that_closes_leaves_no_received_descriptor) {
    const int before = descriptor_count();
    for (int turns = 0; turns < 6; ++turns) {
        std::array<Fd, 1> numbers{-1};
        bool is_taken = false;
        spawn([&]() -> Future<void> {
            auto [near, far] = co_await connection_pair();
            const std::array<Fd, 1> own{near.fd()};
            static_cast<void>(co_await pass_descriptors(near, bytes_of("x"), own));
            Buffer buffer{};
            static_cast<void>(co_await receive_descriptors(far, buffer, numbers));
            is_taken = true;
        });
        Sockets& sockets = loop().platform().environment()->sockets();
        for (int i = 0; i <= turns; ++i) loop().turn(loop().now() + 1ms);
        close_loop();
        if (is_taken) sockets.close_now(numbers[0]);
        EXPECT_EQ(descriptor_count(), before) << turns;
        make_world({});
    }
}

}  // namespace
}  // namespace gyre::net
