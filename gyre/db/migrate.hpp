// SPDX-License-Identifier: Apache-2.0
// migrate: brings the schema of a database up to date. Each migration is applied once, in the order of their
// numbers; all that are missing take effect, or none. Several programs may call it at once: one of them works.
//
//     std::vector<db::Migration> migrations = co_await db::read_migrations("migrations");
//     const std::size_t count = co_await db::migrate(database, migrations);
//
// Thread: one loop's thread.
// Lifetime: the pool outlives the future.
// Cancel: nothing of it takes effect.
//
// The table gyre_migrations holds what was applied, with the SHA-256 of its text: a migration that was changed
// afterwards, or that is missing now, is a DbError (mismatch) that names it. The statements run in one
// transaction, so they begin and end none themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gyre/db/pool.hpp"

namespace gyre::db {

struct Migration {
    Migration(std::int64_t its_number, std::string its_name, std::string its_sql)
        : number(its_number), name(std::move(its_name)), sql(std::move(its_sql)) {}

    std::int64_t number;
    std::string name;
    std::string sql;
};

// The number of those that were applied by this call.
[[nodiscard]] Future<std::size_t> migrate(Pool& pool, std::vector<Migration> migrations);

// The files of a folder whose names are a number, a '-' or '_', a name, and ".sql": 0001-people.sql. Any
// other file whose name ends so is an error; so is a number that is there twice.
[[nodiscard]] Future<std::vector<Migration>> read_migrations(std::string folder);

}  // namespace gyre::db
