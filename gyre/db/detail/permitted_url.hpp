// SPDX-License-Identifier: Apache-2.0
// permitted_url: the URL of a database as a program in a sandbox may use it. A file of SQLite and a Unix
// socket lie in a permitted folder, and the URL leads to where the path does; a server is a permitted
// HOST:PORT. A database in memory needs no permission.
//
//     std::string url = co_await db::permitted_url(permissions, "sqlite:notes.db");
//     db::PoolOptions options;
//     options.is_confined = true;  // statements open no other files
//     db::Pool database(url, options);
//
// Thread: a loop's thread.
// Lifetime: the permissions outlive the future, which owns the text.
// Cancel: did nothing.
#pragma once

#include <string>

#include "gyre/io/permissions.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::db {

// Throws a DbError: refused, or failed for a URL that is wrong.
[[nodiscard]] Future<std::string> permitted_url(const Permissions& permissions, std::string url);

// Where a file lies that the program may write, for a backup. Throws a DbError (refused).
[[nodiscard]] Future<std::string> permitted_path(const Permissions& permissions, std::string path);

}  // namespace gyre::db
