// SPDX-License-Identifier: Apache-2.0
// ListenerHandle: a listening socket, over IP or at a Unix path. It calls back for each connection, and
// accepts the next one after `accept`.
//
//     ListenerHandle listener(loop);
//     listener.listen(Address::loopback(8080), {}, [&](ListenerHandle& ready, Status status) {
//         if (status) ready.accept(*new Tcp(loop));
//     });
//
// Thread: any for `listen` and `accept`, else the loop's own.
// Lifetime: as Handle. It owns its descriptor.
#pragma once

#include "gyre/handle/handle.hpp"
#include "gyre/handle/stream_handle.hpp"

namespace gyre::handle {

class ListenerHandle final : public Handle {
public:
    // A connection waits for `accept`, or the listener has failed and stopped.
    using OnConnection = Callback<ListenerHandle&, Status>;

    explicit ListenerHandle(PhasedLoop& loop, const std::source_location& made_at =
                                                  std::source_location::current()) noexcept
        : Handle(loop, made_at), accept_(-1) {}

    [[nodiscard]] const char* kind() const noexcept override { return "listener"; }

    // The error `device_or_resource_busy` when it is listening, or the system's.
    CallResult<Status> listen(const Address& at, ListenOptions options, OnConnection on_connection);
    // The same for a socket that listens already, which belongs to the listener from now on.
    CallResult<Status> open(Fd fd, OnConnection on_connection);
    // The error `resource_unavailable_try_again` when no connection waits.
    CallResult<Status> accept(StreamHandle& client);

    [[nodiscard]] Result<Address> local_address() const;
    // The address of the connection that waits for `accept`.
    [[nodiscard]] const Address& peer() const noexcept { return accept_.peer; }

private:
    Status listen_here(const Address& at, ListenOptions options,
                       AnyCallback on_connection) noexcept;
    Status begin(Fd fd, AnyCallback on_connection) noexcept;
    Status accept_here(StreamHandle& client) noexcept;
    void on_done(Op& op) noexcept override;
    void on_close() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override { return !accept_.is_in_flight(); }

    Fd fd_ = -1;
    Fd accepted_ = -1;
    AcceptOp accept_;
};

}  // namespace gyre::handle
