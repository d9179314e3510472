// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/error.hpp"

#include <utility>

#include "gyre/db/internal/statement_name.hpp"

namespace gyre::db {

namespace {

constexpr std::size_t statement_shown_bytes = 200;

// Cut between characters, so that the text stays UTF-8.
std::string shortened(std::string_view sql) {
    if (sql.size() <= statement_shown_bytes) return std::string(sql);
    std::size_t end = statement_shown_bytes;
    while (end > 0 && (static_cast<unsigned char>(sql[end]) & 0xC0U) == 0x80U) --end;
    return std::string(sql.substr(0, end)) + "...";
}

std::string error_text(const DbError::Details& details) {
    std::string text;
    if (!details.statement.empty()) {
        text = "'" + (details.name.empty() ? details.statement : details.name) + "'";
        if (details.position != 0) text += " at " + std::to_string(details.position);
        text += ": ";
    }
    text += details.message;
    if (!details.sqlstate.empty()) text += " [" + details.sqlstate + "]";
    return text;
}

}  // namespace

DbError::DbError(Details details) : Failure(error_text(details)), details_(std::move(details)) {}

DbError::DbError(Kind kind, std::string message)
    : DbError(Details{
          .kind = kind, .message = std::move(message), .is_retry_safe = db::is_retry_safe(kind)}) {}

DbError DbError::of_statement(std::string_view sql) const {
    Details details = details_;
    details.statement = shortened(sql);
    details.name = name_of_statement(sql);
    return DbError(std::move(details));
}

DbError::Kind kind_of_sqlstate(std::string_view sqlstate) noexcept {
    using Kind = DbError::Kind;
    const std::string_view group = sqlstate.substr(0, 2);
    if (sqlstate == "40001" || sqlstate == "40P01") return Kind::conflict;
    if (sqlstate == "57014") return Kind::cancelled;
    if (sqlstate == "25006") return Kind::read_only;
    if (sqlstate == "53300" || sqlstate == "55P03" || group == "57") return Kind::busy;
    if (sqlstate == "42501" || group == "28") return Kind::refused;
    if (group == "23") return Kind::constraint;
    if (group == "42" || sqlstate == "0A000" || sqlstate == "26000") return Kind::statement;
    if (sqlstate == "3D000") return Kind::unreachable;
    if (group == "08") return Kind::lost;
    return Kind::failed;
}

bool is_retry_safe(DbError::Kind kind) noexcept {
    using Kind = DbError::Kind;
    return kind == Kind::unreachable || kind == Kind::busy || kind == Kind::conflict;
}

}  // namespace gyre::db
