// SPDX-License-Identifier: Apache-2.0
// bench_db: gyre's own rows of the group db. Called by bench/run.py; see protocol.hpp and db_cases.hpp.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/db_cases.hpp"
#include "bench/stopwatch.hpp"
#include "gyre/db/pool.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::bench {
namespace {

template <class F>
void run_app(F app) {
    platform::SystemClock clock;
    auto platform = platform::make_platform(clock);
    if (!platform) std::abort();
    pool::ThreadPool threads({.thread_count = 1});
    if (run(**platform, app, {.loop = {.offload = &threads}}).exit_code() != 0) std::exit(1);
}

std::string postgres_url() {
    return "postgres://postgres@/postgres?host=" + db_folder().path();
}

Future<void> fill(db::Pool& pool) {
    co_await pool.script("drop table if exists points");
    co_await pool.script(db_schema);
    std::vector<db::Values> rows;
    for (int i = 0; i < db_row_count; ++i) {
        db::Values& row = rows.emplace_back();
        row.emplace_back(i);
        row.emplace_back("name");
        row.emplace_back(i);
    }
    co_await pool.batch(db_insert, std::move(rows));
}

Future<void> ask_some(db::Connection* connection, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const db::Rows rows = co_await connection->query(db_point_query, db_id(i));
        if (rows.size() != 1) std::abort();
    }
}

// So many tasks on one connection: their statements are pipelined.
Future<double> ns_per_query(db::Connection& connection, int task_count, int count) {
    co_await ask_some(&connection, 0, 100);
    Stopwatch watch;
    auto body = [&](Scope& scope) -> Future<void> {
        const int part = count / task_count;
        for (int i = 0; i < task_count; ++i)
            scope.spawn(ask_some, &connection, i * part, (i + 1) * part);
        co_return;
    };
    co_await with_scope(body);
    co_return watch.lap_ns_per(static_cast<std::uint64_t>(count / task_count * task_count));
}

void measure_postgres(Run& run) {
    if (!db_folder().start_postgres()) return;
    run_app([&]() -> Future<void> {
        db::Pool pool(postgres_url());
        co_await fill(pool);
        db::Connection connection = co_await pool.acquire();
        const int count = db_query_count(run);
        run.report("db_point_1", co_await ns_per_query(connection, 1, count));
        run.report("db_point_16", co_await ns_per_query(connection, 16, count));
        run.report("db_point_256", co_await ns_per_query(connection, 256, count));
    });
}

void measure_stream(Run& run) {
    if (!db_folder().start_postgres()) return;
    run_app([&]() -> Future<void> {
        db::Pool pool(postgres_url());
        Stopwatch watch;
        std::int64_t sum = 0;
        auto rows = pool.stream(db_stream_query);
        while (auto piece = co_await rows.next()) {
            for (const db::Row row : *piece) sum += row.get<int>(0);
        }
        run.report("db_stream_row", watch.elapsed_ns() / db_stream_rows);
        if (sum == 0) std::abort();
    });
}

void measure_copy(Run& run) {
    if (!db_folder().start_postgres()) return;
    run_app([&]() -> Future<void> {
        db::Pool pool(postgres_url());
        co_await pool.script("drop table if exists points");
        co_await pool.script(db_schema);
        db::Connection connection = co_await pool.acquire();
        int sent = 0;
        const int count = db_insert_count(run);
        db::Pieces pieces = [&]() -> Future<std::string> {
            std::string piece;
            while (sent < count && piece.size() < 16 * 1024) {
                const std::string id = std::to_string(sent++);
                piece += id + "\tname\t" + id + "\n";
            }
            co_return piece;
        };
        Stopwatch watch;
        co_await connection.copy_in("copy points from stdin", pieces);
        run.report("db_copy_row", watch.lap_ns_per(static_cast<std::uint64_t>(count)));
    });
}

void measure_sqlite(Run& run) {
    run_app([&]() -> Future<void> {
        db::Pool pool("sqlite:" + db_folder().sqlite_file("ours.db"));
        co_await fill(pool);
        db::Connection connection = co_await pool.acquire();
        run.report("db_sqlite_read", co_await ns_per_query(connection, 1, db_query_count(run)));
        co_await pool.script("delete from points");
        std::vector<db::Values> rows;
        const int count = db_insert_count(run);
        for (int i = 0; i < count; ++i) {
            db::Values& row = rows.emplace_back();
            row.emplace_back(i);
            row.emplace_back("name");
            row.emplace_back(i);
        }
        Stopwatch watch;
        co_await connection.batch(db_insert, std::move(rows));
        run.report("db_sqlite_insert", watch.lap_ns_per(static_cast<std::uint64_t>(count)));
    });
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {{{{"db_point_1", "db_point_16", "db_point_256"}, measure_postgres},
                         {{"db_stream_row"}, measure_stream},
                         {{"db_copy_row"}, measure_copy},
                         {{"db_sqlite_read", "db_sqlite_insert"}, measure_sqlite}}});
}
