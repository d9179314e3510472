// SPDX-License-Identifier: Apache-2.0
// SqliteHandle: a connection of SQLite and the statements that it keeps. Every member blocks, and runs on
// a thread of the Offload, one at a time; only `interrupt` may be called beside another one.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/db/detail/limits.hpp"
#include "gyre/db/row.hpp"
#include "gyre/db/value.hpp"

namespace gyre::db {

class SqliteHandle {
public:
    // Opens the file, or makes it. Throws a DbError (unreachable). `vfs`: see simulated_vfs.
    SqliteHandle(const std::string& path, const Limits& limits, const char* vfs = nullptr);
    ~SqliteHandle();
    // From now on a statement opens no other file.
    void confine() noexcept;
    SqliteHandle(const SqliteHandle&) = delete;
    SqliteHandle& operator=(const SqliteHandle&) = delete;

    // Whether the statement changes nothing. Prepares it.
    [[nodiscard]] bool is_read_only(const std::string& sql);
    [[nodiscard]] Rows run(const std::string& sql, const Values& values);
    // The same on the loop's thread, for a query that was short the last time and is so again: few steps, no large
    // cell, no lock to wait for. Otherwise nothing, and it had no effect: `run` it on a thread.
    [[nodiscard]] std::optional<Rows> run_at_once(const std::string& sql, const Values& values);
    // All of them in one transaction, if none is open. The rows changed by all.
    [[nodiscard]] std::uint64_t batch(const std::string& sql, const std::vector<Values>& values);
    void script(const std::string& sql);
    // A statement whose rows are read in pieces, up to an empty one. `end_stream` before its end.
    void begin_stream(const std::string& sql, const Values& values);
    [[nodiscard]] Rows next_piece();
    void end_stream() noexcept;
    [[nodiscard]] bool is_streaming() const noexcept { return streamed_ != nullptr; }

    [[nodiscard]] bool is_in_transaction() const noexcept {
        return sqlite3_get_autocommit(database_.get()) == 0;
    }
    // On a simulated disk a lock that is taken fails at once.
    [[nodiscard]] bool is_simulated() const noexcept { return is_simulated_; }
    [[nodiscard]] sqlite3& database() noexcept { return *database_; }
    // The call that runs, or begins before `allow_calls`, fails with a DbError (cancelled).
    void interrupt() noexcept { is_interrupted_.store(true, std::memory_order_relaxed); }
    void allow_calls() noexcept { is_interrupted_.store(false, std::memory_order_relaxed); }

private:
    struct Close {
        void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    using Prepared = std::unique_ptr<sqlite3_stmt, Close>;
    struct Kept {
        std::string sql;
        Prepared statement;
        std::vector<std::size_t> parameters;  // the number of the value of each place
        std::size_t value_count = 0;
        std::shared_ptr<const Columns> columns = nullptr;
        int prepare_count = 0;
        bool is_query = false;  // reads only, and is no pragma
        bool is_short = false;  // was, the last time
    };

    [[nodiscard]] Kept& kept(const std::string& sql);
    [[nodiscard]] Prepared prepare(const std::string& sql);
    static void find_parameters(Kept& statement);
    [[nodiscard]] static const std::shared_ptr<const Columns>& columns_of(Kept& kept);
    void bind(Kept& statement, const Values& values);
    // The rows up to the end, or to so many bytes: a piece of them, or a DbError (limit).
    [[nodiscard]] Rows read(Kept& kept, std::size_t bytes_max, bool is_piece, bool& is_at_end);
    // Its rows, and whether it was short.
    [[nodiscard]] Rows run_kept(Kept& statement, const Values& values);
    void set_affected(Rows& rows, std::int64_t changed_before) const noexcept;
    void run_each(Kept& statement, const std::vector<Values>& values);
    [[noreturn]] void fail(const std::string& sql) const;

    // Called by SQLite: every so many steps, and while another one holds the lock of the file.
    static int is_to_stop(void* self) noexcept;
    static int wait_for_lock(void* self, int count) noexcept;

    const Limits& limits_;
    const bool is_simulated_;
    // Publishes nothing but itself, so no order is needed. sqlite3_interrupt would be lost on a call that is
    // between two statements.
    Atomic<bool> is_interrupted_{false};
    bool is_at_once_ = false;
    std::unique_ptr<sqlite3, Close> database_;
    std::list<Kept> statements_;  // the one used last is at the front
    std::unordered_map<std::string_view, std::list<Kept>::iterator> by_sql_;
    Kept* streamed_ = nullptr;
    std::int64_t changed_before_stream_ = 0;
};

}  // namespace gyre::db
