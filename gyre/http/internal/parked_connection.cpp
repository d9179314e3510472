// SPDX-License-Identifier: Apache-2.0
#include "gyre/http/internal/parked_connection.hpp"

#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::http {

ParkedConnection::ParkedConnection(Server& server, Server::Accepted accepted) noexcept
    : server_(server),
      accepted_(std::move(accepted)),
      readable_(accepted_.stream.fd(), Events::readable) {
    GYRE_ASSERT(accepted_.stream.is_open(), "a closed connection is parked");
    GYRE_ASSERT(accepted_.serving.is_open(), "a connection is parked that does not count as open");
    std::size_t charged = 0;
    server_.charge_always(charged, own_bytes);
    ++server_.counts_.parked_connections;
    accepted_.scope->executor().submit_background(readable_, *this);
}

ParkedConnection::~ParkedConnection() {
    if (is_linked()) unlink();
    GYRE_ASSERT(server_.counts_.parked_connections > 0, "more connections leave than were parked");
    std::size_t charged = own_bytes;
    server_.charge_always(charged, 0);
    --server_.counts_.parked_connections;
    server_.note_connections();
}

void ParkedConnection::unpark() noexcept {
    accepted_.scope->executor().cancel(readable_);
}

void ParkedConnection::expire() noexcept {
    GYRE_ASSERT(!is_expired_, "a parked connection expires twice");
    is_expired_ = true;
    unlink();
    ++server_.counts_.timed_out;
    accepted_.scope->executor().cancel(readable_);
}

// An error of the poll counts as readable: the read tells it.
void ParkedConnection::on_complete(Op& op) noexcept {
    const bool goes_on = !is_expired_ || !op.is_cancelled();
    Server& server = server_;
    Server::Accepted accepted = std::move(accepted_);
    delete this;
    if (goes_on) server.spawn_accepted(std::move(accepted));
}

}  // namespace gyre::http
