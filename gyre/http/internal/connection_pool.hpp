// SPDX-License-Identifier: Apache-2.0
// ConnectionPool: the connections of a Client that wait for their next request, and how many a host
// may have. A connection in the pool is read from, so that its end, or bytes that nobody asked for,
// take it out at once and not in the middle of the next request. Owned by the client, and shared with
// nobody; the tasks that read end with it. One loop's thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gyre/http/client.hpp"
#include "gyre/http/internal/client_connection.hpp"
#include "gyre/task/sync/semaphore.hpp"

namespace gyre {
class Executor;
}

namespace gyre::http {

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
public:
    explicit ConnectionPool(const ClientOptions& options) noexcept;
    ~ConnectionPool();
    ConnectionPool(const ConnectionPool&) = delete;
    ConnectionPool& operator=(const ConnectionPool&) = delete;

    // The right to use one connection to the host; waits while all are in use.
    [[nodiscard]] Future<Permits> permit_for(std::string key);
    // The connection that was used last and is still good, or null.
    [[nodiscard]] Future<std::unique_ptr<ClientConnection>> take(std::string key);
    // Keeps it for `kept_for`. The one that was kept longest makes room if there are too many.
    void keep(std::unique_ptr<ClientConnection> connection, Executor& executor);
    void drop_all_of(const std::string& key);

    [[nodiscard]] std::size_t kept_count() const noexcept { return kept_count_; }
    [[nodiscard]] std::size_t host_count() const noexcept { return hosts_.size(); }

private:
    struct Watched;
    struct Kept;
    struct Host;

    [[nodiscard]] static Future<void> watch(std::shared_ptr<Watched> watched,
                                            std::weak_ptr<ConnectionPool> pool, Duration limit);
    [[nodiscard]] Host& host_of(const std::string& key);
    // Takes it out of the table, and ends its watch.
    std::shared_ptr<Watched> remove(Host& host, std::size_t index) noexcept;
    void forget(const Watched& watched) noexcept;
    void drop_oldest() noexcept;
    // Hosts with nothing kept and nothing in use leave the table.
    void shrink() noexcept;

    const ClientOptions& options_;
    std::map<std::string, std::unique_ptr<Host>> hosts_;
    std::size_t kept_count_ = 0;
};

}  // namespace gyre::http
