// SPDX-License-Identifier: Apache-2.0
// name_of_statement: the name that a statement gives itself in a comment in front of it, as files of queries have
// them: "-- name: find_user" and a new line. Pure functions.
#pragma once

#include <algorithm>
#include <string_view>

namespace gyre::db {

inline constexpr std::string_view sql_blanks = " \t\r\n";

// A longer one is no name.
inline constexpr std::size_t statement_name_bytes_max = 64;

// Without blanks and lines of comments at its beginning.
[[nodiscard]] inline std::string_view without_comments(std::string_view sql) noexcept {
    for (;;) {
        sql.remove_prefix(std::min(sql.find_first_not_of(sql_blanks), sql.size()));
        if (!sql.starts_with("--")) return sql;
        sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
    }
}

// Empty: none. Letters, digits, '_', '-', '.' and ':'; what follows a blank is not part of it.
[[nodiscard]] inline std::string_view name_of_statement(std::string_view sql) noexcept {
    constexpr std::string_view mark = "-- name:";
    constexpr std::string_view signs =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:";
    sql.remove_prefix(std::min(sql.find_first_not_of(sql_blanks), sql.size()));
    if (!sql.starts_with(mark)) return {};
    sql = sql.substr(mark.size());
    sql = sql.substr(0, sql.find('\n'));
    sql.remove_prefix(std::min(sql.find_first_not_of(" \t"), sql.size()));
    sql = sql.substr(0, sql.find_first_of(" \t\r"));
    const bool is_name =
        sql.find_first_not_of(signs) == sql.npos && sql.size() <= statement_name_bytes_max;
    return is_name ? sql : std::string_view();
}

}  // namespace gyre::db
