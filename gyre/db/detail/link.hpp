// SPDX-License-Identifier: Apache-2.0
// Link: one connection to a database, whatever database it is. Driver: makes them for a URL.
//
//     std::unique_ptr<db::Link> link = co_await driver.connect("worker/1");
//     db::Rows rows = co_await link->run("select 1", {});
//
// Thread: one loop's thread.
// Lifetime: a link outlives the futures of its members; a driver outlives its links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/db/row.hpp"
#include "gyre/db/value.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/stream/stream.hpp"

namespace gyre::db {

// The data of a copy, piece by piece; an empty piece is the end.
using Pieces = std::move_only_function<Future<std::string>()>;

struct Notification {
    std::string channel;
    std::string payload;
};

struct BackupProgress {
    std::uint64_t pages_copied = 0;
    std::uint64_t pages_total = 0;
};
using BackupWatcher = std::move_only_function<void(const BackupProgress&)>;

enum class Begin : std::uint8_t { usual, serializable, read_only };

// Cancel class of every member: the statement is cancelled in the database too, and its answer awaited;
// where that takes too long, the link is closed.
class Link {
public:
    virtual ~Link() = default;

    [[nodiscard]] virtual Future<Rows> run(std::string sql, Values values) = 0;
    // The same statement once for each of the values, sent together: all take effect, or none. Gives
    // the rows changed by all.
    [[nodiscard]] virtual Future<std::uint64_t> batch(std::string sql,
                                                      std::vector<Values> values) = 0;
    // Several statements without parameters, whose rows are dropped.
    [[nodiscard]] virtual Future<void> script(std::string sql) = 0;
    // The rows in pieces, no more of them in memory than Limits::stream_bytes_max.
    [[nodiscard]] virtual Stream<Rows> stream(std::string sql, Values values) = 0;
    [[nodiscard]] virtual Future<void> begin(Begin how) = 0;
    // Throws if the transaction has failed and can only be rolled back.
    [[nodiscard]] virtual Future<void> commit() = 0;
    [[nodiscard]] virtual Future<void> rollback() = 0;

    // PostgreSQL's alone; elsewhere a DbError (failed).
    [[nodiscard]] virtual Future<std::uint64_t> copy_in(std::string sql, Pieces& pieces);
    [[nodiscard]] virtual Stream<std::string> copy_out(std::string sql);
    [[nodiscard]] virtual Future<Notification> notification();
    // SQLite's alone: see Pool::backup.
    [[nodiscard]] virtual Future<void> backup(std::string to, BackupWatcher& watcher);

    // Whether the next user finds it as a new one: open, nothing under way, no transaction.
    [[nodiscard]] virtual bool is_reusable() const noexcept = 0;
    // Asks the database for a sign of life.
    [[nodiscard]] virtual Future<void> check() = 0;
    // Ends at once whatever is under way.
    virtual void close() noexcept = 0;
};

class Driver {
public:
    virtual ~Driver() = default;
    // `name` is what the database shows for it.
    [[nodiscard]] virtual Future<std::unique_ptr<Link>> connect(std::string name) = 0;
    [[nodiscard]] virtual std::size_t connections_max(std::size_t wanted) const noexcept {
        return wanted;
    }
    [[nodiscard]] virtual bool is_postgres() const noexcept = 0;
};

}  // namespace gyre::db
