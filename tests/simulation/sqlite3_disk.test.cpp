// SPDX-License-Identifier: Apache-2.0
// SQLite's files on the disk of a simulated host: its locks, its temporary files, its clock and its chance.
#include <chrono>
#include <string>
#include <vector>

#include "gyre/db/pool.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/simulation/host_sqlite3.hpp"
#include "tests/simulation/seeds.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;

class SqliteDisk : public QuietTest {
protected:
    SqliteDisk() { keep_sqlite_in_hosts(); }

    // Runs the program on a host; it must end.
    template <class F>
    sim::Host& run(Simulation& simulation, F program, Duration time = 1min) {
        sim::Host& host = simulation.add_host("a", program);
        host.put_file("/data/empty", "");
        host.start();
        simulation.run_for(time);
        EXPECT_TRUE(simulation.failures().empty()) << simulation.failures().front();
        return host;
    }
};

Future<void> add_some(db::Pool& pool, int count) {
    auto add = [](db::Transaction& t) -> Future<void> {
        const auto n = co_await t.one<int>("select n from t");
        co_await sleep(7ms);
        co_await t.execute("update t set n = $1", n + 1);
    };
    for (int i = 0; i < count; ++i) co_await pool.transaction(add);
}

TEST_F(SqliteDisk, has_the_file_and_the_pools_of_a_host_share_its_locks) {
    Simulation simulation({.seed = 3});
    int count = 0;
    sim::Host& host = run(simulation, [&count](sim::Host&) -> Future<void> {
        db::Pool one("sqlite:/data/a.db");
        db::Pool two("sqlite:/data/a.db");
        co_await one.script("create table t (n int); insert into t values (0)");
        auto both = [&](Scope& scope) -> Future<void> {
            for (db::Pool* const pool : {&one, &two}) {
                scope.spawn([](db::Pool* on) { return add_some(*on, 20); }, pool);
                scope.spawn([](db::Pool* on) { return add_some(*on, 20); }, pool);
            }
            co_return;
        };
        co_await with_scope(both);
        count = co_await two.one<int>("select n from t");
    });
    EXPECT_EQ(count, 80);
    EXPECT_TRUE(host.file_content("/data/a.db").value_or("").starts_with("SQLite format 3"));
    EXPECT_EQ(host.stop().descriptor_count, 0);
}

