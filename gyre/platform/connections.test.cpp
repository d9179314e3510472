// SPDX-License-Identifier: Apache-2.0
// Listen, accept, connect and close on real systems only; tests/platforms has the tests for all
// platforms.
#include <fcntl.h>

#include <array>
#include <cstdlib>

#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/io_world.test.hpp"

namespace gyre::platform {
namespace {

GYRE_ON_EACH_PLATFORM(Connections);

Fd listen_at(IoWorld& world, const Address& address, ListenOptions options = {}) {
    const auto fd = world.sockets().listen(address, options);
    if (!fd) throw std::runtime_error("cannot listen: " + fd.error().message());
    return *fd;
}

Fd stream(IoWorld& world, Address::Family family = Address::Family::ipv4) {
    const auto fd = world.sockets().stream(family);
    if (!fd) throw std::runtime_error("no socket: " + fd.error().message());
    return *fd;
}

// Connects, accepts, sends in one direction and closes everything.
void expect_exchange(IoWorld& world, const Address& at) {
    const Fd listener = listen_at(world, at);
    const Address where = *world.sockets().local_address(listener);
    AcceptOp accept(listener);
    world.app.start(accept);
    world.settle();
    EXPECT_TRUE(accept.is_in_flight());
    const Fd socket = stream(world, at.family());
    ConnectOp connect(socket, where);
    ASSERT_EQ(world.run(connect), 0);
    const Fd accepted = world.finish(accept);
    ASSERT_GE(accepted, 0);
    EXPECT_EQ(accept.peer.family(), at.family());
    if (at.family() != Address::Family::unix_path) {
        EXPECT_EQ(accept.peer, *world.sockets().local_address(socket));
    }
    EXPECT_NE(::fcntl(accepted, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(accepted, F_GETFD) & FD_CLOEXEC, 0);

    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(accepted, buffer);
    world.app.start(receive);
    SendOp send(socket, bytes_of("ping"));
    EXPECT_EQ(world.run(send), 4);
    EXPECT_EQ(world.finish(receive), 4);
    EXPECT_TRUE(world.sockets().end_sending(socket));
    EXPECT_EQ(world.run(receive), 0);
    for (const Fd fd : {accepted, socket, listener}) world.close(fd);
}

TEST_P(Connections, are_made_over_ipv4) {
    IoWorld world(GetParam());
    expect_exchange(world, Address::loopback());
}

TEST_P(Connections, are_made_over_ipv6) {
    IoWorld world(GetParam());
    std::array<std::uint8_t, 16> loopback{};
    loopback[15] = 1;
    const Address at = Address::ipv6(loopback, 0);
    const auto probe = world.sockets().listen(at, {});
    if (!probe) GTEST_SKIP() << "this machine has no IPv6";
    world.sockets().close_now(*probe);
    expect_exchange(world, at);
}

TEST_P(Connections, are_made_over_a_unix_path) {
    IoWorld world(GetParam());
    std::string path = testing::TempDir() + "gyre-" + std::to_string(::getpid());
    expect_exchange(world, *Address::unix_path(path));
    ::unlink(path.c_str());
}

// clause: L18
TEST_P(Connections, are_made_of_sockets_that_never_block) {
    IoWorld world(GetParam());
    const Fd listener = listen_at(world, Address::loopback());
    const Fd client = stream(world);
    ConnectOp connect(client, *world.sockets().local_address(listener));
    EXPECT_EQ(world.run(connect), 0);
    AcceptOp accept(listener);
    const Fd accepted = world.run(accept);
    const Fd datagram = world.sockets().datagram(Address::Family::ipv4).value();
    const auto pair = world.sockets().connection_pair().value();
    for (const Fd fd : {listener, client, accepted, datagram, pair[0], pair[1]}) {
        EXPECT_NE(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
        world.close(fd);
    }
}

// A full backlog makes the next connect wait.
TEST_P(Connections, a_cancelled_connect_comes_back_and_the_socket_can_be_used_again) {
    IoWorld world(GetParam());
    const Fd listener = listen_at(world, Address::loopback(), {.backlog = 0});
    const Address at = *world.sockets().local_address(listener);
    std::vector<Fd> sockets;
    std::vector<std::unique_ptr<ConnectOp>> connects;
    do {
        ASSERT_LT(sockets.size(), 64u);
        sockets.push_back(stream(world));
        connects.push_back(std::make_unique<ConnectOp>(sockets.back(), at));
        world.app.start(*connects.back());
        world.settle();
    } while (!connects.back()->is_in_flight());
    EXPECT_EQ(world.cancel(*connects.back()), cancelled_result);

    const Fd other = listen_at(world, Address::loopback());
    ConnectOp again(sockets.back(), *world.sockets().local_address(other));
    EXPECT_EQ(world.run(again), 0);
    for (const Fd fd : sockets) world.close(fd);
    world.close(other);
    world.close(listener);
}

TEST_P(Connections, a_descriptor_number_that_was_closed_serves_its_next_owner) {
    IoWorld world(GetParam());
    std::array<std::byte, 16> buffer{};
    Fd last = -1;
    for (int i = 0; i < 5; ++i) {
        Pair pair(world);
        if (last >= 0) {
            EXPECT_EQ(pair.near, last);
        }
        last = pair.near;
        ReceiveOp receive(pair.near, buffer);
        world.app.start(receive);
        world.settle();
        pair.write_far("new");
        EXPECT_EQ(world.finish(receive), 3);
        world.close(std::exchange(pair.near, -1));
        world.close(std::exchange(pair.far, -1));
    }
}

}  // namespace
}  // namespace gyre::platform
