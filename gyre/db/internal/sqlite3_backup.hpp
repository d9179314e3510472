// SPDX-License-Identifier: Apache-2.0
// SqliteBackup: the database of a connection as it is when this is made, copied into another file page by page, in
// one transaction of that file. The connection reads nothing else meanwhile; others read and write as ever. Every
// member blocks, and runs where the calls of the connection run, one at a time.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "gyre/db/detail/link.hpp"

namespace gyre::db {

class SqliteBackup {
public:
    // The file has the VFS of the connection. Throws a DbError.
    SqliteBackup(sqlite3& from, const std::string& to);
    // If it is not complete, the file is as it was.
    ~SqliteBackup();
    SqliteBackup(const SqliteBackup&) = delete;
    SqliteBackup& operator=(const SqliteBackup&) = delete;

    void copy_pages(int count_max);
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] const BackupProgress& progress() const noexcept { return progress_; }

private:
    struct Close {
        void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
        void operator()(sqlite3_backup* copy) const { sqlite3_backup_finish(copy); }
    };

    void open(const std::string& to);

    sqlite3& from_;
    std::string made_path_;  // of a file that was not there before
    std::unique_ptr<sqlite3, Close> to_;
    std::unique_ptr<sqlite3_backup, Close> copy_;
    BackupProgress progress_;
    bool is_complete_ = false;
};

}  // namespace gyre::db
