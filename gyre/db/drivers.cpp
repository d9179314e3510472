// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/drivers.hpp"

#include <utility>

#include "gyre/db/internal/postgres/postgres_link.hpp"
#if GYRE_HAS_SQLITE3
#    include "gyre/db/internal/sqlite3_link.hpp"
#endif

namespace gyre::db {

std::unique_ptr<Driver> make_driver(Url url, const PoolOptions& options) {
    if (url.database == Url::Database::postgres) {
        return std::make_unique<postgres::PostgresDriver>(std::move(url), options.limits,
                                                          options.encryption);
    }
#if GYRE_HAS_SQLITE3
    return std::make_unique<SqliteDriver>(std::move(url), options);
#else
    throw DbError(DbError::Kind::failed,
                  "'" + url.shown() + "': this build has no SQLite (package libsqlite3-dev)");
#endif
}

}  // namespace gyre::db
