// SPDX-License-Identifier: Apache-2.0
// libpq by hand: the rows of the group db with the library of PostgreSQL itself; in pipeline mode where there are
// several queries at once, of which each has a Sync.
#include <libpq-fe.h>

#include <arpa/inet.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/db_cases.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {
namespace {

PGconn* connect() {
    PGconn* made =
        PQconnectdb(("host=" + db_folder().path() + " user=postgres dbname=postgres").c_str());
    if (PQstatus(made) != CONNECTION_OK) std::abort();
    return made;
}

void exec(PGconn* on, const std::string& sql) {
    PGresult* result = PQexec(on, sql.c_str());
    if (PQresultStatus(result) == PGRES_FATAL_ERROR) std::abort();
    PQclear(result);
}

void fill(PGconn* on) {
    exec(on, "drop table if exists points");
    exec(on, db_schema);
    exec(on, "insert into points select i, 'name', i from generate_series(0, " +
                 std::to_string(db_row_count - 1) + ") as t(i)");
    PQclear(PQprepare(on, "point", db_point_query, 1, nullptr));
}

struct Id {
    std::uint32_t number;
    std::array<const char*, 1> values;
    std::array<int, 1> lengths = {4};
    std::array<int, 1> formats = {1};
    explicit Id(int id)
        : number(htonl(static_cast<std::uint32_t>(id))),
          values{reinterpret_cast<const char*>(&number)} {}
};

void check_row(PGresult* result) {
    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) std::abort();
    PQclear(result);
}

void ask_one(PGconn* on, int i) {
    const Id id(db_id(i));
    check_row(
        PQexecPrepared(on, "point", 1, id.values.data(), id.lengths.data(), id.formats.data(), 1));
}

// So many in flight, in lots.
double ns_per_pipelined(PGconn* on, int depth, int count) {
    PQenterPipelineMode(on);
    Stopwatch watch;
    for (int begin = 0; begin + depth <= count; begin += depth) {
        for (int i = begin; i < begin + depth; ++i) {
            const Id id(db_id(i));
            PQsendQueryPrepared(on, "point", 1, id.values.data(), id.lengths.data(),
                                id.formats.data(), 1);
            PQpipelineSync(on);
        }
        for (int i = 0; i < depth; ++i) {
            check_row(PQgetResult(on));
            PQclear(PQgetResult(on));  // the null behind each result
            PQclear(PQgetResult(on));  // the sync
        }
    }
    const double ns = watch.lap_ns_per(static_cast<std::uint64_t>(count / depth * depth));
    PQexitPipelineMode(on);
    return ns;
}

void measure_postgres(Run& run) {
    if (!db_folder().start_postgres()) return;
    PGconn* on = connect();
    fill(on);
    const int count = db_query_count(run);
    for (int i = 0; i < 100; ++i) ask_one(on, i);
    Stopwatch watch;
    for (int i = 0; i < count; ++i) ask_one(on, i);
    run.report("db_point_1", watch.lap_ns_per(static_cast<std::uint64_t>(count)));
    run.report("db_point_16", ns_per_pipelined(on, 16, count));
    run.report("db_point_256", ns_per_pipelined(on, 256, count));
    PQfinish(on);
}

void measure_stream(Run& run) {
    if (!db_folder().start_postgres()) return;
    PGconn* on = connect();
    Stopwatch watch;
    PQsendQueryParams(on, db_stream_query, 0, nullptr, nullptr, nullptr, nullptr, 1);
    PQsetSingleRowMode(on);
    std::int64_t sum = 0;
    while (PGresult* result = PQgetResult(on)) {
        if (PQntuples(result) == 1) {
            std::uint32_t number = 0;
            std::memcpy(&number, PQgetvalue(result, 0, 0), 4);
            sum += ntohl(number);
        }
        PQclear(result);
    }
    run.report("db_stream_row", watch.elapsed_ns() / db_stream_rows);
    if (sum == 0) std::abort();
    PQfinish(on);
}

void measure_copy(Run& run) {
    if (!db_folder().start_postgres()) return;
    PGconn* on = connect();
    exec(on, "drop table if exists points");
    exec(on, db_schema);
    const int count = db_insert_count(run);
    Stopwatch watch;
    exec(on, "copy points from stdin");
    for (int sent = 0; sent < count;) {
        std::string piece;
        while (sent < count && piece.size() < 16 * 1024) {
            const std::string id = std::to_string(sent++);
            piece += id + "\tname\t" + id + "\n";
        }
        PQputCopyData(on, piece.data(), static_cast<int>(piece.size()));
    }
    PQputCopyEnd(on, nullptr);
    PQclear(PQgetResult(on));
    run.report("db_copy_row", watch.lap_ns_per(static_cast<std::uint64_t>(count)));
    PQfinish(on);
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {{{{"db_point_1", "db_point_16", "db_point_256"}, measure_postgres},
                         {{"db_stream_row"}, measure_stream},
                         {{"db_copy_row"}, measure_copy}}});
}
