// SPDX-License-Identifier: Apache-2.0
// SQLite's own interface, in the thread that asks: the rows of the group db without a loop.
#include <sqlite3.h>

#include <cstdlib>
#include <string>

#include "bench/db_cases.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {
namespace {

void exec(sqlite3* on, const char* sql) {
    if (sqlite3_exec(on, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
}

sqlite3_stmt* prepare(sqlite3* on, const char* sql) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v3(on, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr) != SQLITE_OK)
        std::abort();
    return made;
}

void insert(sqlite3* on, int count) {
    exec(on, "begin immediate");
    sqlite3_stmt* statement = prepare(on, db_insert);
    for (int i = 0; i < count; ++i) {
        sqlite3_bind_int64(statement, 1, i);
        sqlite3_bind_text(statement, 2, "name", 4, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 3, i);
        if (sqlite3_step(statement) != SQLITE_DONE) std::abort();
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    exec(on, "commit");
}

void measure(Run& run) {
    sqlite3* on = nullptr;
    if (sqlite3_open(db_folder().sqlite_file("bare.db").c_str(), &on) != SQLITE_OK) std::abort();
    exec(on, "pragma journal_mode = wal; drop table if exists points");
    exec(on, db_schema);
    insert(on, db_row_count);
    sqlite3_stmt* point = prepare(on, db_point_query);
    const int count = db_query_count(run);
    std::int64_t sum = 0;
    Stopwatch watch;
    for (int i = 0; i < count; ++i) {
        sqlite3_bind_int64(point, 1, db_id(i));
        if (sqlite3_step(point) != SQLITE_ROW) std::abort();
        sum += sqlite3_column_bytes(point, 0) + sqlite3_column_int64(point, 1);
        sqlite3_reset(point);
    }
    run.report("db_sqlite_read", watch.lap_ns_per(static_cast<std::uint64_t>(count)));
    if (sum == 0) std::abort();
    sqlite3_finalize(point);
    exec(on, "delete from points");
    Stopwatch inserting;
    insert(on, db_insert_count(run));
    run.report("db_sqlite_insert",
               inserting.lap_ns_per(static_cast<std::uint64_t>(db_insert_count(run))));
    sqlite3_close(on);
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {{{{"db_sqlite_read", "db_sqlite_insert"}, measure}}});
}
