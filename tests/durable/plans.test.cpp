// SPDX-License-Identifier: Apache-2.0
// How PostgreSQL finds the rows of durable runs: the plans of all statements that a worker and a store make at a table
// with many runs, as the server's own log (auto_explain) has them. None reads a table from end to end.
//
//     GYRE_DURABLE_RUNS=10000000 build/release/bin/test_durable_plans     prints the plans, with their times
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gyre/durable/ops.hpp>
#include <gyre/durable/queues.hpp>
#include <gyre/durable/schedules.hpp>
#include <gyre/durable/worker.hpp>
#include <gyre/effect/coroutine_guest.hpp>
#include <gyre/gyre.hpp>

#include "tests/db/scratch_server.hpp"

namespace gyre::durable {
namespace {

using namespace std::chrono_literals;
using effect::Arguments;
using effect::Effectful;
using effect::perform;
using effect::Value;

struct Work {
    static constexpr effect::ResumeOp<int()> fail{"test", "fail"};
};

Effectful<int> end_at_once() {
    co_await perform(Durable::now);
    co_return 1;
}
Effectful<Value> wait_for_go() {
    co_await perform(Durable::sleep, 1);
    co_return co_await perform(Durable::signal, std::string("go"));
}
// Its child is cancelled when it fails.
Effectful<int> fail_with_child() {
    co_await perform(Durable::start, std::string("child"), std::string("wait"), Value());
    co_return co_await perform(Work::fail);
}

bool is_thorough() {
    return std::getenv("GYRE_DURABLE_RUNS") != nullptr;
}
std::string run_count() {
    return is_thorough() ? std::getenv("GYRE_DURABLE_RUNS") : "150000";
}

// Nine runs of ten have ended; of the others most wait for a timer or a signal, and a few hundred are due.
Future<void> fill(db::Pool& pool) {
    const std::string count = run_count();
    co_await pool.script(
        "insert into gyre_runs (key, queue, entry, version, parent, arguments, status, wake_at, "
        "owner, fence, news, step_count, error, message, created_at, ended_at) "
        "select 'old' || i, 'default', 'end', '', case when i % 50 = 0 then 'old' || i - 1 else '' "
        "end, '\\x0100', case when i % 10 = 0 then 0 else 1 end, "
        "case when i % (" +
        count +
        " / 200) = 0 then 0 when i % 20 = 0 then 9223372036854775807 "
        "else 4000000000000000 + i end, '', 1, 0, 0, '', '', i, "
        "case when i % 10 = 0 then null else i end from generate_series(1, " +
        count + ") as i");
    co_await pool.script(
        "insert into gyre_steps select id, n, 0, 0, '\\x00' from gyre_runs, "
        "generate_series(0, 1) as n where status = 1 and id % 5 = 0; "
        "insert into gyre_begun select id, 1, 0, 'gyre.durable::sleep', 1 from gyre_runs "
        "where status = 1 and id % 5 = 0; "
        "insert into gyre_signals select id, 1, 'go', '\\x00' from gyre_runs "
        "where status = 1 and id % 5 = 0");
    co_await pool.script(
        "analyze gyre_runs; analyze gyre_steps; analyze gyre_begun; "
        "analyze gyre_signals");
}

// All that a store and a worker can be asked for.
Future<void> use(Store& store) {
    co_await store.start("waits", "wait");
    co_await store.start("cancelled", "wait");
    co_await store.start("fails", "fail");
    static_cast<void>(co_await store.result("fails"));
    co_await store.retry("fails");
    static_cast<void>(co_await store.result("fails"));
    co_await sleep(300ms);  // Those that wait are put aside, or not: both are plans to see.
    co_await store.signal("waits", "go", 3);
    co_await store.cancel("cancelled", "not wanted");
    static_cast<void>(co_await store.result("waits"));
    static_cast<void>(co_await store.result("cancelled"));
    static_cast<void>(co_await store.history("waits"));
    ListOptions newest;
    newest.count_max = 10;
    static_cast<void>(co_await store.list(newest));
    QueueLimits limits;
    limits.running_max = 100;
    limits.per_second = 1000;
    co_await set_queue_limits(store, "default", limits);
    co_await set_schedule(store, "hourly", "@hourly", "end");
    co_await store.pool().execute("update gyre_schedules set next_at = 1");
    auto tell = [&](db::Transaction& in) -> Future<void> { co_await store.tell_settings(in); };
    co_await store.pool().transaction(tell);
    store.announce_settings();
    for (std::size_t due = 1; due != 0;) {
        due = co_await store.pool().one<std::size_t>(
            "select count(*) from gyre_runs where status = 0 and queue = 'default' and wake_at < "
            "1000000");
        co_await sleep(20ms);
    }
    static_cast<void>(co_await store.remove_ended({100}));
}

Future<void> work(Scope& root, std::string url) {
    Store store(root.executor(), url);
    co_await store.open();
    co_await fill(store.pool());
    db::Connection connection = co_await store.pool().acquire();
    co_await connection.script("load 'auto_explain'");  // which knows the names of its settings
    co_await connection.script("alter system set session_preload_libraries = 'auto_explain'");
    co_await connection.script("alter system set auto_explain.log_min_duration = 0");
    co_await connection.script(is_thorough() ? "alter system set auto_explain.log_analyze = on"
                                             : "alter system set auto_explain.log_analyze = off");
    static_cast<void>(co_await connection.query("select pg_reload_conf()"));
    std::string loaded;
    while (loaded != "auto_explain") {  // The server reads its settings when it comes to it.
        db::Pool fresh(url);
        loaded = co_await fresh.one<std::string>("show session_preload_libraries");
    }
    effect::Scheduler scheduler(root.executor());
    Store seen(root.executor(), url);
    effect::CoroutineGuest guest;
    guest.add("end", &end_at_once);
    guest.add("wait", &wait_for_go);
    guest.add("fail", &fail_with_child);
    effect::Handlers handlers;
    handlers.on(Work::fail, []() -> int { throw Failure("refused"); });
    WorkerOptions options;
    options.lease = 600ms;
    options.aside_after = 50ms;
    Worker worker(scheduler, seen, options);
    for (const char* entry : {"end", "wait", "fail"}) worker.add(entry, guest, handlers);
    auto body = [&](Scope& scope) -> Future<void> {
        auto working = scope.spawn([&]() { return worker.run(); });
        co_await use(seen);
        working.cancel("all is seen");
    };
    co_await with_scope(body);
}

// The text of a statement, and a plan that it had.
std::map<std::string, std::string> read_plans(const std::string& file) {
    std::map<std::string, std::string> plans;
    std::ifstream log(file);
    std::string query;
    std::string plan;
    for (std::string line; std::getline(log, line);) {
        const std::size_t text = line.find("Query Text: ");
        if (text != std::string::npos) {
            query = line.substr(text + 12);
            plans[query].clear();
        } else if (!line.empty() && line[0] == '\t') {
            if (!query.empty()) plans[query] += line + "\n";
        } else {
            query.clear();
        }
    }
    return plans;
}

TEST(DurablePlans, read_no_table_of_runs_from_end_to_end) {
    GYRE_NEEDS_POSTGRES();
    const test::ScratchServer& server = test::ScratchServer::instance();
    ASSERT_EQ(gyre::run([&](Scope& root) { return work(root, server.url()); }), 0);
    const std::map<std::string, std::string> plans = read_plans(server.folder() + "/data/log");
    const std::regex whole("Seq Scan on gyre_(runs|steps|begun|signals)");
    std::size_t seen = 0;
    for (const auto& [query, plan] : plans) {
        if (query.find("gyre_") == std::string::npos) continue;
        if (query.find("wake_at < 1000000") != std::string::npos) continue;  // this test's own
        if (query.starts_with("insert into gyre_") &&
            query.find("generate_series") != std::string::npos)
            continue;
        ++seen;
        EXPECT_FALSE(std::regex_search(plan, whole)) << query << "\n" << plan;
        if (is_thorough()) std::printf("%s\n%s\n", query.c_str(), plan.c_str());
    }
    // Where the server has no auto_explain, nothing would be seen.
    EXPECT_GE(seen, 20U);
}

}  // namespace
}  // namespace gyre::durable
