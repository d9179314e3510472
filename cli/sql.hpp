// SPDX-License-Identifier: Apache-2.0
// SqlSession: runs statements on one connection, one after another, and writes their rows. One task of one loop; the
// pool outlives it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/repl.hpp"
#include "cli/sql_rows.hpp"
#include "gyre/db/pool.hpp"

namespace gyre::cli {

struct SqlOptions {
    std::string url;
    SqlFormat format = SqlFormat::table;
    Duration time_max = Duration::zero();  // of a statement; zero: none
};

class SqlSession {
public:
    // Throws a DbError for a wrong URL.
    explicit SqlSession(const SqlOptions& options);

    // Before the loop ends, if the session outlives it.
    void close() noexcept;
    // Runs the statements of a text up to the first one that fails.
    [[nodiscard]] Future<void> run(std::string text);
    // Every value of the first column.
    [[nodiscard]] Future<std::vector<std::string>> list(std::string sql);
    [[nodiscard]] bool is_postgres() const noexcept { return pool_.is_postgres(); }
    void set_format(SqlFormat format) noexcept { format_ = format; }

private:
    [[nodiscard]] Future<void> run_one(std::string sql);
    [[nodiscard]] Future<void> write_rows(std::string sql);

    db::Pool pool_;
    const Duration time_max_;
    SqlFormat format_;
    // Kept between statements, for transactions and settings; made anew when it was lost.
    std::optional<db::Connection> connection_;
};

// "table", "csv", "json".
[[nodiscard]] const std::vector<std::string>& sql_format_names();
[[nodiscard]] std::optional<SqlFormat> sql_format_of(std::string_view name);

// TLS for URLs that ask for it.
[[nodiscard]] std::shared_ptr<db::Encryption> make_sql_encryption();

[[nodiscard]] std::unique_ptr<ReplLanguage> make_sql_repl(gyre::Program& program,
                                                          const SqlOptions& options);

}  // namespace gyre::cli
