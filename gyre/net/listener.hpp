// SPDX-License-Identifier: Apache-2.0
// Listener: a listening TCP or Unix socket. Move-only; owns its descriptor and closes it.
//
//     net::Listener listener = co_await net::listen(Address::loopback(8080), {.backlog = 128});
//     for (;;) {
//         net::Connection stream = co_await listener.accept();
//         co_await stream.write(bytes_of("hello\n"));
//     }
//
// Thread: the loop's thread. For one listener per loop on the same port, set `share_port`: the
// system then balances connections over them. Set `opens_port` for the first one, so that a second
// process fails instead of joining them.
// Lifetime: outlives its pending accepts. Closing it resets connections that were not accepted. The
// path of a Unix socket is not removed; an abstract name (first byte 0) has no path.
// Cancel: an accept did nothing; the connection stays in the backlog.
//
// While the process is out of descriptors, accept waits until there are some again.
#pragma once

#include <utility>

#include "gyre/net/connection.hpp"

namespace gyre::net {

class [[nodiscard]] Accept : public IoAwaitable<Accept, Connection> {
public:
    explicit Accept(Fd listener) noexcept : fd_(listener) {}

    class Await : public IoAwait<AcceptOp> {
    public:
        Await(PromiseBase& promise, const Accept& accept) noexcept
            : IoAwait(promise, accept.fd_), sockets_(sockets_of(promise)) {}
        void on_complete(Op& op) noexcept override;
        [[nodiscard]] Result<Connection> outcome();

    private:
        Sockets& sockets_;
        Connection accepted_;
    };

private:
    Fd fd_;
};

class Listener : public OwnSocket {
public:
    Listener() noexcept = default;
    // Takes ownership of a listening socket of this platform.
    Listener(Sockets& sockets, Fd fd) noexcept : OwnSocket(sockets, fd) {}

    [[nodiscard]] Accept accept() const noexcept { return Accept(fd_); }
    // Completes no further connection: attempts wait until `close`, which refuses them, so that no
    // client can send anything that nobody reads. Those in the backlog can still be accepted. The
    // error `operation_not_supported` for a Unix socket.
    [[nodiscard]] Result<void> end_listening() const;
};

// `co_await listen(address, options)` returns a Listener. Never waits.
class [[nodiscard]] Listen : public IoAwaitable<Listen, Listener> {
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

// Like `listen`, but while the port is in use it tries again, for up to `limit`: for a server that
// replaces a killed one, whose port the system gives back some milliseconds after its end (io_uring
// cleans up later). Cancel class: did nothing.
[[nodiscard]] Future<Listener> listen_within(Duration limit, Address at,
                                             ListenOptions options = {});

}  // namespace gyre::net
