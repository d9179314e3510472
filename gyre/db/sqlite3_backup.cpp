// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/sqlite3_backup.hpp"

#include "gyre/db/error.hpp"
#include "gyre/db/internal/sqlite3_values.hpp"

namespace gyre::db {

namespace {

void run(sqlite3& database, const char* sql) {
    if (sqlite3_exec(&database, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        throw DbError(sqlite_error(&database));
}

// Of the file that is the database, also of one in memory.
sqlite3_vfs* vfs_of(sqlite3& database) {
    sqlite3_vfs* vfs = nullptr;
    sqlite3_file_control(&database, "main", SQLITE_FCNTL_VFS_POINTER, static_cast<void*>(&vfs));
    return vfs;
}

}  // namespace

SqliteBackup::SqliteBackup(sqlite3& from, const std::string& to) : from_(from) {
    if (to.empty() || to == ":memory:") {
        throw DbError(DbError::Kind::failed, "a backup needs the name of a file");
    }
    open(to);
    // A transaction that reads: what others write meanwhile is not in it.
    run(from_, "begin");
    try {
        run(from_, "select count(*) from sqlite_schema");
        copy_.reset(sqlite3_backup_init(to_.get(), "main", &from_, "main"));
        if (copy_ == nullptr) throw DbError(sqlite_error(to_.get()));
    } catch (const DbError&) {
        static_cast<void>(sqlite3_exec(&from_, "rollback", nullptr, nullptr, nullptr));
        throw;
    }
}

void SqliteBackup::open(const std::string& to) {
    sqlite3_vfs* const vfs = vfs_of(from_);
    sqlite3* made = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code =
        sqlite3_open_v2(to.c_str(), &made, flags, vfs == nullptr ? nullptr : vfs->zName);
    to_.reset(made);
    if (code != SQLITE_OK) throw DbError(sqlite_error(made));
    // Else a crash may bring the deleted journal back, and that would undo a backup that has ended.
    run(*made, "pragma synchronous = extra");
    // An empty file is not there for SQLite, and the file that it has just made is empty.
    int is_there = 0;
    const char* const path = sqlite3_db_filename(made, "main");
    if (sqlite3_vfs* const own = vfs_of(*made); own != nullptr && path != nullptr) {
        own->xAccess(own, path, SQLITE_ACCESS_EXISTS, &is_there);
        if (is_there == 0) made_path_ = path;
    }
}

SqliteBackup::~SqliteBackup() {
    copy_.reset();
    if (sqlite3_get_autocommit(&from_) == 0) {
        static_cast<void>(sqlite3_exec(&from_, "rollback", nullptr, nullptr, nullptr));
    }
    if (to_ == nullptr || is_complete_ || made_path_.empty()) return;
    sqlite3_vfs* const vfs = vfs_of(*to_);
    to_.reset();
    if (vfs != nullptr) vfs->xDelete(vfs, made_path_.c_str(), 0);
}

void SqliteBackup::copy_pages(int count_max) {
    const int code = sqlite3_backup_step(copy_.get(), count_max);
    const auto total = static_cast<std::uint64_t>(sqlite3_backup_pagecount(copy_.get()));
    const auto left = static_cast<std::uint64_t>(sqlite3_backup_remaining(copy_.get()));
    progress_ = {.pages_copied = total - left, .pages_total = total};
    if (code == SQLITE_OK) return;
    const int end = sqlite3_backup_finish(copy_.release());
    // That is no failure of the copy for SQLite, which would try again.
    if ((code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED) {
        throw DbError(DbError::Kind::busy, "the file of the backup is in use");
    }
    if (code != SQLITE_DONE || end != SQLITE_OK) throw DbError(sqlite_error(to_.get()));
    is_complete_ = true;
    to_.reset();
}

}  // namespace gyre::db
