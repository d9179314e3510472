// SPDX-License-Identifier: Apache-2.0
// The texts in which parameters, rows and errors of databases cross to the library. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gyre/db/error.hpp"
#include "gyre/db/row.hpp"
#include "gyre/db/value.hpp"

namespace gyre::script {

// Nothing if the text is not as Databases::run says.
[[nodiscard]] std::optional<db::Values> values_of(std::string_view text);
// {"columns":["id"],"rows":[["i7"],[null]]}: of a value the letter of a parameter and its text.
[[nodiscard]] std::string json_of(const db::Rows& rows);
// KIND NUL SQLSTATE NUL 1 if a retry is safe NUL POSITION NUL CONSTRAINT NUL MESSAGE
[[nodiscard]] std::string text_of(const db::DbError& error);

}  // namespace gyre::script
