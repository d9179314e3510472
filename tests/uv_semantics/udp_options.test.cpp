// SPDX-License-Identifier: Apache-2.0
// Options, groups, addresses and descriptors of Udp, as libuv's test-udp-options.c,
// test-udp-multicast-*.c, test-udp-bind.c, test-udp-open.c and others pin them. Each test names the
// one it restates.
#include <array>
#include <memory>

#include "gyre/handle/udp.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

class UvUdpOptions : public testing::TestWithParam<std::string> {
protected:
    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
    std::array<std::byte, 64> buffer{};
    std::array<std::byte, 64> other_buffer{};

    // Runs until the handle has something, and returns it.
    std::string receive(Udp& handle) {
        std::string got;
        bool came = false;
        EXPECT_TRUE(handle
                        .receive_start(buffer,
                                       [&](Udp& self, Result<Udp::Received> one) {
                                           got = text_of(one.value().data);
                                           came = true;
                                           self.receive_stop();
                                       })
                        .get());
        while (!came) loop.run(RunMode::once);
        return got;
    }
};
INSTANTIATE_TEST_SUITE_P(platforms, UvUdpOptions, testing::ValuesIn(test::every_platform_here()),
                         [](const auto& test) { return test.param; });

constexpr auto bad = std::errc::bad_file_descriptor;
constexpr auto invalid = std::errc::invalid_argument;

// test-udp-bind.c: udp_bind
TEST_P(UvUdpOptions, an_address_has_one_handle) {
    test::Live<Udp> first(loop);
    test::Live<Udp> second(loop);
    ASSERT_TRUE(first->bind(Address::loopback()).get());
    const Address at = first->local_address().value();
    EXPECT_EQ(second->bind(at).get().error().code(), std::errc::address_in_use);
    EXPECT_EQ(second->fd(), -1);
    EXPECT_EQ(first->bind(Address::loopback()).get().error().code(), invalid);
    EXPECT_TRUE(second->bind(Address::loopback()).get());
    EXPECT_NE(second->local_address().value(), at);
}

// test-udp-bind.c: udp_bind_reuseaddr
TEST_P(UvUdpOptions, an_address_has_several_handles_that_all_say_so) {
    test::Live<Udp> first(loop);
    test::Live<Udp> second(loop);
    const BindOptions shares{.share_address = true};
    ASSERT_TRUE(first->bind(Address::loopback(), shares).get());
    EXPECT_TRUE(second->bind(first->local_address().value(), shares).get());
}

// test-udp-reuseport.c: udp_reuseport_loop_multiple
TEST_P(UvUdpOptions, of_handles_that_share_a_port_one_gets_each_datagram) {
    test::Live<Udp> first(loop);
    test::Live<Udp> second(loop);
    const BindOptions shares{.share_port = true};
    ASSERT_TRUE(first->bind(Address::loopback(), shares).get());
    const Address at = first->local_address().value();
    ASSERT_TRUE(second->bind(at, shares).get());
    int got = 0;
    const auto count = [&](Udp&, Result<Udp::Received>) { ++got; };
    first->receive_start(buffer, count);
    second->receive_start(other_buffer, count);
    std::array<std::unique_ptr<test::Live<Udp>>, 10> senders;  // Each another flow.
    for (auto& sender : senders) {
        sender = std::make_unique<test::Live<Udp>>(loop);
        EXPECT_TRUE((*sender)->try_send(bytes_of("x"), at).get());
    }
    while (got < 10) loop.run(RunMode::once);
    for (int i = 0; i < 5; ++i) loop.run(RunMode::no_wait);
    EXPECT_EQ(got, 10);
}

// test-getsockname.c: getsockname_udp
TEST_P(UvUdpOptions, says_where_it_is) {
    test::Live<Udp> handle(loop);
    EXPECT_EQ(handle->local_address().error().code(), bad);
    ASSERT_TRUE(handle->bind(Address::loopback()).get());
    EXPECT_EQ(handle->local_address().value().ip(), Address::loopback().ip());
    EXPECT_NE(handle->local_address().value().port(), 0);
}

// test-udp-create-socket-early.c: udp_create_early_bad_domain, udp_create_early_bad_bind
TEST_P(UvUdpOptions, a_socket_keeps_the_family_it_was_made_for) {
    test::Live<Udp> handle(loop);
    EXPECT_EQ(handle->bind(Address()).get().error().code(),
              std::errc::address_family_not_supported);
    ASSERT_TRUE(handle->bind(Address::loopback()).get());
    EXPECT_FALSE(handle->connect(Address::ipv6({}, 9)).get());
    EXPECT_FALSE(handle->is_connected());
    EXPECT_EQ(handle->connect(Address()).get().error().code(),
              std::errc::address_family_not_supported);
}

