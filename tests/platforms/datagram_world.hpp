// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of datagrams: sockets with an address, and calls that run one op to
// completion. One thread; lives as long as the test.
#pragma once

#include <string>
#include <string_view>

#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "tests/platforms/world.hpp"

namespace gyre::test {

// A datagram socket that the destructor closes.
class Socket {
public:
    explicit Socket(World& world, const Address& at = Address::loopback(), BindOptions options = {})
        : world_(world), fd_(world.sockets().datagram(at.family()).value()) {
        const Result<void> bound = world.sockets().bind(fd_, at, options);
        EXPECT_TRUE(bound) << at.to_string() << ": " << bound.error().message();
    }
    // An unbound socket.
    Socket(World& world, Address::Family family)
        : world_(world), fd_(world.sockets().datagram(family).value()) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (fd_ >= 0) world_.sockets().close_now(fd_);
    }

    [[nodiscard]] Fd fd() const { return fd_; }
    [[nodiscard]] Address address() const { return world_.address_of(fd_); }
    void close() { world_.close(std::exchange(fd_, -1)); }
    [[nodiscard]] Result<void> connect(const Address& to) const {
        return world_.sockets().connect_datagram(fd_, to);
    }

    // Each of these runs one op to completion. An address without a family means the connected
    // peer.
    std::int32_t send(std::string_view text, const Address& to = {}) const {
        SendToOp op(fd_, bytes_of(text), to);
        return run(op);
    }
    std::string receive(Address* from = nullptr) const {
        std::string text(1u << 16u, '\0');
        ReceiveFromOp op(fd_, std::as_writable_bytes(std::span(text)));
        const std::int32_t size = run(op);
        if (from != nullptr) *from = op.from;
        if (size < 0) return "error: " + Error::of_result(size).message();
        text.resize(static_cast<std::size_t>(size));
        return text;
    }
    // Whether a datagram has arrived, without receiving it.
    [[nodiscard]] bool has_one() const {
        world_.settle();
        PollOp poll(fd_, Events::readable);
        world_.app.start(poll);
        world_.settle();
        if (!poll.is_in_flight()) return true;
        return world_.cancel(poll) != cancelled_result;
    }

private:
    // Removes the op from the records: the next op of the test may have the same address.
    std::int32_t run(Op& op) const {
        const std::int32_t result = world_.run(op);
        std::erase(world_.app.done, &op);
        return result;
    }

    World& world_;
    Fd fd_;
};

}  // namespace gyre::test
