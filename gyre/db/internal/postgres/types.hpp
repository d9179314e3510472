// SPDX-License-Identifier: Apache-2.0
// The types of PostgreSQL by their numbers: which type of cell a column is, in which format it is asked
// for, and how a parameter is written.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/db/detail/cell.hpp"

namespace gyre::db::postgres {

using Oid = std::uint32_t;

enum class Format : std::int16_t { text = 0, binary = 1 };

// Fills in type and element from the number.
void classify(ColumnInfo& column) noexcept;
// Numbers, times and uuids come as binary; texts, numerics, arrays and types of users as text.
[[nodiscard]] Format format_of(Type type) noexcept;

// Appends the value as a parameter of that type, without its length. Throws DbError (mismatch).
Format append_parameter(std::string& to, const Value& value, Oid oid, std::size_t number);

}  // namespace gyre::db::postgres
