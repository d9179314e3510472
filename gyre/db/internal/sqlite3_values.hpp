// SPDX-License-Identifier: Apache-2.0
// The values and errors of SQLite's C interface as those of gyre/db. On the thread that uses the connection.
#pragma once

#include <sqlite3.h>

#include <cstddef>

#include "gyre/db/error.hpp"
#include "gyre/db/row.hpp"
#include "gyre/db/value.hpp"

namespace gyre::db {

// Of the last call that failed on this connection: SQLite's code in the words of PostgreSQL.
[[nodiscard]] DbError::Details sqlite_error(sqlite3* database);

// Adds a cell: a column of the row at which the statement stands.
void add_column(Rows& rows, sqlite3_stmt& statement, int column);

// Text and bytes are not copied: `value` outlives the binding. Throws a DbError (mismatch) for a value that SQLite
// cannot store, by its number from 1.
void bind_value(sqlite3_stmt& statement, int place, const Value& value, std::size_t number);

}  // namespace gyre::db
