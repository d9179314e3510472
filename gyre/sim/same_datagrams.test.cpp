// SPDX-License-Identifier: Apache-2.0
// Compares the simulation with the real system as same_as_system.test.cpp does, for datagrams.
#include <cstdio>

#include "gyre/sim/script.test.hpp"

namespace gyre::sim {
namespace {

constexpr std::array<std::uint8_t, 16> ipv6_one = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

TEST(SimDatagramsAreTheSame, for_datagram_sockets_without_an_address) {
    expect_same([](Script& script) {
        for (const Address::Family family :
             {Address::Family::ipv4, Address::Family::ipv6, Address::Family::unix_path}) {
            const Fd fresh = script.datagram(family);
            script.lines += script.where(fresh).to_string() + '\n';
            script.peer(fresh);
            script.accept(fresh);
            script.end_sending(fresh);
            script.poll(fresh, Events::readable | Events::writable);
            script.read(fresh, 0);
            script.write(fresh, "x", 0);
            script.sync(fresh);
            script.connect(fresh, Address());
            script.connect_datagram(fresh, Address());
            script.close(fresh);
            script.send_to(fresh, "x", Address::loopback(9));
            script.connect_datagram(fresh, Address::loopback(9));
            script.bind(fresh, Address::loopback());
            script.set(fresh, DatagramOption::ttl, 1);
            script.peer(fresh);
            script.try_send_to(fresh, "x", Address::loopback(9));
        }
        (void)script.datagram(Address::Family::none);
    });
}

TEST(SimDatagramsAreTheSame, for_datagrams_over_ip) {
    expect_same([](Script& script) {
        for (const Address& at : {Address::loopback(), Address::ipv6(ipv6_one, 0)}) {
            const Fd here = script.bound(at);
            const Fd there = script.bound(at);
            const Address to = script.where(there);
            script.send_to(here, "hello", to);
            script.send_to(here, "", to);
            script.try_send_to(here, "too long", to);
            script.pause();
            script.poll(there, Events::readable | Events::writable);
            script.receive_from(there);
            script.receive_from(there);
            script.receive_from(there, 3);
            script.send_to(here, "x", Address());
            script.try_send_to(here, "x", Address());
            script.send_to(here, std::string(70'000, 'x'), to);
            script.send_to(here, std::string(65'507, 'x'), to);
            script.receive_from(there, 10);
            script.send_to(here, std::string(65'508, 'x'), to);
            script.bind(here, at);
            script.send_to(here, "x", abstract_path());
        }
        const Fd ipv4 = script.bound(Address::loopback());
        script.send_to(ipv4, "x", Address::loopback(0));
        script.send_to(ipv4, "x", Address::ipv6(ipv6_one, 9));
        script.connect_datagram(ipv4, Address::ipv6(ipv6_one, 9));
        script.send_to(ipv4, "x", Address::ipv4({255, 255, 255, 255}, 9));
        const Fd ipv6 = script.bound(Address::ipv6({}, 0));
        script.send_to(ipv6, "x", script.where(ipv4));
        script.receive_from(ipv4);
        const Fd only = script.bound(Address::ipv6({}, 0), {.only_ipv6 = true});
        script.send_to(only, "x", script.where(ipv4));
    });
}

TEST(SimDatagramsAreTheSame, for_datagram_sockets_that_take_an_address) {
    expect_same([](Script& script) {
        const Fd first = script.bound(Address::loopback());
        const Address taken = script.where(first);
        (void)script.bound(taken);
        (void)script.bound(taken, {.share_address = true});
        (void)script.bound(Address::ipv4({}, taken.port()));
        (void)script.bound(Address::ipv6({}, taken.port()));
        (void)script.bound(Address::ipv6({}, taken.port()), {.only_ipv6 = true});
        (void)script.bound(Address::ipv4({127, 0, 0, 2}, taken.port()));
        const Fd shared = script.bound(Address::ipv4({}, 0), {.share_address = true});
        (void)script.bound(script.where(shared), {.share_address = true});
        (void)script.bound(script.where(shared), {.share_port = true});
        (void)script.bound(Address::ipv4({192, 0, 2, 77}, 0));
        (void)script.bound(Address::ipv4({239, 255, 67, 9}, 0));
        const Fd ipv4 = script.datagram(Address::Family::ipv4);
        script.bind(ipv4, Address::ipv6({}, 0));
        script.bind(ipv4, Address::ipv4({}, 0), {.only_ipv6 = true});
        script.bind(ipv4, Address());
        const Fd ipv6 = script.datagram(Address::Family::ipv6);
        script.bind(ipv6, Address::loopback());
        const Fd local = script.bound(abstract_path());
        script.bind(local, abstract_path());
        (void)script.bound(abstract_path());
        (void)script.listen(abstract_path());
        script.bind(local, Address::loopback());
        script.bind(-1, Address::loopback());
    });
}

TEST(SimDatagramsAreTheSame, for_datagram_sockets_that_are_connected) {
    expect_same([](Script& script) {
        const Fd there = script.bound(Address::loopback());
        const Fd other = script.bound(Address::loopback());
        const Address to = script.where(there);
        const Fd here = script.datagram(Address::Family::ipv4);
        script.connect_datagram(here, to);
        script.peer(here);
        const Address near = script.where(here);
        script.lines += near.port() == 0 ? "no port\n" : "a port\n";
        script.lines +=
            Address::ipv4({near.ip()[0], near.ip()[1], near.ip()[2], near.ip()[3]}, 0).to_string() +
            '\n';
        script.send_to(here, "to the peer", Address());
        script.receive_from(there);
        script.send_to(here, "to another", script.where(other));
        script.receive_from(other);
        script.connect_datagram(here, script.where(other));
        script.send_to(here, "to the new one", Address());
        script.receive_from(other);
        script.connect_datagram(here, Address());
        script.peer(here);
        script.lines += script.where(here).to_string() + '\n';
        script.connect_datagram(here, to);
        script.end_sending(here);
        script.send_to(here, "x", Address());

        const Fd fixed = script.bound(Address::ipv4({}, 0));
        const std::uint16_t port = script.where(fixed).port();
        script.connect_datagram(fixed, to);
        script.lines += script.where(fixed).port() == port ? "the same port\n" : "another\n";
        script.connect_datagram(fixed, Address());
        script.lines += script.where(fixed).port() == port ? "the same port\n" : "another\n";
    });
}

TEST(SimDatagramsAreTheSame, for_datagrams_to_nobody) {
    expect_same([](Script& script) {
        const Fd gone = script.bound(Address::loopback());
        const Address nobody = script.where(gone);
        script.close(gone);
        const Fd here = script.bound(Address::loopback());
        script.send_to(here, "x", nobody);
        script.pause();
        script.poll(here, Events::readable | Events::writable);
        script.connect_datagram(here, nobody);
        script.send_to(here, "x", Address());
        script.pause();
        script.poll(here, Events::readable);
        script.receive_from(here);
        script.send_to(here, "x", Address());
        script.pause();
        script.try_send_to(here, "x", Address());
        script.poll(here, Events::writable);
    });
}

TEST(SimDatagramsAreTheSame, for_unix_datagrams) {
    expect_same([](Script& script) {
        const Fd there = script.bound(abstract_path());
        const Fd here = script.datagram(Address::Family::unix_path);
        script.send_to(here, "x", Address());
        script.send_to(here, "x", Address::loopback(9));
        script.connect_datagram(here, Address::loopback(9));
        script.send_to(here, "x", Address::unix_path("/nowhere/at/all").value());
        script.send_to(here, "hello", script.where(there));
        script.send_to(here, "", script.where(there));
        script.receive_from(there, 2);
        script.receive_from(there);
        script.connect_datagram(here, script.where(there));
        script.peer(here);
        script.send_to(here, "to the peer", Address());
        script.receive_from(there);
        script.set(here, DatagramOption::broadcast, 1);
        script.set(here, DatagramOption::ttl, 1);
        const Fd third =
            script.bound(Address::unix_path(std::string(abstract_path().path()) + "-3").value());
        script.connect_datagram(there, script.where(third));
        script.send_to(here, "x", Address());
        script.send_to(here, "x", script.where(there));
        script.close(there);
        script.send_to(here, "x", Address());
        script.send_to(here, "x", Address());
        const Fd listener = script.listen(abstract_path());
        script.send_to(here, "x", script.where(listener));
        script.connect_datagram(here, script.where(listener));
        script.end_sending(here);
        script.send_to(here, "x", script.where(third));
    });
}

TEST(SimDatagramsAreTheSame, for_groups) {
    expect_same([](Script& script) {
        const Fd ipv4 = script.bound(Address::ipv4({}, 0));
        const Fd ipv6 = script.bound(Address::ipv6({}, 0));
        const Fd local = script.datagram(Address::Family::unix_path);
        const Address group = Address::ipv4({239, 255, 67, 9}, 0);
        const Address group6 =
            Address::ipv6({0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x67, 9}, 0);
        const Address source = Address::loopback();
        for (const Fd fd : {ipv4, ipv6, local}) {
            for (const Membership& membership :
                 {Membership{.group = group, .interface = 1},
                  Membership{.group = group6, .interface = 1}, Membership{.group = source},
                  Membership{.group = group, .interface = 9999},
                  Membership{.group = group, .source = source, .interface = 1}}) {
                script.note("leave", script.sockets().leave(fd, membership));
                script.note("join", script.sockets().join(fd, membership));
                script.note("join", script.sockets().join(fd, membership));
                script.note("leave", script.sockets().leave(fd, membership));
                script.note("leave", script.sockets().leave(fd, membership));
            }
            script.set(fd, DatagramOption::multicast_interface, 1);
            script.set(fd, DatagramOption::multicast_interface, 9999);
            script.set(fd, DatagramOption::multicast_interface, 0);
            script.set(fd, DatagramOption::multicast_ttl, 3);
            script.set(fd, DatagramOption::ttl, 3);
            script.set(fd, DatagramOption::multicast_loopback, 0);
        }
    });
}

TEST(SimDatagramsAreTheSame, for_the_calls_of_datagrams_on_other_descriptors) {
    expect_same([](Script& script) {
        for (const bool is_tcp : {true, false}) {
            const auto [client, server] =
                is_tcp ? script.connected(Address::loopback()) : script.pair();
            script.send_to(client, "hello", Address());
            script.pause();
            script.receive_from(server);
            script.send_to(client, "x", is_tcp ? Address::loopback(9) : abstract_path());
            script.peer(client);
        }
        const Fd fresh = script.stream(Address::Family::unix_path);
        script.send_to(fresh, "x", abstract_path());
        script.peer(fresh);
        const Fd listener = script.listen(Address::loopback());
        script.peer(listener);
        script.receive_from(listener);
        const std::string path = scratch_path();
        const Fd file = script.open(path, {.write = true, .create = true});
        script.send_to(file, "x", Address::loopback(9));
        script.receive_from(file);
        script.peer(file);
        script.bind(file, Address::loopback());
        script.connect_datagram(file, Address::loopback(9));
        script.set(file, DatagramOption::ttl, 1);
    });
    std::remove(scratch_path().c_str());
}

}  // namespace
}  // namespace gyre::sim
