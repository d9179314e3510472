// SPDX-License-Identifier: Apache-2.0
// The group db: what ours and the peers do alike. A program starts a server of its own in a scratch folder,
// and shares one core with it; SQLite's file is beside it. Used from the main thread.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/protocol.hpp"

namespace gyre::bench {

// By its primary key, of a table of so many rows.
inline constexpr int db_row_count = 10'000;
inline constexpr const char* db_point_query = "select name, amount from points where id = $1";
inline constexpr const char* db_schema =
    "create table points (id integer primary key, name text not null, amount integer not null)";
inline constexpr const char* db_insert = "insert into points values ($1, $2, $3)";
inline constexpr const char* db_stream_query =
    "select i, 'a row of text' from generate_series(1, 200000) as t(i)";
inline constexpr double db_stream_rows = 200'000;

[[nodiscard]] inline int db_query_count(const Run& run) noexcept {
    return run.is_quick() ? 2'000 : 20'000;
}
[[nodiscard]] inline int db_insert_count(const Run& run) noexcept {
    return run.is_quick() ? 10'000 : 100'000;
}
// The id that the query number i asks for.
[[nodiscard]] inline int db_id(int i) noexcept {
    return static_cast<int>(static_cast<std::int64_t>(i) * 7919 % db_row_count);
}

class DbFolder {
public:
    DbFolder() : path_("/tmp/gyre-bench-db-" + std::to_string(::getpid())) {}
    DbFolder(const DbFolder&) = delete;
    DbFolder& operator=(const DbFolder&) = delete;
    ~DbFolder() { static_cast<void>(call("remove")); }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // False if there is no PostgreSQL here: its rows drop out.
    [[nodiscard]] bool start_postgres() { return is_started_ = is_started_ || call("start"); }
    [[nodiscard]] std::string sqlite_file(const std::string& name) const {
        static_cast<void>(std::system(
            ("mkdir -p " + path_ + "/sqlite && chmod 777 " + path_ + "/sqlite").c_str()));
        return path_ + "/sqlite/" + name;
    }

private:
    [[nodiscard]] bool call(const std::string& verb) const {
        return std::system((std::string(GYRE_SCRATCH_POSTGRES) + " " + verb + " " + path_ + " >&2")
                               .c_str()) == 0;
    }

    const std::string path_;
    bool is_started_ = false;
};

// One for the program, made by the first case that needs it.
inline DbFolder& db_folder() {
    static DbFolder folder;
    return folder;
}

}  // namespace gyre::bench