// test-udp-open.c: udp_open, udp_open_twice and udp_open_bound
TEST_P(UvUdpOptions, takes_over_a_socket_once) {
    test::Live<Udp> handle(loop);
    test::Live<Udp> sender(loop);
    const Fd fd = loop.sockets().datagram(Address::Family::ipv4).value();
    ASSERT_TRUE(loop.sockets().bind(fd, Address::loopback(), {}));
    EXPECT_EQ(handle->open(-1).get().error().code(), bad);
    ASSERT_TRUE(handle->open(fd).get());
    EXPECT_EQ(handle->fd(), fd);
    EXPECT_FALSE(handle->is_connected());
    EXPECT_EQ(handle->open(fd).get().error().code(), std::errc::device_or_resource_busy);
    EXPECT_TRUE(sender->try_send(bytes_of("x"), handle->local_address().value()).get());
    EXPECT_EQ(receive(*handle), "x");
}

// test-udp-open.c: udp_open_connect
TEST_P(UvUdpOptions, knows_of_a_socket_it_takes_over_whether_it_is_connected) {
    test::Live<Udp> server(loop);
    test::Live<Udp> handle(loop);
    ASSERT_TRUE(server->bind(Address::loopback()).get());
    const Address at = server->local_address().value();
    const Fd fd = loop.sockets().datagram(Address::Family::ipv4).value();
    ASSERT_TRUE(loop.sockets().connect_datagram(fd, at));
    ASSERT_TRUE(handle->open(fd).get());
    EXPECT_TRUE(handle->is_connected());
    EXPECT_EQ(handle->connect(at).get().error().code(), std::errc::already_connected);
    EXPECT_EQ(handle->try_send(bytes_of("PING"), Address()).get().value(), 4u);
    EXPECT_EQ(receive(*server), "PING");
}

// test-udp-options.c: udp_options and udp_options6
TEST_P(UvUdpOptions, take_what_makes_sense_and_refuse_the_rest) {
    const std::array<Address, 2> places = {Address::ipv4({}, 0), Address::ipv6({}, 0)};
    for (const Address& at : places) {
        test::Live<Udp> handle(loop);
        handle->unref();
        ASSERT_TRUE(handle->bind(at).get());
        EXPECT_TRUE(handle->set_broadcast(true).get());
        EXPECT_TRUE(handle->set_broadcast(true).get());
        EXPECT_TRUE(handle->set_broadcast(false).get());
        for (const int ttl : {1, 128, 255}) EXPECT_TRUE(handle->set_ttl(ttl).get());
        for (const int ttl : {-1, 0, 256, 500}) {
            EXPECT_EQ(handle->set_ttl(ttl).get().error().code(), invalid);
        }
        EXPECT_TRUE(handle->set_multicast_loopback(true).get());
        EXPECT_TRUE(handle->set_multicast_loopback(false).get());
        for (const int ttl : {0, 1, 255}) EXPECT_TRUE(handle->set_multicast_ttl(ttl).get());
        for (const int ttl : {-2, 256, 500}) {
            EXPECT_EQ(handle->set_multicast_ttl(ttl).get().error().code(), invalid);
        }
        EXPECT_EQ(handle->peer_address().error().code(), std::errc::not_connected);
        EXPECT_FALSE(loop.run());
    }
}

// test-udp-options.c: udp_no_autobind
TEST_P(UvUdpOptions, do_not_make_a_socket) {
    test::Live<Udp> handle(loop);
    EXPECT_EQ(handle->set_multicast_ttl(32).get().error().code(), bad);
    EXPECT_EQ(handle->set_broadcast(true).get().error().code(), bad);
    EXPECT_EQ(handle->set_ttl(1).get().error().code(), bad);
    EXPECT_EQ(handle->set_multicast_loopback(true).get().error().code(), bad);
    EXPECT_EQ(handle->set_multicast_interface(0).get().error().code(), bad);
    EXPECT_EQ(handle->leave({.group = Address::ipv4({239, 255, 0, 1}, 0)}).get().error().code(),
              bad);
    EXPECT_EQ(handle->fd(), -1);
}

