// SPDX-License-Identifier: Apache-2.0
// Addresses, options and multicast groups of datagram sockets: which socket receives a datagram,
// and which calls fail.
#include "tests/platforms/datagram_world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(DatagramOptions);

TEST_P(DatagramOptions, an_address_has_one_socket_unless_both_share_it) {
    Socket first(*world);
    const Fd second = world->sockets().datagram(Address::Family::ipv4).value();
    EXPECT_EQ(world->sockets().bind(second, first.address(), {}).error().code(),
              std::errc::address_in_use);
    world->close(second);

    const BindOptions shares{.share_address = true};
    Socket one(*world, Address::loopback(), shares);
    Socket two(*world, one.address(), shares);
    EXPECT_EQ(first.send("the last", one.address()), 8);
    EXPECT_EQ(two.receive(), "the last");

    const BindOptions divides{.share_port = true};
    Socket left(*world, Address::loopback(), divides);
    Socket right(*world, left.address(), divides);
    EXPECT_EQ(first.send("either", left.address()), 6);
    EXPECT_NE(left.has_one(), right.has_one());
}

TEST_P(DatagramOptions, options_take_what_makes_sense) {
    const Socket ipv4(*world, Address::Family::ipv4);
    const Socket ipv6(*world, Address::Family::ipv6);
    struct Row {
        DatagramOption option;
        int good;
        int bad;
    };
    for (const Socket* socket : {&ipv4, &ipv6}) {
        for (const Row& row :
             {Row{DatagramOption::broadcast, 1, 2}, Row{DatagramOption::ttl, 255, 0},
              Row{DatagramOption::ttl, 1, 256}, Row{DatagramOption::multicast_ttl, 0, -1},
              Row{DatagramOption::multicast_ttl, 255, 256},
              Row{DatagramOption::multicast_loopback, 0, -1},
              Row{DatagramOption::multicast_interface, 1, -1}}) {
            EXPECT_TRUE(world->sockets().set_option(socket->fd(), row.option, row.good));
            EXPECT_EQ(world->sockets().set_option(socket->fd(), row.option, row.bad).error().code(),
                      std::errc::invalid_argument);
        }
    }
    EXPECT_EQ(world->sockets().set_option(-1, DatagramOption::ttl, 1).error().code(),
              std::errc::bad_file_descriptor);
}

TEST_P(DatagramOptions, to_everybody_need_leave) {
    const Socket here(*world, Address::Family::ipv4);
    const Address everybody = Address::ipv4({255, 255, 255, 255}, 9);
    EXPECT_EQ(here.send("x", everybody), failure(std::errc::permission_denied));
    ASSERT_TRUE(world->sockets().set_option(here.fd(), DatagramOption::broadcast, 1));
    EXPECT_NE(here.send("x", everybody), failure(std::errc::permission_denied));
}

TEST_P(DatagramOptions, to_a_group_reach_every_member_and_no_other) {
    const Address group = Address::ipv4({239, 255, 67, 1}, 0);
    const InterfaceIndex loopback = world->sockets().interface_named("lo").value();
    const BindOptions shares{.share_address = true};
    Socket one(*world, Address::ipv4({}, 0), shares);
    Socket two(*world, Address::ipv4({}, one.address().port()), shares);
    Socket other(*world, Address::ipv4({}, one.address().port()), shares);
    const Membership membership{.group = group, .interface = loopback};
    for (const Socket* member : {&one, &two}) {
        ASSERT_TRUE(world->sockets().join(member->fd(), membership));
    }
    EXPECT_EQ(world->sockets().join(one.fd(), membership).error().code(),
              std::errc::address_in_use);

    const Socket sender(*world, Address::Family::ipv4);
    ASSERT_TRUE(world->sockets().set_option(sender.fd(), DatagramOption::multicast_interface,
                                            static_cast<int>(loopback)));
    const Address to = Address::ipv4({239, 255, 67, 1}, one.address().port());
    EXPECT_EQ(sender.send("all", to), 3);
    EXPECT_EQ(one.receive(), "all");
    EXPECT_EQ(two.receive(), "all");
    EXPECT_FALSE(other.has_one());

    ASSERT_TRUE(world->sockets().leave(two.fd(), membership));
    EXPECT_EQ(world->sockets().leave(two.fd(), membership).error().code(),
              std::errc::address_not_available);
    EXPECT_EQ(sender.send("one", to), 3);
    EXPECT_EQ(one.receive(), "one");
    EXPECT_FALSE(two.has_one());
}

TEST_P(DatagramOptions, a_member_may_hear_one_source_only) {
    const Address group = Address::ipv4({239, 255, 67, 2}, 0);
    const InterfaceIndex loopback = world->sockets().interface_named("lo").value();
    Socket member(*world, Address::ipv4({}, 0));
    const Address to = Address::ipv4({239, 255, 67, 2}, member.address().port());
    Socket sender(*world, Address::loopback());
    Socket stranger(*world, Address::ipv4({127, 0, 0, 2}, 0));
    for (const Socket* each : {&sender, &stranger}) {
        ASSERT_TRUE(world->sockets().set_option(each->fd(), DatagramOption::multicast_interface,
                                                static_cast<int>(loopback)));
    }
    const Membership membership{
        .group = group, .source = Address::loopback(), .interface = loopback};
    ASSERT_TRUE(world->sockets().join(member.fd(), membership));
    EXPECT_EQ(stranger.send("not this", to), 8);
    EXPECT_EQ(sender.send("this", to), 4);
    EXPECT_EQ(member.receive(), "this");
    EXPECT_FALSE(member.has_one());
    ASSERT_TRUE(world->sockets().leave(member.fd(), membership));
    EXPECT_EQ(sender.send("too late", to), 8);
    EXPECT_FALSE(member.has_one());
}

TEST_P(DatagramOptions, memberships_that_cannot_be_are_refused) {
    Socket socket(*world, Address::ipv4({}, 0));
    const Address group = Address::ipv4({239, 255, 67, 3}, 0);
    const auto code_of = [&](const Membership& membership) {
        return world->sockets().join(socket.fd(), membership).error().code();
    };
    EXPECT_EQ(code_of({.group = Address::loopback()}), std::errc::invalid_argument);
    EXPECT_EQ(code_of({.group = Address()}), std::errc::invalid_argument);
    EXPECT_EQ(code_of({.group = group, .interface = 9999}), std::errc::no_such_device);
    EXPECT_EQ(code_of({.group = group, .source = Address::ipv6({}, 0)}),
              std::errc::invalid_argument);
    EXPECT_EQ(world->sockets().interface_named("no such").error().code(),
              std::errc::no_such_device);
}

}  // namespace
}  // namespace gyre::test
