// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/detail/link.hpp"

#include "gyre/db/error.hpp"

namespace gyre::db {

namespace {

[[noreturn]] void refuse_here(const char* what) {
    throw DbError(DbError::Kind::failed, what);
}

}  // namespace

Future<std::uint64_t> Link::copy_in(std::string /*sql*/, Pieces& /*pieces*/) {
    refuse_here("copy is of PostgreSQL: SQLite has none");
    co_return 0;
}

Stream<std::string> Link::copy_out(std::string /*sql*/) {
    refuse_here("copy is of PostgreSQL: SQLite has none");
    co_yield std::string();
}

Future<Notification> Link::notification() {
    refuse_here("a notification is of PostgreSQL: SQLite has none");
    co_return Notification();
}

Future<void> Link::backup(std::string /*to*/, BackupWatcher& /*watcher*/) {
    refuse_here("a backup into a file is of SQLite: PostgreSQL has pg_dump");
    co_return;
}

}  // namespace gyre::db
