// SPDX-License-Identifier: Apache-2.0
// ParkedConnection: a connection of a Server that waits for its next request, and for that holds its
// socket and an op, but no task, parser or buffer. Server::Accepted: a connection between two of the
// places that it goes through.
//
//     accepted ──▶ a task with a ServerConnection ──idle for a while──▶ parked
//                    ▲                                                    │
//                    └──────────────── readable, or the server stops ─────┘
//
// Frees itself when its op has completed. Only on the loop's thread.
#pragma once

#include <cstddef>

#include "gyre/base/detail/intrusive.hpp"
#include "gyre/http/server.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/detail/suspension.hpp"

namespace gyre::http {

struct ParkedLinks;

struct Server::Accepted {
    Accepted(net::Connection socket, Serving its_serving, Scope& its_scope) noexcept
        : stream(std::move(socket)), serving(std::move(its_serving)), scope(&its_scope) {}

    net::Connection stream;
    Serving serving;
    Scope* scope;  // of its tasks
    std::size_t request_count = 0;
    Instant idle_until;
    bool is_to_park = false;
};

class ParkedConnection final : public Pooled, public Suspension, public Link<ParkedLinks> {
public:
    // What it is charged for: itself, and what the platform keeps for its socket.
    static constexpr std::size_t own_bytes = 512;

    // Waits from here on.
    ParkedConnection(Server& server, Server::Accepted accepted) noexcept;
    ~ParkedConnection();

    [[nodiscard]] Instant deadline() const noexcept { return accepted_.idle_until; }
    // Goes back to a task, whether or not a request has come.
    void unpark() noexcept;
    // Closes, unless a request has come.
    void expire() noexcept;

    // For the executor.
    void cancel() noexcept override {}
    void on_complete(Op& op) noexcept override;
    [[nodiscard]] const char* what() const noexcept override { return "the next request"; }

private:
    Server& server_;
    Server::Accepted accepted_;
    PollOp readable_;
    bool is_expired_ = false;
};

}  // namespace gyre::http
