// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/sqlite3_values.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "gyre/db/internal/big_endian.hpp"

namespace gyre::db {

namespace {

struct Meaning {
    int code;
    DbError::Kind kind;
    const char* sqlstate;
};
// The codes of SQLite in the words of PostgreSQL; an extended code stands before its primary one.
constexpr std::array<Meaning, 18> meanings = {
    {{SQLITE_CONSTRAINT_UNIQUE, DbError::Kind::constraint, "23505"},
     {SQLITE_CONSTRAINT_PRIMARYKEY, DbError::Kind::constraint, "23505"},
     {SQLITE_CONSTRAINT_NOTNULL, DbError::Kind::constraint, "23502"},
     {SQLITE_CONSTRAINT_FOREIGNKEY, DbError::Kind::constraint, "23503"},
     {SQLITE_CONSTRAINT_CHECK, DbError::Kind::constraint, "23514"},
     {SQLITE_CONSTRAINT, DbError::Kind::constraint, "23000"},
     {SQLITE_BUSY, DbError::Kind::busy, "55P03"},
     {SQLITE_LOCKED, DbError::Kind::busy, "55P03"},
     {SQLITE_INTERRUPT, DbError::Kind::cancelled, "57014"},
     {SQLITE_READONLY, DbError::Kind::read_only, "25006"},
     {SQLITE_FULL, DbError::Kind::failed, "53100"},
     {SQLITE_CORRUPT, DbError::Kind::failed, "XX001"},
     {SQLITE_NOTADB, DbError::Kind::unreachable, "XX001"},
     {SQLITE_CANTOPEN, DbError::Kind::unreachable, "58P01"},
     {SQLITE_IOERR, DbError::Kind::failed, "58030"},
     {SQLITE_TOOBIG, DbError::Kind::limit, "54000"},
     {SQLITE_MISMATCH, DbError::Kind::mismatch, "42804"},
     {SQLITE_ERROR, DbError::Kind::statement, "42601"}}};

}  // namespace

DbError::Details sqlite_error(sqlite3* database) {
    const int extended = sqlite3_extended_errcode(database);
    DbError::Details details{.message = sqlite3_errmsg(database)};
    const Meaning* meaning = nullptr;
    for (const Meaning& each : meanings) {
        if (meaning == nullptr && (each.code == extended || each.code == (extended & 0xFF))) {
            meaning = &each;
        }
    }
    if (meaning != nullptr) {
        details.kind = meaning->kind;
        details.sqlstate = meaning->sqlstate;
    }
    details.is_retry_safe = is_retry_safe(details.kind);
    return details;
}

void add_column(Rows& rows, sqlite3_stmt& statement, int column) {
    std::string number;
    switch (sqlite3_column_type(&statement, column)) {
        case SQLITE_INTEGER:
            append_big_endian(number, std::int64_t{sqlite3_column_int64(&statement, column)});
            rows.add_cell(Type::any_integer, bytes_of(number));
            return;
        case SQLITE_FLOAT:
            append_big_endian(
                number, std::bit_cast<std::uint64_t>(sqlite3_column_double(&statement, column)));
            rows.add_cell(Type::float8, bytes_of(number));
            return;
        case SQLITE_NULL:
            rows.add_null();
            return;
        default:
            break;
    }
    const bool is_text = sqlite3_column_type(&statement, column) == SQLITE_TEXT;
    // The pointer first: it may convert, which changes the size.
    const auto* data = static_cast<const std::byte*>(
        is_text ? static_cast<const void*>(sqlite3_column_text(&statement, column))
                : sqlite3_column_blob(&statement, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(&statement, column));
    rows.add_cell(is_text ? Type::any_text : Type::bytes, ConstBytes(data, size));
}

void bind_value(sqlite3_stmt& statement, int place, const Value& value, std::size_t number) {
    const Value::Held& held = value.held();
    int code = SQLITE_OK;
    if (value.is_null()) {
        code = sqlite3_bind_null(&statement, place);
    } else if (const auto* flag = std::get_if<bool>(&held)) {
        code = sqlite3_bind_int64(&statement, place, *flag ? 1 : 0);
    } else if (const auto* integer = std::get_if<std::int64_t>(&held)) {
        code = sqlite3_bind_int64(&statement, place, *integer);
    } else if (const auto* real = std::get_if<double>(&held);
               real != nullptr && !std::isnan(*real)) {
        code = sqlite3_bind_double(&statement, place, *real);
    } else if (const auto* blob = std::get_if<Blob>(&held)) {
        // Not null, which an empty one would be otherwise.
        const void* data = blob->empty() ? static_cast<const void*>("") : blob->data();
        code = sqlite3_bind_blob64(&statement, place, data, blob->size(), SQLITE_STATIC);
    } else if (const auto* text = std::get_if<std::string>(&held)) {
        code = sqlite3_bind_text64(&statement, place, text->data(), text->size(), SQLITE_STATIC,
                                   SQLITE_UTF8);
    } else if (real != nullptr || std::holds_alternative<Array>(held)) {
        throw DbError(DbError::Kind::mismatch, "parameter $" + std::to_string(number) + " is " +
                                                   (real != nullptr ? "NaN" : value.kind_name()) +
                                                   ", which SQLite does not store");
    } else {
        std::string written = value.to_text();
        // Without the zone, which is UTC and which SQLite's own functions do not write.
        if (std::holds_alternative<Timestamp>(held) && written.ends_with("+00"))
            written.resize(written.size() - 3);
        code = sqlite3_bind_text64(&statement, place, written.data(), written.size(),
                                   SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    if (code != SQLITE_OK) throw DbError(sqlite_error(sqlite3_db_handle(&statement)));
}

}  // namespace gyre::db
