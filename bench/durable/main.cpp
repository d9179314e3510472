// SPDX-License-Identifier: Apache-2.0
// bench_durable: gyre's rows of the group durable: recorded steps, with commits that are synced, and runs that are
// taken up again. Called by bench/run.py; see protocol.hpp.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/db_cases.hpp"
#include "bench/stopwatch.hpp"
#include "gyre/durable/ops.hpp"
#include "gyre/durable/store.hpp"
#include "gyre/durable/worker.hpp"
#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::bench {
namespace {

struct Outside {
    static constexpr effect::ResumeOp<int(int)> step{"bench.outside", "step"};
};

effect::Effectful<int> walk(int steps) {
    int sum = 0;
    for (int i = 0; i < steps; ++i) sum += co_await effect::perform(Outside::step, i);
    co_return sum;
}
effect::Effectful<int> wait_for_go() {
    co_await effect::perform(durable::Durable::signal, std::string("go"));
    co_return 1;
}

// A store with a worker beside the body.
template <class F>
void with_worker(const std::string& url, F body) {
    platform::SystemClock clock;
    auto platform = platform::make_platform(clock);
    if (!platform) std::abort();
    pool::ThreadPool threads({.thread_count = 2});
    const auto app = [&](Scope& root) -> Future<void> {
        effect::Scheduler scheduler(root.executor());
        durable::Store store(root.executor(), url);
        effect::CoroutineGuest guest;
        guest.add("walk", &walk);
        guest.add("wait", &wait_for_go);
        effect::Handlers handlers;
        handlers.on(Outside::step, [](int n) { return n; });
        durable::WorkerOptions options;
        options.runs_max = 200'000;
        durable::Worker worker(scheduler, store, options);
        worker.add("walk", guest, handlers);
        worker.add("wait", guest, handlers);
        co_await store.open();
        const auto in_scope = [&](Scope& scope) -> Future<void> {
            co_await body(scope, store, worker);
        };
        co_await with_scope(in_scope);
    };
    if (run(**platform, app, {.loop = {.offload = &threads}}).exit_code() != 0) std::exit(1);
}

// Rows of runs as `start` makes them, in one transaction.
Future<void> fill(durable::Store& store, const char* entry, int count, int steps) {
    co_await store.pool().script("delete from gyre_runs; delete from gyre_steps");
    std::vector<db::Values> rows;
    db::Blob arguments{std::byte{1}, std::byte{0}};
    if (steps > 0) {
        arguments = {std::byte{1}, std::byte{1}, std::byte{2}};
        for (int shift = 0; shift < 64; shift += 8) {
            arguments.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(steps) >> shift));
        }
    }
    const std::int64_t now = store.now().micros;
    for (int i = 0; i < count; ++i) {
        db::Values& row = rows.emplace_back();
        row.emplace_back("run" + std::to_string(i));
        row.emplace_back(entry);
        row.emplace_back(arguments);
        row.emplace_back(now);
    }
    co_await store.pool().batch(
        "insert into gyre_runs (key, queue, entry, version, parent, arguments, status, wake_at, "
        "owner, "
        "fence, news, step_count, error, message, created_at) "
        "values ($1, 'default', $2, '', '', $3, 0, $4, '', 0, 0, 0, '', '', $4)",
        std::move(rows));
}

Future<void> until_ended(durable::Store& store) {
    while (co_await store.pool().one<int>("select count(*) from gyre_runs where status = 0") > 0) {
        co_await sleep(std::chrono::milliseconds(5));
    }
}

double measure_steps(const std::string& url, int runs, int steps) {
    double ns = 0;
    with_worker(url,
                [&](Scope& root, durable::Store& store, durable::Worker& worker) -> Future<void> {
                    co_await fill(store, "walk", runs, steps);
                    Stopwatch watch;
                    auto working = root.spawn([&]() { return worker.run(); });
                    co_await until_ended(store);
                    ns = watch.lap_ns_per(static_cast<std::uint64_t>(runs) *
                                          static_cast<std::uint64_t>(steps));
                    working.cancel("measured");
                });
    return ns;
}

void measure_all(Run& run, const std::string& name, const std::string& url) {
    run.report(name + "_1", measure_steps(url, 1, run.is_quick() ? 50 : 500));
    run.report(name + "_100", measure_steps(url, 100, run.is_quick() ? 10 : 100));
    run.report(name + "_10000", measure_steps(url, run.is_quick() ? 1000 : 10'000, 10));
}

void measure_sqlite(Run& run) {
    measure_all(run, "durable_sqlite", "sqlite:" + db_folder().sqlite_file("durable.db"));
}

void measure_postgres(Run& run) {
    if (!db_folder().start_postgres()) return;
    measure_all(run, "durable_postgres",
                "postgres://postgres@/postgres?host=" + db_folder().path());
}

// Runs of a worker that died, which wait for a signal: until all are taken up, and put aside again.
void measure_recovery(Run& run) {
    const int count = run.is_quick() ? 5'000 : 100'000;
    with_worker("sqlite:" + db_folder().sqlite_file("recovery.db"),
                [&](Scope& root, durable::Store& store, durable::Worker& worker) -> Future<void> {
                    co_await fill(store, "wait", count, 0);
                    Stopwatch watch;
                    auto working = root.spawn([&]() { return worker.run(); });
                    while (static_cast<int>(worker.active_count()) < count)
                        co_await sleep(std::chrono::milliseconds(1));
                    run.report("durable_recovery",
                               watch.lap_ns_per(static_cast<std::uint64_t>(count)));
                    working.cancel("measured");
                });
}

}  // namespace
}  // namespace gyre::bench

int main(int argc, char** argv) {
    using namespace gyre::bench;
    return run_program(
        argc, argv,
        {{{"durable_sqlite_1", "durable_sqlite_100", "durable_sqlite_10000"}, measure_sqlite},
         {{"durable_postgres_1", "durable_postgres_100", "durable_postgres_10000"},
          measure_postgres},
         {{"durable_recovery"}, measure_recovery}});
}