// test-udp-ipv6.c: udp_dual_stack and udp_ipv6_only
TEST_P(UvUdpOptions, an_ipv6_handle_hears_ipv4_unless_told_not_to) {
    for (const bool only_ipv6 : {false, true}) {
        test::Live<Udp> server(loop);
        test::Live<Udp> client(loop);
        ASSERT_TRUE(server->bind(Address::ipv6({}, 0), {.only_ipv6 = only_ipv6}).get());
        const Address at = Address::loopback(server->local_address().value().port());
        int got = 0;
        server->receive_start(buffer, [&](Udp&, Result<Udp::Received>) { ++got; });
        UdpSend send;
        client->send(send, bytes_of("PING"), at, [](UdpSend&, Status) {});
        if (!only_ipv6) {
            while (got == 0) loop.run(RunMode::once);
            continue;
        }
        // Another one afterwards that does come: so the first is not on its way any more.
        std::array<std::uint8_t, 16> ipv6_loopback{};
        ipv6_loopback[15] = 1;
        test::Live<Udp> neighbour(loop);
        neighbour->try_send(bytes_of("six"), Address::ipv6(ipv6_loopback, at.port()));
        while (got == 0 || send.is_active()) loop.run(RunMode::once);
        for (int i = 0; i < 5; ++i) loop.run(RunMode::no_wait);
        EXPECT_EQ(got, 1);
    }
}

// test-udp-multicast-join.c: udp_multicast_join; test-udp-multicast-interface.c and -ttl.c
TEST_P(UvUdpOptions, a_member_hears_its_group_until_it_leaves) {
    const InterfaceIndex loopback = loop.sockets().interface_named("lo").value();
    test::Live<Udp> member(loop);
    test::Live<Udp> sender(loop);
    const Membership membership{.group = Address::ipv4({239, 255, 0, 1}, 0), .interface = loopback};
    ASSERT_TRUE(member->join(membership).get());  // Bound to any by itself.
    EXPECT_EQ(member->join(membership).get().error().code(), std::errc::address_in_use);
    const Address to = Address::ipv4({239, 255, 0, 1}, member->local_address().value().port());
    ASSERT_TRUE(sender->bind(Address::ipv4({}, 0)).get());
    ASSERT_TRUE(sender->set_multicast_interface(loopback).get());
    ASSERT_TRUE(sender->set_multicast_ttl(1).get());
    UdpSend send;
    ASSERT_TRUE(sender
                    ->send(send, bytes_of("PING"), to,
                           [](UdpSend&, Status status) { EXPECT_TRUE(status.has_value()); })
                    .get());
    EXPECT_EQ(receive(*member), "PING");
    EXPECT_TRUE(member->leave(membership).get());
    EXPECT_EQ(member->leave(membership).get().error().code(), std::errc::address_not_available);
    while (send.is_active()) loop.run(RunMode::once);
    EXPECT_TRUE(sender->try_send(bytes_of("to nobody"), to).get());
    EXPECT_TRUE(sender
                    ->try_send(bytes_of("after it"),
                               Address::loopback(member->local_address().value().port()))
                    .get());
    EXPECT_EQ(receive(*member), "after it");
}

// test-udp-multicast-join.c: source_membership
TEST_P(UvUdpOptions, a_member_may_choose_whom_it_hears) {
    const InterfaceIndex loopback = loop.sockets().interface_named("lo").value();
    test::Live<Udp> member(loop);
    test::Live<Udp> chosen(loop);
    test::Live<Udp> other(loop);
    const Address group = Address::ipv4({239, 255, 0, 2}, 0);
    ASSERT_TRUE(
        member->join({.group = group, .source = Address::loopback(), .interface = loopback}).get());
    const Address to = Address::ipv4({239, 255, 0, 2}, member->local_address().value().port());
    ASSERT_TRUE(chosen->bind(Address::loopback()).get());
    ASSERT_TRUE(other->bind(Address::ipv4({127, 0, 0, 2}, 0)).get());
    for (Udp* handle : {&*chosen, &*other}) {
        ASSERT_TRUE(handle->set_multicast_interface(loopback).get());
    }
    EXPECT_TRUE(other->try_send(bytes_of("not this"), to).get());
    EXPECT_TRUE(chosen->try_send(bytes_of("this"), to).get());
    EXPECT_EQ(receive(*member), "this");
}

}  // namespace
}  // namespace gyre::handle
