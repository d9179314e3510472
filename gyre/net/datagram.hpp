// SPDX-License-Identifier: Apache-2.0
// Datagram: a UDP or Unix datagram socket. Move-only; owns its descriptor and closes it. Each
// datagram is sent and received as a whole.
//
//     net::Datagram socket = co_await net::bind_datagram(Address::loopback(5353));
//     std::array<std::byte, 2048> buffer;
//     const net::Received got = co_await socket.receive_from(buffer);
//     co_await socket.send_to(Bytes(buffer).first(got.size), got.from);
//
// Thread: the loop's thread; one task may receive while another one sends.
// Lifetime: outlives its pending operations, and so do their buffers.
// Cancel: every operation did nothing.
#pragma once

#include <cstddef>
#include <string_view>

#include "gyre/io/socket_ops.hpp"
#include "gyre/net/detail/socket.hpp"

namespace gyre::net {

struct Received {
    std::size_t size = 0;       // bytes in the buffer; 0 is an empty datagram
    Address from;               // Family::none if the sender has no address
    bool is_truncated = false;  // it was larger than the buffer
};

class [[nodiscard]] ReceiveFrom : public IoAwaitable<ReceiveFrom, Received> {
public:
    ReceiveFrom(Fd at, Bytes into) noexcept : fd_(at), into_(into) {}

    class Await : public IoAwait<ReceiveFromOp> {
    public:
        Await(PromiseBase& promise, const ReceiveFrom& receive) noexcept
            : IoAwait(promise, receive.fd_, receive.into_) {}
        [[nodiscard]] const char* what() const noexcept override { return "receive a datagram"; }
        [[nodiscard]] Result<Received> outcome();
    };

private:
    Fd fd_;
    Bytes into_;
};

class [[nodiscard]] SendTo : public IoAwaitable<SendTo, void> {
public:
    SendTo(Fd by, ConstBytes data, const Address& to) noexcept : fd_(by), data_(data), to_(to) {}

    class Await : public IoAwait<SendToOp> {
    public:
        Await(PromiseBase& promise, const SendTo& send) noexcept
            : IoAwait(promise, send.fd_, send.data_, send.to_) {}
        [[nodiscard]] const char* what() const noexcept override { return "send a datagram"; }
        [[nodiscard]] std::string doing() const { return "send a datagram to " + to.to_string(); }
        [[nodiscard]] Result<void> outcome();
    };

private:
    Fd fd_;
    ConstBytes data_;
    Address to_;
};

class Datagram : public OwnSocket {
public:
    Datagram() noexcept = default;
    // Takes ownership of a datagram socket of this platform.
    Datagram(Sockets& sockets, Fd fd) noexcept : OwnSocket(sockets, fd) {}

    [[nodiscard]] ReceiveFrom receive_from(Bytes into) const noexcept { return {fd_, into}; }
    [[nodiscard]] SendTo send_to(ConstBytes data, const Address& to) const noexcept {
        return {fd_, data, to};
    }
    // Sends to the peer it is connected to.
    [[nodiscard]] SendTo send(ConstBytes data) const noexcept { return {fd_, data, Address()}; }

    // Sends to, and receives from, this peer only; an address of Family::none disconnects.
    Result<void> connect(const Address& to) const { return sockets_->connect_datagram(fd_, to); }
    Result<void> set_option(DatagramOption option, int value) const {
        return sockets_->set_option(fd_, option, value);
    }
    Result<void> join(const Membership& membership) const {
        return sockets_->join(fd_, membership);
    }
    Result<void> leave(const Membership& membership) const {
        return sockets_->leave(fd_, membership);
    }
    [[nodiscard]] Result<Address> peer_address() const { return sockets_->peer_address(fd_); }
};

// The awaitable of the three functions below; returns a Datagram. Never waits.
class [[nodiscard]] OpenDatagram : public IoAwaitable<OpenDatagram, Datagram> {
public:
    struct Plan {
        Address::Family family;
        Address at;  // Family::none: the system chooses with the first send
        BindOptions options;
        Address to;  // Family::none: not connected
    };
    explicit OpenDatagram(const Plan& plan) noexcept : plan_(plan) {}

    class Await {
    public:
        Await(PromiseBase& promise, const OpenDatagram& open) noexcept
            : sockets_(sockets_of(promise)), plan_(open.plan_) {}
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] std::string doing() const;
        [[nodiscard]] Result<Datagram> outcome();

    private:
        Sockets& sockets_;
        Plan plan_;
    };

private:
    Plan plan_;
};
[[nodiscard]] inline OpenDatagram open_datagram(Address::Family family) noexcept {
    return OpenDatagram({.family = family, .at = {}, .options = {}, .to = {}});
}
[[nodiscard]] inline OpenDatagram bind_datagram(const Address& at,
                                                BindOptions options = {}) noexcept {
    return OpenDatagram({.family = at.family(), .at = at, .options = options, .to = {}});
}
[[nodiscard]] inline OpenDatagram connect_datagram(const Address& to) noexcept {
    return OpenDatagram({.family = to.family(), .at = {}, .options = {}, .to = to});
}

}  // namespace gyre::net
