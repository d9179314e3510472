// SPDX-License-Identifier: Apache-2.0
// SqliteDriver, SqliteLink: SQLite on the threads of the loop's Offload. Each link has a handle of its own,
// so that many read while one writes (WAL). Writers of one driver take turns by a lock of tasks, and do not
// meet in the file; the lock is held to the end of a transaction. One loop's thread.
//
//     a call       lock of the link; lock of the writers, if the statement changes something and no
//                  transaction holds it; a thread runs the call
//     a short query  runs on the loop's thread, where a hand-over would cost more than the query
//     a simulated disk  see sqlite3_disk.hpp
//     a cancel     withdraws the call, or interrupts it and awaits its end
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gyre/db/detail/link.hpp"
#include "gyre/db/internal/sqlite3_handle.hpp"
#include "gyre/db/internal/url.hpp"
#include "gyre/task/sync/semaphore.hpp"

namespace gyre::db {

class SqliteDriver final : public Driver {
public:
    // The options outlive the driver.
    SqliteDriver(Url url, const PoolOptions& options)
        : url_(std::move(url)), limits_(options.limits), is_confined_(options.is_confined) {}

    [[nodiscard]] Future<std::unique_ptr<Link>> connect(std::string name) override;
    // Every connection to :memory: would be a database of its own.
    [[nodiscard]] std::size_t connections_max(std::size_t wanted) const noexcept override {
        return url_.name == ":memory:" ? 1 : wanted;
    }
    [[nodiscard]] bool is_postgres() const noexcept override { return false; }
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
    [[nodiscard]] Mutex& writing() noexcept { return writing_; }

private:
    const Url url_;
    const Limits& limits_;
    const bool is_confined_;
    Mutex writing_{"the writer of an SQLite file"};
};

class SqliteLink final : public Link {
public:
    SqliteLink(SqliteDriver& driver, std::unique_ptr<SqliteHandle> handle) noexcept
        : driver_(driver), handle_(std::move(handle)) {}

    [[nodiscard]] Future<Rows> run(std::string sql, Values values) override;
    [[nodiscard]] Future<std::uint64_t> batch(std::string sql, std::vector<Values> values) override;
    [[nodiscard]] Future<void> script(std::string sql) override;
    [[nodiscard]] Stream<Rows> stream(std::string sql, Values values) override;
    [[nodiscard]] Future<void> begin(Begin how) override;
    [[nodiscard]] Future<void> commit() override;
    [[nodiscard]] Future<void> rollback() override;
    [[nodiscard]] Future<void> backup(std::string to, BackupWatcher& watcher) override;
    [[nodiscard]] bool is_reusable() const noexcept override;
    // A file has no server that could go.
    [[nodiscard]] Future<void> check() override { co_return; }
    void close() noexcept override { is_closed_ = true; }

private:
    using Work = std::move_only_function<void(SqliteHandle& handle)>;

    // What to do on a simulated disk if another connection holds a lock: elsewhere the thread waits.
    enum class WhenBusy : bool { fail, wait };

    // Runs it on a thread. A cancel withdraws or interrupts it.
    [[nodiscard]] Future<void> call(Work work, WhenBusy when_busy = WhenBusy::wait);
    // The same for a statement that may write: takes the lock of the writers before.
    [[nodiscard]] Future<void> call_as_writer(Work work, WhenBusy when_busy = WhenBusy::wait);
    // Whether a statement writes: readers do not wait for the lock.
    [[nodiscard]] Future<void> learn(const std::string& sql);
    void end_writing() noexcept;
    void expect_open() const;

    SqliteDriver& driver_;
    const std::unique_ptr<SqliteHandle> handle_;
    Mutex using_{"a connection of SQLite"};
    MutexGuard writer_;  // while this link may write
    std::unordered_map<std::string, bool> writers_;
    bool is_closed_ = false;
};

}  // namespace gyre::db
