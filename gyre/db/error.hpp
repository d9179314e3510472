// SPDX-License-Identifier: Apache-2.0
// DbError: why a statement, a connection or a row failed, with what the server said.
//
//     try {
//         co_await database.execute("insert into users values ($1)", name);
//     } catch (const db::DbError& e) {  // insert into users …: duplicate key … [23505]
//         if (e.kind() != db::DbError::Kind::constraint) throw;
//     }
//
// Thread: a value.
// Lifetime: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/base/failure.hpp"

namespace gyre::db {

class DbError : public Failure {
public:
    enum class Kind : std::uint8_t {
        unreachable,  // no connection could be made
        refused,      // the password, the user or a permission is wrong
        busy,         // too many connections, starting up, shutting down, or locked by another one
        lost,         // the connection ended in the middle of a statement
        read_only,    // the database takes no changes now
        constraint,   // a rule of the schema forbids it: unique, not null, foreign key, check
        conflict,     // another transaction came between: a serialization failure or a deadlock
        cancelled,    // the server ended the statement, by a request or its own time limit
        timed_out,    // a time limit of this program
        statement,    // the text of the statement is wrong: syntax, names, types
        mismatch,     // a parameter or a column does not fit its C++ type
        protocol,     // the server broke the protocol
        limit,        // a named limit was exceeded
        failed        // everything else
    };
    struct Details {
        Kind kind = Kind::failed;
        std::string message = {};
        std::string sqlstate = {};   // five characters; empty if the server said none
        std::string statement = {};  // its text, shortened
        std::string name = {};     // of the statement, if its text begins with "-- name: find_user"
        std::size_t position = 0;  // of the fault in the statement, in characters from 1; 0: none
        std::string constraint = {};
        // The statement had no effect, and may succeed when it is tried again.
        bool is_retry_safe = false;
    };

    explicit DbError(Details details);
    DbError(Kind kind, std::string message);

    [[nodiscard]] Kind kind() const noexcept { return details_.kind; }
    [[nodiscard]] const std::string& message() const noexcept { return details_.message; }
    [[nodiscard]] const std::string& sqlstate() const noexcept { return details_.sqlstate; }
    [[nodiscard]] const std::string& statement() const noexcept { return details_.statement; }
    [[nodiscard]] const std::string& statement_name() const noexcept { return details_.name; }
    [[nodiscard]] std::size_t position() const noexcept { return details_.position; }
    [[nodiscard]] const std::string& constraint() const noexcept { return details_.constraint; }
    [[nodiscard]] bool is_retry_safe() const noexcept { return details_.is_retry_safe; }
    // The same error of a statement.
    [[nodiscard]] DbError of_statement(std::string_view sql) const;

private:
    Details details_;
};

// What a SQLSTATE means.
[[nodiscard]] DbError::Kind kind_of_sqlstate(std::string_view sqlstate) noexcept;
// Whether a statement that failed so had no effect and is worth another try.
[[nodiscard]] bool is_retry_safe(DbError::Kind kind) noexcept;

}  // namespace gyre::db
