// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/pool.hpp"

#include <algorithm>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/db/internal/drivers.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::db {

namespace {

template <class T>
Future<T> in_time(Future<T> future, Duration limit, const char* doing) {
    try {
        co_return co_await timeout(std::move(future), limit);
    } catch (const TimeoutError& e) {
        throw DbError(DbError::Kind::timed_out, std::string(doing) + ": " + e.what());
    }
}

Future<Permits> permit(Semaphore& of) {
    co_return co_await of.acquire();
}

}  // namespace

Connection::Connection(Pool& pool, std::unique_ptr<Link> link, Permits permits) noexcept
    : pool_(&pool), link_(std::move(link)), permits_(std::move(permits)) {}

Connection& Connection::operator=(Connection&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(link_, other.link_);
    permits_ = std::move(other.permits_);
    return *this;
}

Connection::~Connection() {
    if (link_) pool_->give_back(std::move(link_));
}

Link& Connection::link() noexcept {
    GYRE_ASSERT(link_ != nullptr, "this connection was moved from");
    return *link_;
}

Future<void> Connection::do_transaction(TransactionBody& body, TransactionOptions options) {
    GYRE_ASSERT(options.tries_max > 0, "a transaction is tried %d times", options.tries_max);
    for (int tries = 1;; ++tries) {
        try {
            co_await Transaction::run_on(link(), body, options.begin);
            co_return;
        } catch (const DbError& e) {
            const bool has_met_another =
                e.kind() == DbError::Kind::conflict || e.kind() == DbError::Kind::busy;
            if (!has_met_another || !e.is_retry_safe() || tries >= options.tries_max) throw;
        }
        co_await sleep(std::chrono::milliseconds(std::int64_t{1} << std::min(tries, 10)));
    }
}

Pool::Pool(std::string_view url, PoolOptions options)
    : options_(std::move(options)),
      driver_(make_driver(parse_url(url), options_)),
      connections_max_(driver_->connections_max(options_.connections_max)),
      permits_(connections_max_, "a connection to the database") {}

Pool::Pool(std::unique_ptr<Driver> driver, PoolOptions options)
    : options_(std::move(options)),
      driver_(std::move(driver)),
      connections_max_(driver_->connections_max(options_.connections_max)),
      permits_(connections_max_, "a connection to the database") {}

Pool::~Pool() {
    GYRE_ASSERT(used_count() == 0, "a pool goes while %zu of its connections are in use",
                used_count());
}

std::size_t Pool::used_count() const noexcept {
    return connections_max_ - permits_.available();
}

Future<Connection> Pool::acquire() {
    executor_ = &(co_await this_task()).executor();
    Permits permits = permits_.try_acquire();
    if (!permits) {
        permits =
            co_await in_time(permit(permits_), options_.acquire_time_max, "wait for a connection");
    }
    auto link =
        co_await in_time(usable_link(), options_.connect_time_max, "connect to the database");
    co_return Connection(*this, std::move(link), std::move(permits));
}

Future<std::unique_ptr<Link>> Pool::usable_link() {
    while (!idle_.empty()) {
        Idle last = std::move(idle_.back());
        idle_.pop_back();
        const Duration unused = executor_->now() - last.since;
        if (unused > options_.idle_time_max || !last.link->is_reusable()) continue;
        if (unused > options_.check_after) {
            try {
                co_await last.link->check();
            } catch (const DbError&) {
                continue;  // The server has gone, or was started again; so have the others.
            }
        }
        co_return std::move(last.link);
    }
    const std::string name = options_.name + "/" + std::to_string(++opened_count_);
    co_return co_await driver_->connect(name);
}

void Pool::give_back(std::unique_ptr<Link> link) noexcept {
    if (!link->is_reusable()) return;  // closed by its destructor
    idle_.push_back({.link = std::move(link), .since = executor_->now()});
}

Future<Rows> Pool::do_run(std::string sql, Values values) {
    Connection connection = co_await acquire();
    co_return co_await connection.link().run(std::move(sql), std::move(values));
}

Stream<Rows> Pool::do_stream(std::string sql, Values values) {
    Connection connection = co_await acquire();
    Stream<Rows> rows = connection.link().stream(std::move(sql), std::move(values));
    std::exception_ptr failure;
    try {
        while (auto piece = co_await rows.next()) co_yield std::move(*piece);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    co_await rows.aclose();
    std::rethrow_exception(failure);
}

Future<std::uint64_t> Pool::do_batch(std::string sql, std::vector<Values> values) {
    Connection connection = co_await acquire();
    co_return co_await connection.link().batch(std::move(sql), std::move(values));
}

Future<void> Pool::backup(std::string to, BackupWatcher watcher) {
    Connection connection = co_await acquire();
    co_await connection.link().backup(std::move(to), watcher);
}

Future<void> Pool::do_script(std::string sql) {
    Connection connection = co_await acquire();
    co_await connection.link().script(std::move(sql));
}

Future<void> Pool::do_transaction(TransactionBody& body, TransactionOptions options) {
    Connection connection = co_await acquire();
    co_await connection.do_transaction(body, options);
}

}  // namespace gyre::db