TEST_F(SqliteDisk, gives_up_a_lock_that_another_pool_holds_after_five_seconds) {
    Simulation simulation({.seed = 3});
    db::DbError::Kind kind = db::DbError::Kind::failed;
    std::int64_t waited_ms = 0;
    run(simulation, [&](sim::Host& host) -> Future<void> {
        db::Pool one("sqlite:/data/a.db");
        db::Pool two("sqlite:/data/a.db");
        co_await one.script("create table t (n int)");
        auto hold = [&](db::Transaction& t) -> Future<void> {
            co_await t.execute("insert into t values (1)");
            const Instant begin = host.world().now();
            try {
                co_await two.execute("insert into t values (2)");
            } catch (const db::DbError& error) {
                kind = error.kind();
            }
            waited_ms = (host.world().now() - begin) / 1ms;
        };
        co_await one.transaction(hold);
    });
    EXPECT_EQ(kind, db::DbError::Kind::busy);
    EXPECT_GE(waited_ms, 5'000);
    EXPECT_LE(waited_ms, 6'000);
}

TEST_F(SqliteDisk, frees_the_locks_of_a_process_that_was_killed) {
    Simulation simulation({.seed = 3});
    int found = -1;
    sim::Host& host = simulation.add_host("a", [&](sim::Host& self) -> Future<void> {
        db::Pool pool("sqlite:/data/a.db");
        co_await pool.script("create table if not exists t (n int)");
        auto hold = [&](db::Transaction& t) -> Future<void> {
            co_await t.execute("insert into t values (1)");
            if (self.start_count() < 3) co_await sleep(1h);
        };
        co_await pool.transaction(hold);
        found = co_await pool.one<int>("select count(*) from t");
    });
    host.put_file("/data/empty", "");
    host.start();
    simulation.run_for(1s);
    host.restart();
    simulation.run_for(1s);
    host.crash();
    host.start();
    simulation.run_for(10s);
    EXPECT_EQ(found, 1) << "the first two were not committed";
}

TEST_F(SqliteDisk, attaches_files_and_removes_its_temporary_ones) {
    Simulation simulation({.seed = 5});
    int count = 0;
    std::string mode;
    sim::Host& host = run(simulation, [&](sim::Host&) -> Future<void> {
        db::Pool pool("sqlite:/data/a.db");
        db::Connection one = co_await pool.acquire();
        co_await one.script(
            "pragma temp_store = file; pragma cache_size = 5; attach '/data/b.db' as b;"
            "create table b.t (n int); create temp table s (n, x);"
            "with recursive c(i) as (select 1 union all select i + 1 from c where i < 3000) "
            "insert into s select i, hex(zeroblob(200)) from c; insert into b.t select n from s; "
            "create index temp.by_x on s (x, n)");
        count = co_await one.one<int>("select count(*) from b.t");
        co_await one.script("detach b; drop table s; vacuum");
        mode = co_await one.one<std::string>("pragma journal_mode = delete");
        co_await one.script("create table u (n); insert into u values (1)");
    });
    EXPECT_EQ(count, 3000);
    EXPECT_EQ(mode, "delete");
    EXPECT_TRUE(host.file_content("/data/b.db"));
    EXPECT_FALSE(host.file_content("/data/a.db-wal"));
    EXPECT_FALSE(host.file_content("/data/a.db-journal"));
    EXPECT_FALSE(host.file_content("/tmp/gyre-sqlite-1"));
    EXPECT_EQ(host.stop().descriptor_count, 0);
}

std::vector<std::string> drawn_with(std::uint64_t seed) {
    Simulation simulation({.seed = seed});
    std::vector<std::string> drawn(2);
    sim::Host& host = simulation.add_host("a", [&drawn](sim::Host&) -> Future<void> {
        db::Pool pool("sqlite:/data/a.db");
        const auto number = co_await pool.one<std::int64_t>("select random()");
        const auto time = co_await pool.one<std::string>("select datetime('now')");
        const sim::OutsideHost outside;
        drawn[0] = std::to_string(number);
        drawn[1] = std::string(time);
    });
    host.put_file("/data/empty", "");
    host.start();
    simulation.run_for(1min);
    return drawn;
}

TEST_F(SqliteDisk, draws_its_chance_from_the_seed_and_has_the_time_of_the_world) {
    const std::vector<std::string> first = drawn_with(7);
    EXPECT_EQ(drawn_with(7), first);
    EXPECT_NE(drawn_with(8)[0], first[0]);
    EXPECT_EQ(first[1], "2026-01-01 00:00:01");
}

TEST_F(SqliteDisk, fails_with_what_the_disk_fails_with) {
    Simulation simulation({.seed = 5});
    std::vector<std::string> codes(3);
    run(simulation, [&codes](sim::Host& host) -> Future<void> {
        db::Pool pool("sqlite:/data/a.db");
        co_await pool.script("create table t (n)");
        for (int i = 0; i < 3; ++i) {
            host.disk() = {.write_error_one_in = i == 0 ? 1u : 0u,
                           .sync_error_one_in = i == 1 ? 1u : 0u,
                           .is_full = i == 2};
            std::string code;
            try {
                co_await pool.execute("insert into t values (1)");
            } catch (const db::DbError& error) {
                code = error.sqlstate();
            }
            const sim::OutsideHost outside;
            codes[static_cast<std::size_t>(i)] = std::string(code);
        }
        host.disk() = {};
        co_await pool.execute("insert into t values (1)");
    });
    EXPECT_EQ(codes, (std::vector<std::string>{"58030", "58030", "53100"}));
}

TEST_F(SqliteDisk, ends_in_the_middle_of_what_is_written) {
    // Each number of changes up to those that the statement makes: before its end nothing of it is there.
    int ended_before = 0;
    int last = -1;
    for (std::uint64_t changes = 1; changes < 60; ++changes) {
        Simulation simulation({.seed = changes});
        bool is_acknowledged = false;
        int found = -1;
        sim::Host& host = simulation.add_host("a", [&](sim::Host& self) -> Future<void> {
            db::Pool pool("sqlite:/data/a.db");
            if (self.start_count() == 1) {
                co_await pool.script("create table t (n int)");
                self.crash_after_changes(changes);
                co_await pool.execute(
                    "with recursive c(i) as (select 1 union all select i + 1 from c where i < "
                    "2000) "
                    "insert into t select i from c");
                is_acknowledged = true;
                co_await sleep(1h);
            }
            found = co_await pool.one<int>("select count(*) from t");
        });
        host.put_file("/data/empty", "");
        host.start();
        simulation.run_for(10s);
        if (host.is_running()) {  // It has not written so much.
            EXPECT_TRUE(is_acknowledged);
            break;
        }
        host.start();
        simulation.run_for(10s);
        EXPECT_TRUE(found == 0 || found == 2000) << found << " after " << changes;
        if (is_acknowledged) EXPECT_EQ(found, 2000) << "after " << changes;
        ended_before += found == 0 ? 1 : 0;
        last = found;
    }
    EXPECT_GE(ended_before, 5);
    EXPECT_EQ(last, 2000) << "with its last change it is there";
}

}  // namespace
}  // namespace gyre::testing
