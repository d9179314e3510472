// SPDX-License-Identifier: Apache-2.0
// Listener: where connections over TCP or a Unix socket arrive. Move-only; it owns its descriptor
// and closes it with itself. It belongs to its loop's thread. One listener a loop may have the same
// port, with `share_port`: the system spreads connections over them.
//
//     net::Listener listener = co_await net::listen(Address::loopback(8080), {.backlog = 128});
//     for (;;) scope.spawn(serve, co_await listener.accept());
//
// While the process is out of descriptors an accept waits, and goes on when there are some again.
// The path of a Unix socket stays on the disk when its listener goes; a name that begins with a 0
// byte is on no disk.
#pragma once

#include <utility>

#include "gyre/net/stream.hpp"

namespace gyre::net {

// Cancel class: did nothing; the connection waits for the next accept.
class [[nodiscard]] Accept : public Awaitable<Accept, Stream> {
public:
    explicit Accept(Fd listener) noexcept : fd_(listener) {}

    class Await : public IoAwait<AcceptOp> {
    public:
        Await(PromiseBase& promise, const Accept& accept) noexcept
            : IoAwait(promise, accept.fd_), sockets_(sockets_of(promise)) {}
        void on_complete(Op& op) noexcept override;
        [[nodiscard]] Result<Stream> outcome();

    private:
        Sockets& sockets_;
        Stream accepted_;
    };

private:
    Fd fd_;
};

// A close refuses the connections that nobody has accepted.
class Listener : public OwnSocket {
public:
    Listener() noexcept = default;
    // Takes over a listening socket of this platform.
    Listener(Sockets& sockets, Fd fd) noexcept : OwnSocket(sockets, fd) {}

    [[nodiscard]] Accept accept() const noexcept { return Accept(fd_); }
};

// `co_await listen(address, options)`: a Listener. Never waits.
class [[nodiscard]] Listen : public Awaitable<Listen, Listener> {
public:
    Listen(const Address& at, ListenOptions options) noexcept : at_(at), options_(options) {}

    class Await {
    public:
        Await(PromiseBase& promise, const Listen& listen) noexcept
            : sockets_(sockets_of(promise)), at_(listen.at_), options_(listen.options_) {}
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] std::string doing() const { return "listen at " + at_.to_string(); }
        [[nodiscard]] Result<Listener> outcome();

    private:
        Sockets& sockets_;
        Address at_;
        ListenOptions options_;
    };

private:
    Address at_;
    ListenOptions options_;
};
[[nodiscard]] inline Listen listen(const Address& at, ListenOptions options = {}) noexcept {
    return {at, options};
}

}  // namespace gyre::net
