// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "cli/page.hpp"
#include "cli/sql.hpp"
#include "gyre/db/statement_text.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre::cli {
namespace {

db::PoolOptions pool_options() {
    db::PoolOptions options;
    options.connections_max = 1;
    options.name = "gyre sql";
    options.encryption = make_sql_encryption();
    return options;
}

}  // namespace

const std::vector<std::string>& sql_format_names() {
    static const std::vector<std::string> names = {"table", "csv", "json"};
    return names;
}

std::optional<SqlFormat> sql_format_of(std::string_view name) {
    const auto found = std::ranges::find(sql_format_names(), name);
    if (found == sql_format_names().end()) return std::nullopt;
    return static_cast<SqlFormat>(found - sql_format_names().begin());
}

SqlSession::SqlSession(const SqlOptions& options)
    : pool_(options.url, pool_options()), time_max_(options.time_max), format_(options.format) {}

void SqlSession::close() noexcept {
    connection_.reset();
    pool_.close_idle();
}

Future<void> SqlSession::run(std::string text) {
    std::string_view rest = text;
    while (!db::is_blank_sql(rest, is_postgres())) {
        std::size_t end = db::statement_end(rest, is_postgres());
        if (end == 0) end = rest.size();
        std::string statement(rest.substr(0, end));
        rest.remove_prefix(end);
        if (db::is_blank_sql(statement, is_postgres())) continue;
        co_await run_one(std::move(statement));
    }
}

Future<void> SqlSession::run_one(std::string sql) {
    sql.erase(0, sql.find_first_not_of(" \t\r\n"));
    while (sql.ends_with(';') || sql.ends_with('\n') || sql.ends_with(' ')) sql.pop_back();
    try {
        if (!connection_) connection_.emplace(co_await pool_.acquire());
        if (time_max_ == Duration::zero()) {
            co_await write_rows(std::move(sql));
        } else {
            co_await timeout(write_rows(std::move(sql)), time_max_);
        }
    } catch (const db::DbError& error) {
        if (error.kind() == db::DbError::Kind::lost) connection_.reset();
        throw;
    } catch (const TimeoutError& error) {
        throw db::DbError(db::DbError::Kind::timed_out,
                          "no answer within " + in_words(error.limit()) +
                              ": the statement was cancelled; try a longer --timeout");
    }
}

Future<void> SqlSession::write_rows(std::string sql) {
    SqlRows rows(format_);
    auto pieces = connection_->stream(std::move(sql));
    std::exception_ptr failure;
    try {
        while (auto piece = co_await pieces.next()) rows.write(*piece);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        co_await pieces.aclose();
        std::rethrow_exception(failure);
    }
    rows.end();
}

Future<std::vector<std::string>> SqlSession::list(std::string sql) {
    if (!connection_) connection_.emplace(co_await pool_.acquire());
    const db::Rows rows = co_await connection_->query(std::move(sql));
    std::vector<std::string> all;
    for (const db::Row row : rows) all.push_back(row.cell(0).to_text());
    co_return all;
}

}  // namespace gyre::cli
