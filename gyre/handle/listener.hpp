// SPDX-License-Identifier: Apache-2.0
// Listener: a socket that takes connections, over IP or at a path. For each it calls back, and
// waits for `accept` before it takes the next. It owns its descriptor. For the loop's own thread
// only, beside those of Handle: local_address.
#pragma once

#include "gyre/handle/handle.hpp"
#include "gyre/handle/stream.hpp"

namespace gyre::handle {

class Listener final : public Handle {
public:
    // A connection is there to be accepted, or the listener has failed and stopped.
    using OnConnection = Callback<Listener&, Status>;

    explicit Listener(PhasedLoop& loop, const std::source_location& made_at =
                                            std::source_location::current()) noexcept
        : Handle(loop, made_at), accept_(-1), close_(-1) {}

    [[nodiscard]] const char* kind() const noexcept override { return "listener"; }

    // The error `device_or_resource_busy` when it listens already, or the system's.
    Carried<Status> listen(const Address& at, ListenOptions options, OnConnection on_connection);
    // The error `resource_unavailable_try_again` when no connection is there.
    Carried<Status> accept(Stream& client);

    [[nodiscard]] Result<Address> local_address() const;
    // Who the connection that waits for `accept` comes from.
    [[nodiscard]] const Address& peer() const noexcept { return accept_.peer; }

private:
    Status listen_here(const Address& at, ListenOptions options,
                       AnyCallback on_connection) noexcept;
    Status accept_here(Stream& client) noexcept;
    void on_done(Op& op) noexcept override;
    void on_close() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override {
        return !accept_.is_in_flight() && !close_.is_in_flight();
    }

    Fd fd_ = -1;
    Fd accepted_ = -1;
    AcceptOp accept_;
    CloseOp close_;
};

}  // namespace gyre::handle
