// SPDX-License-Identifier: Apache-2.0
// statement_end, is_blank_sql: where the statements of a text end, as a prompt and a script need to know. Quotes, comments
// and the bodies of triggers and functions may have semicolons. Nothing else of SQL is understood.
//
//     while (const std::size_t end = db::statement_end(text, true)) {
//         co_await database.script(std::string(text.substr(0, end)));
//         text.remove_prefix(end);
//     }
//     const bool is_done = db::is_blank_sql(text, true);  // else: the last one is not finished
//
// Thread: any.
// Lifetime: values.
#pragma once

#include <cstddef>
#include <string_view>

namespace gyre::db {

// Behind the ';' that ends the first statement; 0 if it has none.
[[nodiscard]] std::size_t statement_end(std::string_view text, bool is_postgres);
// Whether it has nothing but spaces, comments and semicolons.
[[nodiscard]] bool is_blank_sql(std::string_view text, bool is_postgres);

}  // namespace gyre::db
