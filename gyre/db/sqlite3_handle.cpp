// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/sqlite3_handle.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/db/error.hpp"
#include "gyre/db/internal/sqlite3_values.hpp"
#include "gyre/db/internal/statement_name.hpp"

namespace gyre::db {

namespace {

// How long another process may hold the lock of the file, and how often it is looked at.
constexpr int busy_ms_max = 5000;
constexpr int busy_look_ms_max = 50;
// Of SQLite's machine, between two looks at an interrupt: some microseconds. A query with fewer steps is short.
constexpr int steps_between_looks = 1000;
// The cells and the answer of a short query.
constexpr int short_bytes_max = 16 * 1024;

// In characters from 1, of an offset in bytes.
std::size_t position_of(const std::string& sql, int offset) {
    if (offset < 0 || static_cast<std::size_t>(offset) > sql.size()) return 0;
    std::size_t position = 1;
    for (int i = 0; i < offset; ++i) {
        position += (static_cast<unsigned char>(sql[static_cast<std::size_t>(i)]) & 0xC0U) != 0x80U;
    }
    return position;
}

// One step of a pragma may read the whole file.
bool is_query_text(std::string_view sql) {
    sql = without_comments(sql);
    return sqlite3_strnicmp(sql.data(), "select", std::min<int>(6, static_cast<int>(sql.size()))) ==
               0 &&
           sql.size() > 6;
}

void reset(sqlite3_stmt& statement) noexcept {
    sqlite3_reset(&statement);
    sqlite3_clear_bindings(&statement);
}

}  // namespace

SqliteHandle::SqliteHandle(const std::string& path, const Limits& limits, const char* vfs)
    : limits_(limits), is_simulated_(vfs != nullptr) {
    sqlite3* made = nullptr;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(path.c_str(), &made, flags, vfs);
    database_.reset(made);
    try {
        if (code != SQLITE_OK) throw DbError(sqlite_error(made));
        sqlite3_progress_handler(made, steps_between_looks, &is_to_stop, this);
        sqlite3_busy_handler(made, &wait_for_lock, this);
        // Readers and one writer at once; a file of another kind is found out here.
        script("pragma journal_mode = wal; pragma foreign_keys = on");
    } catch (const DbError& e) {
        throw DbError(DbError::Kind::unreachable, "'sqlite:" + path + "': " + e.message());
    }
}

SqliteHandle::~SqliteHandle() = default;

namespace {

// `vacuum` attaches a file without a name, which is removed; `vacuum into` one with a name.
int allow_no_other_file(void* /*unused*/, int action, const char* first, const char* /*second*/,
                        const char* /*database*/, const char* /*trigger*/) {
    const std::string_view name = first == nullptr ? "" : first;
    if (action == SQLITE_ATTACH && !name.empty() && name != ":memory:") return SQLITE_DENY;
    // Directories of temporary files.
    if (action == SQLITE_PRAGMA && name.ends_with("_store_directory")) return SQLITE_DENY;
    return SQLITE_OK;
}

}  // namespace

void SqliteHandle::confine() noexcept {
    sqlite3_set_authorizer(database_.get(), allow_no_other_file, nullptr);
}

int SqliteHandle::is_to_stop(void* self) noexcept {
    const auto& own = *static_cast<SqliteHandle*>(self);
    return own.is_at_once_ || own.is_interrupted_.load(std::memory_order_relaxed) ? 1 : 0;
}

int SqliteHandle::wait_for_lock(void* self, int count) noexcept {
    // 1, 2, 3, … ms, then always the longest: the sum of those before.
    const int growing = std::min(count, busy_look_ms_max);
    const int waited_ms = growing * (growing + 1) / 2 + (count - growing) * busy_look_ms_max;
    if (is_to_stop(self) != 0 || waited_ms >= busy_ms_max) return 0;
    // Nobody gives a lock back while this one is in a call: the link waits, and calls again.
    if (static_cast<SqliteHandle*>(self)->is_simulated_) return 0;
    sqlite3_sleep(std::min(count + 1, busy_look_ms_max));
    return 1;
}

void SqliteHandle::fail(const std::string& sql) const {
    DbError::Details details = sqlite_error(database_.get());
    details.position = position_of(sql, sqlite3_error_offset(database_.get()));
    throw DbError(std::move(details)).of_statement(sql);
}

SqliteHandle::Prepared SqliteHandle::prepare(const std::string& sql) {
    sqlite3_stmt* made = nullptr;
    const char* rest = nullptr;
    const int code =
        sqlite3_prepare_v3(database_.get(), sql.c_str(), static_cast<int>(sql.size() + 1),
                           SQLITE_PREPARE_PERSISTENT, &made, &rest);
    Prepared statement(made);
    if (code != SQLITE_OK) fail(sql);
    const std::string_view behind(rest);
    if (made == nullptr || behind.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
        throw DbError(DbError::Kind::statement, "exactly one statement is expected")
            .of_statement(sql);
    }
    return statement;
}

void SqliteHandle::find_parameters(Kept& statement) {
    const int count = sqlite3_bind_parameter_count(statement.statement.get());
    for (int place = 1; place <= count; ++place) {
        const char* name = sqlite3_bind_parameter_name(statement.statement.get(), place);
        auto number = static_cast<std::size_t>(place);
        if (name != nullptr) {
            const std::string_view digits = std::string_view(name).substr(1);
            const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
            if (end.ec != std::errc() || end.ptr != digits.data() + digits.size() || number == 0) {
                throw DbError(
                    DbError::Kind::statement,
                    "a parameter is named '" + std::string(name) + "': $1, $2, … are possible")
                    .of_statement(statement.sql);
            }
        }
        statement.parameters.push_back(number - 1);
        statement.value_count = std::max(statement.value_count, number);
    }
}

SqliteHandle::Kept& SqliteHandle::kept(const std::string& sql) {
    if (const auto found = by_sql_.find(sql); found != by_sql_.end()) {
        statements_.splice(statements_.begin(), statements_, found->second);
        return statements_.front();
    }
    if (sql.contains('\0')) {
        throw DbError(DbError::Kind::statement, "the statement has a zero byte inside");
    }
    Kept made{.sql = sql, .statement = prepare(sql), .parameters = {}, .value_count = 0};
    find_parameters(made);
    made.is_query = sqlite3_stmt_readonly(made.statement.get()) != 0 && is_query_text(sql);
    if (statements_.size() >= limits_.statements_max && !statements_.empty() &&
        &statements_.back() != streamed_) {
        by_sql_.erase(statements_.back().sql);
        statements_.pop_back();
    }
    statements_.push_front(std::move(made));
    by_sql_[statements_.front().sql] = statements_.begin();
    return statements_.front();
}

bool SqliteHandle::is_read_only(const std::string& sql) {
    return sqlite3_stmt_readonly(kept(sql).statement.get()) != 0;
}

void SqliteHandle::bind(Kept& statement, const Values& values) {
    if (values.size() != statement.value_count) {
        throw DbError(DbError::Kind::mismatch,
                      "the statement has " + std::to_string(statement.value_count) +
                          " parameters, and " + std::to_string(values.size()) + " were given");
    }
    int place = 0;
    for (const std::size_t value : statement.parameters) {
        bind_value(*statement.statement, ++place, values[value], value + 1);
    }
}

// Known until SQLite prepares the statement anew, after a change of the schema.
const std::shared_ptr<const Columns>& SqliteHandle::columns_of(Kept& kept) {
    sqlite3_stmt& statement = *kept.statement;
    const int count = sqlite3_stmt_status(&statement, SQLITE_STMTSTATUS_REPREPARE, 0);
    if (kept.columns && count == kept.prepare_count) return kept.columns;
    auto columns = std::make_shared<Columns>();
    for (int i = 0; i < sqlite3_column_count(&statement); ++i) {
        const char* name = sqlite3_column_name(&statement, i);
        columns->push_back({.name = name == nullptr ? "" : name});
    }
    kept.columns = std::move(columns);
    kept.prepare_count = count;
    return kept.columns;
}

Rows SqliteHandle::read(Kept& kept, std::size_t bytes_max, bool is_piece, bool& is_at_end) {
    sqlite3_stmt& statement = *kept.statement;
    int code = sqlite3_step(&statement);
    Rows rows(columns_of(kept));  // behind the first step, which may prepare it anew
    for (; code == SQLITE_ROW; code = sqlite3_step(&statement)) {
        for (int i = 0; i < sqlite3_column_count(&statement); ++i) add_column(rows, statement, i);
        rows.end_row();
        if (rows.held_bytes() < bytes_max) continue;
        if (is_piece) return rows;
        throw DbError(DbError::Kind::limit,
                      "the answer is more than rows_bytes_max = " + std::to_string(bytes_max) +
                          ": read it as a stream");
    }
    if (code != SQLITE_DONE) throw DbError(sqlite_error(database_.get()));
    is_at_end = true;
    return rows;
}

void SqliteHandle::set_affected(Rows& rows, std::int64_t changed_before) const noexcept {
    const bool has_changed = sqlite3_total_changes64(database_.get()) != changed_before;
    rows.set_affected(has_changed ? static_cast<std::uint64_t>(sqlite3_changes64(database_.get()))
                                  : rows.size());
}

Rows SqliteHandle::run_kept(Kept& statement, const Values& values) {
    const ScopeExit clear([&] { reset(*statement.statement); });
    statement.is_short = false;
    bind(statement, values);
    const auto before = sqlite3_total_changes64(database_.get());
    bool is_at_end = false;
    Rows rows = read(statement, limits_.rows_bytes_max, false, is_at_end);
    set_affected(rows, before);
    if (!statement.is_query) return rows;
    const int steps = sqlite3_stmt_status(statement.statement.get(), SQLITE_STMTSTATUS_VM_STEP, 1);
    int missed_pages = 0;
    int highest = 0;
    sqlite3_db_status(database_.get(), SQLITE_DBSTATUS_CACHE_MISS, &missed_pages, &highest, 1);
    statement.is_short =
        steps < steps_between_looks && missed_pages == 0 && rows.held_bytes() < short_bytes_max;
    return rows;
}

Rows SqliteHandle::run(const std::string& sql, const Values& values) {
    Kept& statement = kept(sql);
    try {
        return run_kept(statement, values);
    } catch (const DbError& e) {
        throw e.of_statement(sql);
    }
}

std::optional<Rows> SqliteHandle::run_at_once(const std::string& sql, const Values& values) {
    const auto found = by_sql_.find(sql);
    if (found == by_sql_.end() || !found->second->is_short) return std::nullopt;
    const int length_max = sqlite3_limit(database_.get(), SQLITE_LIMIT_LENGTH, short_bytes_max);
    is_at_once_ = true;
    const ScopeExit restore([&] {
        is_at_once_ = false;
        sqlite3_limit(database_.get(), SQLITE_LIMIT_LENGTH, length_max);
    });
    try {
        return run_kept(kept(sql), values);
    } catch (const DbError&) {
        // Longer than the last time, locked, or wrong: a thread finds out.
        return std::nullopt;
    }
}

void SqliteHandle::run_each(Kept& statement, const std::vector<Values>& values) {
    for (const Values& each : values) {
        const ScopeExit clear([&] { reset(*statement.statement); });
        bind(statement, each);
        int code = SQLITE_ROW;
        while (code == SQLITE_ROW) code = sqlite3_step(statement.statement.get());
        if (code != SQLITE_DONE) throw DbError(sqlite_error(database_.get()));
    }
}

std::uint64_t SqliteHandle::batch(const std::string& sql, const std::vector<Values>& values) {
    const auto before = sqlite3_total_changes64(database_.get());
    const bool is_alone = !is_in_transaction();
    if (is_alone) script("begin immediate");
    try {
        run_each(kept(sql), values);
        if (is_alone) script("commit");
    } catch (const DbError& e) {
        if (is_alone && is_in_transaction()) script("rollback");
        throw e.of_statement(sql);
    }
    return static_cast<std::uint64_t>(sqlite3_total_changes64(database_.get()) - before);
}

void SqliteHandle::script(const std::string& sql) {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        fail(sql);
}

void SqliteHandle::begin_stream(const std::string& sql, const Values& values) {
    GYRE_ASSERT(streamed_ == nullptr, "two streams on one connection");
    Kept& statement = kept(sql);
    try {
        bind(statement, values);
    } catch (const DbError& e) {
        reset(*statement.statement);
        throw e.of_statement(sql);
    }
    streamed_ = &statement;
    changed_before_stream_ = sqlite3_total_changes64(database_.get());
}

Rows SqliteHandle::next_piece() {
    GYRE_ASSERT(streamed_ != nullptr, "no stream was begun");
    try {
        bool is_at_end = false;
        Rows rows = read(*streamed_, limits_.stream_bytes_max, true, is_at_end);
        if (is_at_end) {
            set_affected(rows, changed_before_stream_);
            end_stream();
        }
        return rows;
    } catch (const DbError& e) {
        throw e.of_statement(streamed_->sql);
    }
}

void SqliteHandle::end_stream() noexcept {
    if (streamed_ != nullptr) reset(*std::exchange(streamed_, nullptr)->statement);
}

}  // namespace gyre::db
