// SPDX-License-Identifier: Apache-2.0
// Url: where a database is.
//
//     sqlite:notes.db                                sqlite::memory:
//     postgres://ada:secret@db.example.org:5432/notes?sslmode=verify-full
//     postgres:///notes?host=/run/postgresql         a Unix socket
//
//     db::Url url = db::parse_url("sqlite:notes.db");
//
// Thread: a value.
// Lifetime: a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gyre::db {

struct Url {
    enum class Database : std::uint8_t { sqlite, postgres };

    Database database = Database::sqlite;
    std::string host = {};  // a path: a Unix socket in that folder
    std::uint16_t port = 5432;
    std::string user = {};
    std::string password = {};
    std::string name = {};  // of the database; of SQLite: the path of its file
    std::map<std::string, std::string, std::less<>> options = {};

    [[nodiscard]] bool is_unix() const noexcept { return host.starts_with('/'); }
    [[nodiscard]] std::string_view option(std::string_view key) const noexcept {
        const auto found = options.find(key);
        return found == options.end() ? std::string_view() : std::string_view(found->second);
    }
    // Without the password: for messages.
    [[nodiscard]] std::string shown() const;
};

// Throws a DbError (failed) that says what is wrong; it does not show the password.
[[nodiscard]] Url parse_url(std::string_view text);

}  // namespace gyre::db
