// SPDX-License-Identifier: Apache-2.0
// For the tests of simulated sockets: calls that run one op to its end. One thread; lives as long
// as its test.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "gyre/io/socket_ops.hpp"
#include "gyre/sim/test_app.test.hpp"

namespace gyre::sim {

constexpr std::int32_t number(std::errc code) {
    return failure(code);
}

struct Pair {
    Fd client;
    Fd server;
};

// A loop with a few calls that run one op to its end.
struct Net : Rig {
    using Rig::Rig;

    Fd listen(const Address& at = Address::loopback(), ListenOptions options = {}) {
        return sockets().listen(at, options).value();
    }
    std::int32_t connect(Fd fd, const Address& to) {
        ConnectOp op(fd, to);
        return result_of(op);
    }
    std::int32_t accept(Fd fd) {
        AcceptOp op(fd);
        return result_of(op);
    }
    std::int32_t send(Fd fd, std::string_view text) {
        SendOp op(fd, bytes_of(text));
        return result_of(op);
    }
    std::int32_t receive(Fd fd) {
        ReceiveOp op(fd, buffer);
        const std::int32_t size = result_of(op);
        received = size < 0 ? "" : text_of(Bytes(buffer).first(static_cast<std::size_t>(size)));
        return size;
    }
    std::int32_t close(Fd fd) {
        CloseOp op(fd);
        return result_of(op);
    }
    std::int32_t poll(Fd fd, Events wanted) {
        PollOp op(fd, wanted);
        return result_of(op);
    }
    Pair connected(const Address& at = Address::loopback()) {
        const Fd listener = listen(at);
        const Fd client = sockets().stream(at.family()).value();
        const Address there = sockets().local_address(listener).value();
        EXPECT_EQ(connect(client, there), 0);
        const Fd server = accept(listener);
        sockets().close_now(listener);
        return {client, server};
    }
    Pair unix_pair() {
        const auto pair = sockets().connection_pair().value();
        return {pair[0], pair[1]};
    }
    // Runs until nothing is in flight.
    void settle() { loop.run(); }
    void pass_time() {
        TimerOp timer(clock.peek() + std::chrono::seconds(1));
        (void)result_of(timer);
    }

    std::array<std::byte, 4096> buffer{};
    std::string received;
};

}  // namespace gyre::sim
