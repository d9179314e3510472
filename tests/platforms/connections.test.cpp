// SPDX-License-Identifier: Apache-2.0
// Listen, accept, connect and close.
#include <memory>
#include <set>

#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Connections);

// Connects, accepts, sends in one direction and closes everything.
void expect_exchange(World& world, const Address& at) {
    const Fd listener = world.listen(at);
    AcceptOp accept(listener);
    world.app.start(accept);
    world.settle();
    EXPECT_TRUE(accept.is_in_flight());
    const Fd socket = world.stream(at.family());
    ConnectOp connect(socket, world.address_of(listener));
    ASSERT_EQ(world.run(connect), 0);
    const Fd accepted = world.finish(accept);
    ASSERT_GE(accepted, 0);
    EXPECT_EQ(accept.peer.family(), at.family());
    if (at.family() != Address::Family::unix_path) {
        EXPECT_EQ(accept.peer, world.address_of(socket));
    }
    EXPECT_EQ(world.send(socket, "ping"), 4);
    EXPECT_EQ(world.receive(accepted), "ping");
    for (const Fd fd : {accepted, socket, listener}) world.close(fd);
}

TEST_P(Connections, are_made_over_ipv4) {
    expect_exchange(*world, Address::loopback());
}

TEST_P(Connections, are_made_over_ipv6) {
    std::array<std::uint8_t, 16> loopback{};
    loopback[15] = 1;
    const Address at = Address::ipv6(loopback, 0);
    const auto probe = world->sockets().listen(at, {});
    if (!probe) GTEST_SKIP() << "skipped: this machine has no IPv6";
    world->sockets().close_now(*probe);
    expect_exchange(*world, at);
}

TEST_P(Connections, are_made_over_a_unix_path) {
    expect_exchange(*world, World::unix_address("exchange"));
}

TEST_P(Connections, an_accept_finds_who_came_before_it) {
    const Fd listener = world->listen();
    const Fd socket = world->stream();
    ConnectOp connect(socket, world->address_of(listener));
    ASSERT_EQ(world->run(connect), 0);
    AcceptOp accept(listener);
    const Fd accepted = world->run(accept);
    ASSERT_GE(accepted, 0);
    for (const Fd fd : {accepted, socket, listener}) world->close(fd);
}

TEST_P(Connections, accepts_on_one_listener_come_back_in_order) {
    const Fd listener = world->listen();
    std::vector<std::unique_ptr<AcceptOp>> accepts;
    for (int i = 0; i < 4; ++i) {
        accepts.push_back(std::make_unique<AcceptOp>(listener));
        world->app.start(*accepts.back());
    }
    world->settle();
    std::vector<Fd> open{listener};
    for (int i = 0; i < 4; ++i) {
        open.push_back(world->stream());
        ConnectOp connect(open.back(), world->address_of(listener));
        ASSERT_EQ(world->run(connect), 0);
    }
    for (const auto& accept : accepts) open.push_back(world->finish(*accept));
    std::vector<const Op*> started;
    for (const auto& accept : accepts) started.push_back(accept.get());
    EXPECT_EQ(world->order_of(started), started);
    EXPECT_EQ(std::set<Fd>(open.begin(), open.end()).size(), 9u);
    for (const Fd fd : open) world->close(fd);
}

TEST_P(Connections, an_unused_port_refuses) {
    const Fd listener = world->listen();
    const Address nobody = world->address_of(listener);
    world->close(listener);
    const Fd socket = world->stream();
    ConnectOp connect(socket, nobody);
    EXPECT_EQ(world->run(connect), failure(std::errc::connection_refused));
    world->close(socket);
}

TEST_P(Connections, what_cannot_be_connected_or_accepted_is_a_result) {
    EXPECT_EQ(world->sockets().stream(Address::Family::none).error().code(),
              std::errc::address_family_not_supported);
    EXPECT_EQ(world->sockets().listen({}, {}).error().code(),
              std::errc::address_family_not_supported);
    const Fd socket = world->stream();
    ConnectOp to_nowhere(socket, {});
    EXPECT_EQ(world->run(to_nowhere), failure(std::errc::address_family_not_supported));
    AcceptOp no_listener(socket);
    EXPECT_EQ(world->run(no_listener), failure(std::errc::invalid_argument));
    world->close(socket);
    const auto [client, server] = world->connected();
    ConnectOp again(client, Address::loopback(1));
    EXPECT_EQ(world->run(again), failure(std::errc::already_connected));
    world->close(client);
    world->close(server);
}

