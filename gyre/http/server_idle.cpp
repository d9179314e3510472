// SPDX-License-Identifier: Apache-2.0
// The connections of a server that wait for a request: which of them are parked, and when they end.
#include <new>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/parked_connection.hpp"
#include "gyre/http/internal/server_connection.hpp"
#include "gyre/http/server.hpp"

namespace gyre::http {
namespace {

// So many connections keep their tasks while they are idle, as do those that have become idle just
// now: a connection that is used often is not parked between its requests.
constexpr std::size_t ready_count_max = 256;
constexpr Duration ready_time_min = std::chrono::milliseconds(10);

}  // namespace

void Server::park_or_expire(Instant now) noexcept {
    connections_.for_each([this, now](ServerConnection& connection) {
        if (connection.deadline() <= now) {
            connection.expire();
        } else if (connection.has_idled(options_.timeouts.step)) {
            connection.park();
        }
    });
    while (!parked_.empty() && parked_.front()->deadline() <= now) parked_.front()->expire();
}

// Of those that are idle, the one that is so for longest is nearest to the front.
void Server::on_idle(ServerConnection& connection) noexcept {
    connection.unlink();
    connections_.push_back(connection);
    if (counts_.open_connections - counts_.parked_connections <= ready_count_max) return;
    ServerConnection& first = *connections_.front();
    if (first.has_idled(ready_time_min)) {
        first.park();
    } else if (first.has_idled(Duration(0))) {
        return;
    }
    first.unlink();
    connections_.push_back(first);
}

// Without memory for it, the connection is closed.
void Server::park(Accepted accepted) {
    GYRE_ASSERT(!is_stopping(), "a connection is parked while the server stops");
    accepted.is_to_park = false;
    try {
        auto* const parked = new ParkedConnection(*this, std::move(accepted));
        parked_.insert_sorted(*parked, [](const ParkedConnection& a, const ParkedConnection& b) {
            return a.deadline() < b.deadline();
        });
        has_connections_.set();
    } catch (const std::bad_alloc&) {
        count_over_memory();
    }
}

void Server::drop_parked() noexcept {
    while (ParkedConnection* const parked = parked_.front()) delete parked;
}

void Server::note_connections() noexcept {
    const bool has_none = connections_.empty() && tasks_wrapping_.empty();
    if (has_none && counts_.parked_connections == 0) has_connections_.reset();
}

void Server::close_idle() noexcept {
    connections_.for_each([](ServerConnection& connection) { connection.stop_idle(); });
    parked_.for_each([](ParkedConnection& connection) { connection.unpark(); });
}

}  // namespace gyre::http
