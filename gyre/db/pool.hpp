// SPDX-License-Identifier: Apache-2.0
// Pool: the connections to one database, PostgreSQL or SQLite, by its URL. Connection: one of them, taken
// out of the pool; its destructor gives it back.
//
//     db::Pool database("sqlite:notes.db");
//     co_await database.execute("insert into notes (text) values ($1)", "buy milk");
//     for (const db::Row row : co_await database.query("select text from notes where id < $1", 10)) {
//         std::puts(row.get<std::string>("text").c_str());
//     }
//     const auto count = co_await database.one<std::int64_t>("select count(*) from notes");
//
// Thread: one loop's thread.
// Lifetime: outlives its connections and the futures of its members.
// Cancel: the statement is cancelled in the database too; a connection whose state is unknown then is
// closed and never used again.
//
// A connection that was listened on is closed, and not given back. Other settings of a session, such as
// `set`, stay with a connection for its next user.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/db/detail/encryption.hpp"
#include "gyre/db/detail/limits.hpp"
#include "gyre/db/detail/link.hpp"
#include "gyre/db/error.hpp"
#include "gyre/db/row.hpp"
#include "gyre/db/statements.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/task/sync/semaphore.hpp"

namespace gyre::db {

class Pool;

struct PoolOptions {
    // Further users wait in order.
    std::size_t connections_max = 10;
    // Each throws a DbError (timed_out).
    Duration acquire_time_max = std::chrono::seconds(30);
    Duration connect_time_max = std::chrono::seconds(10);
    // An idle connection is checked with a round trip if it was not used for this long, and closed after
    // that one.
    Duration check_after = std::chrono::seconds(30);
    Duration idle_time_max = std::chrono::minutes(10);
    // Shown by the server for each connection, with a number behind it.
    std::string name = "gyre";
    Limits limits = {};
    // Statements of SQLite open no other files: attach and vacuum into are refused.
    bool is_confined = false;
    // For URLs with sslmode=require or verify-full.
    std::shared_ptr<Encryption> encryption = nullptr;
};

// One connection, out of a pool. Several tasks may use it at once: their statements are pipelined.
class Connection final : public LinkStatements {
public:
    Connection(Connection&& other) noexcept = default;
    Connection& operator=(Connection&& other) noexcept;
    ~Connection();

    // The channel to listen on is set by `listen news`.
    [[nodiscard]] Future<Notification> notification() { return link().notification(); }
    // copy … from stdin, copy … to stdout. PostgreSQL only.
    [[nodiscard]] Future<std::uint64_t> copy_in(std::string sql, Pieces& pieces) {
        return link().copy_in(std::move(sql), pieces);
    }
    [[nodiscard]] Stream<std::string> copy_out(std::string sql) {
        return link().copy_out(std::move(sql));
    }

    [[nodiscard]] Link& link() noexcept;

private:
    [[nodiscard]] Link& used_link() noexcept override { return link(); }
    [[nodiscard]] Future<void> do_transaction(TransactionBody& body,
                                              TransactionOptions options) override;

    friend class Pool;
    Connection(Pool& pool, std::unique_ptr<Link> link, Permits permits) noexcept;

    Pool* pool_;
    std::unique_ptr<Link> link_;
    Permits permits_;
};

class Pool final : public Statements {
public:
    // Opens nothing yet. Throws a DbError for a URL that is wrong, or of a database that this build has not.
    explicit Pool(std::string_view url, PoolOptions options = {});
    // With a driver of one's own, for tests.
    Pool(std::unique_ptr<Driver> driver, PoolOptions options);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // The connection used last, or a new one; waits in order while all are in use.
    [[nodiscard]] Future<Connection> acquire();
    // The whole of an SQLite database, as it is at one moment, into a file that SQLite makes, or whose content it
    // replaces: at once at the end, so a cancel, a failure or a crash leaves it as it was. Others read and write
    // meanwhile. The watcher is called after each megabyte; what it throws ends the backup. PostgreSQL has pg_dump:
    // a DbError (failed).
    [[nodiscard]] Future<void> backup(std::string to, BackupWatcher watcher = nullptr);
    // Closes the idle connections.
    void close_idle() noexcept { idle_.clear(); }

    [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }
    [[nodiscard]] bool is_postgres() const noexcept { return driver_->is_postgres(); }
    [[nodiscard]] std::size_t idle_count() const noexcept { return idle_.size(); }
    [[nodiscard]] std::size_t used_count() const noexcept;

private:
    friend class Connection;
    [[nodiscard]] Future<Rows> do_run(std::string sql, Values values) override;
    [[nodiscard]] Stream<Rows> do_stream(std::string sql, Values values) override;
    [[nodiscard]] Future<std::uint64_t> do_batch(std::string sql,
                                                 std::vector<Values> values) override;
    [[nodiscard]] Future<void> do_script(std::string sql) override;
    [[nodiscard]] Future<void> do_transaction(TransactionBody& body,
                                              TransactionOptions options) override;

    struct Idle {
        std::unique_ptr<Link> link;
        Instant since;
    };

    [[nodiscard]] Future<std::unique_ptr<Link>> usable_link();
    void give_back(std::unique_ptr<Link> link) noexcept;

    const PoolOptions options_;
    const std::unique_ptr<Driver> driver_;
    const std::size_t connections_max_;
    Semaphore permits_;
    std::vector<Idle> idle_;  // the one used last is at the end
    Executor* executor_ = nullptr;
    std::uint64_t opened_count_ = 0;
};

}  // namespace gyre::db
