// SPDX-License-Identifier: Apache-2.0
#include "gyre/http/internal/connection_pool.hpp"

#include <exception>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/task_handle.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::http {

struct ConnectionPool::Watched {
    std::unique_ptr<ClientConnection> connection;
    Event ended;  // the watch
};

struct ConnectionPool::Kept {
    std::shared_ptr<Watched> watched;  // shared with the task
    TaskHandle<void> watch;

    void end_watch() noexcept {
        if (!watch.is_completed()) watch.cancel("the connection is used again, or dropped");
    }
};

struct ConnectionPool::Host {
    explicit Host(std::size_t connection_count_max)
        : permits(connection_count_max, "a connection to a host"),
          permit_count(connection_count_max) {}
    Semaphore permits;
    const std::size_t permit_count;
    std::size_t asking = 0;  // calls of permit_for under way
    std::vector<Kept> kept;  // the one used last is at the end

    [[nodiscard]] bool is_idle() const noexcept {
        return kept.empty() && asking == 0 && permits.available() == permit_count;
    }
};

ConnectionPool::ConnectionPool(const ClientOptions& options) noexcept : options_(options) {}

ConnectionPool::~ConnectionPool() {
    for (const auto& [key, host] : hosts_) {
        for (Kept& kept : host->kept) kept.end_watch();
    }
}

ConnectionPool::Host& ConnectionPool::host_of(const std::string& key) {
    auto& host = hosts_[key];
    if (!host) host = std::make_unique<Host>(options_.connections_per_host_max);
    return *host;
}

Future<Permits> ConnectionPool::permit_for(std::string key) {
    if (hosts_.size() > options_.kept_hosts_max) shrink();
    Host& host = host_of(key);
    ++host.asking;
    const ScopeExit leave([&host] { --host.asking; });
    co_return co_await host.permits.acquire();
}

Future<std::unique_ptr<ClientConnection>> ConnectionPool::take(std::string key) {
    // Whoever takes has a permit, so the host stays in the table.
    Host& host = host_of(key);
    while (!host.kept.empty()) {
        const std::shared_ptr<Watched> taken = remove(host, host.kept.size() - 1);
        co_await taken->ended.wait();
        if (taken->connection->is_reusable()) co_return std::move(taken->connection);
    }
    co_return nullptr;
}

void ConnectionPool::keep(std::unique_ptr<ClientConnection> connection, Executor& executor) {
    GYRE_ASSERT(connection != nullptr, "a null connection is returned to the pool");
    Host& host = host_of(connection->key());
    connection->permit.release();
    if (!connection->is_reusable() || options_.kept_per_host_max == 0) return;
    if (host.kept.size() >= options_.kept_per_host_max) remove(host, 0);
    if (kept_count_ >= options_.kept_hosts_max * options_.kept_per_host_max) drop_oldest();
    connection->was_kept = true;
    connection->kept_since = executor.now();
    auto watched = std::make_shared<Watched>();
    watched->connection = std::move(connection);
    auto watch = executor.root().spawn_daemon(&ConnectionPool::watch, watched, weak_from_this(),
                                              options_.kept_for);
    watch.set_name("a kept connection");
    // It may be cancelled before it has begun, so it cannot tell by itself.
    watch.on_complete([watched] { watched->ended.set(); });
    host.kept.push_back(Kept{.watched = std::move(watched), .watch = std::move(watch)});
    ++kept_count_;
    GYRE_ASSERT(host.kept.size() <= options_.kept_per_host_max,
                "the pool of a host exceeds its limit");
}

// Ends when the server does something, after the limit, or when the connection is taken.
Future<void> ConnectionPool::watch(std::shared_ptr<Watched> watched,
                                   std::weak_ptr<ConnectionPool> pool, Duration limit) {
    try {
        co_await timeout(watched->connection->await_unasked(), limit);
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception&) {
        // Reset, or its time is over.
    }
    if (const auto table = pool.lock()) table->forget(*watched);
}

std::shared_ptr<ConnectionPool::Watched> ConnectionPool::remove(Host& host,
                                                                std::size_t index) noexcept {
    GYRE_ASSERT(index < host.kept.size(), "there is no kept connection %zu", index);
    Kept kept = std::move(host.kept[index]);
    host.kept.erase(host.kept.begin() + static_cast<std::ptrdiff_t>(index));
    GYRE_ASSERT(kept_count_ > 0, "more connections leave the pool than were kept");
    --kept_count_;
    kept.end_watch();
    return kept.watched;
}

void ConnectionPool::forget(const Watched& watched) noexcept {
    const auto at = hosts_.find(watched.connection->key());
    if (at == hosts_.end()) return;
    Host& host = *at->second;
    const std::size_t before = host.kept.size();
    std::erase_if(host.kept, [&](const Kept& each) { return each.watched.get() == &watched; });
    kept_count_ -= before - host.kept.size();
    if (host.is_idle()) hosts_.erase(at);
}

void ConnectionPool::drop_all_of(const std::string& key) {
    Host& host = host_of(key);
    while (!host.kept.empty()) remove(host, host.kept.size() - 1);
}

void ConnectionPool::drop_oldest() noexcept {
    Host* oldest = nullptr;
    for (const auto& [key, host] : hosts_) {
        if (host->kept.empty()) continue;
        if (oldest == nullptr || host->kept.front().watched->connection->kept_since <
                                     oldest->kept.front().watched->connection->kept_since) {
            oldest = host.get();
        }
    }
    if (oldest != nullptr) remove(*oldest, 0);
}

void ConnectionPool::shrink() noexcept {
    std::erase_if(hosts_, [](const auto& entry) { return entry.second->is_idle(); });
}

}  // namespace gyre::http