TEST_P(Connections, two_listeners_share_a_port_only_if_both_ask) {
    const Fd first = world->listen(Address::loopback(), {.share_port = true});
    const Address at = world->address_of(first);
    EXPECT_EQ(world->sockets().listen(at, {}).error().code(), std::errc::address_in_use);
    const Fd second = world->listen(at, {.share_port = true});
    world->close(first);
    world->close(second);
}

TEST_P(Connections, a_listener_that_opens_a_port_does_not_join_one_that_is_shared) {
    const ListenOptions opens{.share_port = true, .opens_port = true};
    const Fd first = world->listen(Address::loopback(), opens);
    const Address at = world->address_of(first);
    EXPECT_EQ(world->sockets().listen(at, opens).error().code(), std::errc::address_in_use);
    const Fd second = world->listen(at, {.share_port = true});
    // The system balances over both: each one accepts some of many connections.
    std::vector<Fd> clients;
    for (const Fd listener : {first, second}) {
        AcceptOp accept(listener);
        world->app.start(accept);
        while (accept.is_in_flight() && clients.size() < 1000) {
            const Fd client = clients.emplace_back(world->stream());
            ConnectOp connect(client, at);
            EXPECT_EQ(world->run(connect), 0);
            world->settle();
        }
        clients.push_back(world->finish(accept));
    }
    clients.insert(clients.end(), {first, second});
    for (const Fd fd : clients) world->close(fd);
}

// clause: L18
TEST_P(Connections, a_unix_connect_waits_while_the_backlog_is_full) {
    const Address at = World::unix_address("full");
    const Fd listener = world->listen(at, {.backlog = 0});
    const Fd first = world->stream(Address::Family::unix_path);
    const Fd second = world->stream(Address::Family::unix_path);
    ConnectOp first_connect(first, at);
    EXPECT_EQ(world->run(first_connect), 0);
    ConnectOp second_connect(second, at);
    world->app.start(second_connect);
    world->settle();
    EXPECT_TRUE(second_connect.is_in_flight());
    AcceptOp accept(listener);
    const Fd accepted = world->run(accept);
    EXPECT_EQ(world->finish(second_connect), 0);
    for (const Fd fd : {accepted, first, second, listener}) world->close(fd);
}

TEST_P(Connections, a_close_brings_back_what_waits_on_the_descriptor_first) {
    Pair pair(*world);
    std::array<std::byte, 16> buffer{};
    ReceiveOp receive(pair.near, buffer);
    ReceiveOp behind(pair.near, buffer);
    PollOp poll(pair.near, Events::readable);
    ReadinessOp readiness(pair.near, Events::readable);
    const std::array<Op*, 4> waiting{&receive, &behind, &poll, &readiness};
    for (Op* op : waiting) world->app.start(*op);
    world->settle();
    world->app.done.clear();
    CloseOp close(std::exchange(pair.near, -1));
    EXPECT_EQ(world->run(close), 0);
    for (const Op* op : waiting) {
        EXPECT_FALSE(op->is_in_flight());
        EXPECT_EQ(op->result(), cancelled_result);
    }
    ASSERT_EQ(world->app.done.size(), 5u);
    EXPECT_EQ(world->app.done.back(), &close);
}

TEST_P(Connections, a_close_brings_back_a_send_that_waits_for_room) {
    Pair pair(*world);
    SendOp send(pair.near, bytes_of("never"));
    (void)world->fill(pair.near, send);
    pair.close_near();
    EXPECT_FALSE(send.is_in_flight());
    EXPECT_EQ(send.result(), cancelled_result);
}

TEST_P(Connections, the_close_of_a_listener_brings_back_its_accepts) {
    const Fd listener = world->listen();
    AcceptOp first(listener);
    AcceptOp second(listener);
    world->app.start(first);
    world->app.start(second);
    world->settle();
    world->close(listener);
    EXPECT_EQ(first.result(), cancelled_result);
    EXPECT_EQ(second.result(), cancelled_result);
}

TEST_P(Connections, a_number_that_was_closed_serves_its_next_owner) {
    std::array<std::byte, 16> buffer{};
    for (int i = 0; i < 5; ++i) {
        Pair pair(*world);
        ReceiveOp receive(pair.near, buffer);
        world->app.start(receive);
        world->settle();
        pair.write_far("new");
        EXPECT_EQ(world->finish(receive), 3);
        pair.close_near();
        pair.close_far();
    }
}

}  // namespace
}  // namespace gyre::test
