// SPDX-License-Identifier: Apache-2.0
// A bank and its log in an SQLite file, on a disk that fails and a machine that crashes, also in the middle of
// what SQLite writes: a transaction that was acknowledged is there after every start, no other one is there in
// part, and the file is whole. Backups are complete, or not there.
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/db/pool.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/simulation/host_sqlite3.hpp"
#include "tests/simulation/seeds.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t transfer_count = 50;
constexpr int account_count = 8;
constexpr int writer_count = 3;

enum class Mistake { none, without_sync, without_transaction };

// What a table has after a start.
struct Found {
    std::int64_t count;
    std::int64_t highest;
    std::int64_t sum;
};

class BankTrial : public Trial {
public:
    explicit BankTrial(Mistake mistake) : mistake_(mistake) {}

    void set_up(Simulation& simulation) override {
        sim::Host& host = simulation.add_host("bank", [this](sim::Host&) { return run(); });
        host_ = &host;
        host.put_file("/data/empty", "");
        Random random(simulation.seed());
        for (int i = 0; i < 6; ++i) {
            const Duration when = 10ms * static_cast<int>(random.below(1'000));
            const std::uint64_t count = 1 + random.below(40);
            simulation.at(when, [&host, count] {
                if (host.is_running()) host.crash_after_changes(count);
            });
        }
        for (int i = 1; i < 40; ++i) {
            simulation.at(i * 250ms, [&host] {
                if (!host.is_running()) host.start();
            });
        }
    }
    std::string check_always(Simulation& /*simulation*/) override { return wrong_; }
    bool is_at_rest(Simulation& /*simulation*/) override { return is_done_; }
    std::string check(Simulation& /*simulation*/) override {
        return acknowledged_ < transfer_count ? "it has ended too early" : "";
    }

private:
    Future<void> run() {
        while (!is_done_) {
            try {
                co_await work();
                is_done_ = true;
            } catch (const db::DbError&) {  // What is safe is not known now: start again.
            } catch (const std::system_error&) {
            }
            if (!is_done_) co_await sleep(20ms);
        }
    }
    Future<void> work() {
        db::Pool pool("sqlite:/data/bank.db");
        auto create = [](db::Transaction& t) -> Future<void> {
            co_await t.script(
                "create table if not exists log (n integer primary key, text varchar);"
                "create table if not exists accounts (id integer primary key, amount)");
            const auto count = co_await t.one<int>("select count(*) from accounts");
            for (int id = count; id < account_count; ++id) {
                co_await t.execute("insert into accounts values ($1, 100)", id);
            }
        };
        co_await pool.transaction(create);
        co_await check(pool, acknowledged_, attempted_);
        co_await check_backup();
        auto all = [&](Scope& scope) -> Future<void> {
            for (int i = 0; i < writer_count; ++i) {
                scope.spawn([this](db::Pool* on) { return transfer(*on); }, &pool);
            }
            scope.spawn([this](db::Pool* on) { return back_up(*on); }, &pool);
            co_return;
        };
        co_await with_scope(all);
        co_await check(pool, acknowledged_, attempted_);
    }
    static std::string text_of(std::int64_t number) {
        return std::to_string(number) +
               std::string(static_cast<std::size_t>(number) * 397 % 9'000, 't');
    }
    Future<void> transfer(db::Pool& pool) {
        while (acknowledged_ < transfer_count) {
            std::int64_t number = 0;
            {
                db::Connection one = co_await pool.acquire();
                if (mistake_ == Mistake::without_sync) {
                    co_await one.script("pragma synchronous = off");
                }
                auto body = [&](db::Transaction& t) -> Future<std::int64_t> { return move(t); };
                if (mistake_ == Mistake::without_transaction) {
                    number = co_await move(one);
                } else {
                    number = co_await one.transaction(body);
                }
            }
            acknowledged_ = std::max(acknowledged_, number);
            co_await sleep(100ms);
        }
    }
    Future<std::int64_t> move(db::Statements& in) {
        const auto number =
            co_await in.one<std::int64_t>("select coalesce(max(n), 0) + 1 from log");
        attempted_ = std::max(attempted_, number);
        co_await in.execute("insert into log values ($1, $2)", number, text_of(number));
        co_await in.execute("update accounts set amount = amount - 1 where id = $1",
                            number % account_count);
        co_await in.execute("update accounts set amount = amount + 1 where id = $1",
                            (number * 5 + 1) % account_count);
        co_return number;
    }
    // At least what was acknowledged, at most what was begun, and nothing else.
    Future<void> check(db::Pool& pool, std::int64_t least, std::int64_t most) {
        const auto verdict = co_await pool.one<std::string>("pragma integrity_check");
        // It tells of a read that failed as of damage, which another look would find again.
        if (verdict != "ok" && host_->disk().read_error_one_in != 0) {
            throw db::DbError(db::DbError::Kind::failed, verdict);
        }
        if (verdict != "ok") say("the file is damaged");
        const auto found = co_await pool.one<Found>(
            "select (select count(*) from log), (select coalesce(max(n), 0) from log), "
            "(select sum(amount) from accounts)");
        if (found.sum != 100 * account_count) say("a transfer took effect in part");
        if (found.highest < least) say("an acknowledged transfer is lost");
        if (found.count != found.highest || found.highest > most) say("the log has a gap");
        auto rows = pool.stream("select n, text from log");
        while (auto piece = co_await rows.next()) {
            for (const db::Row row : *piece) {
                if (row.get<std::string>(1) != text_of(row.get<std::int64_t>(0)))
                    say("a record of the log is torn");
            }
        }
    }
    Future<void> back_up(db::Pool& pool) {
        while (acknowledged_ < transfer_count) {
            co_await sleep(300ms);
            // A backup is that of one moment after its beginning.
            const std::int64_t least = acknowledged_;
            co_await pool.backup("/data/copy.db");
            backed_up_ = std::max(backed_up_, least);
        }
    }
    Future<void> check_backup() {
        if (!co_await fs::exists("/data/copy.db")) {
            if (backed_up_ > 0) say("the backup is lost");
            co_return;
        }
        db::Pool copy("sqlite:/data/copy.db");
        const auto table_count = co_await copy.one<int>("select count(*) from sqlite_schema");
        if (table_count > 0) co_await check(copy, backed_up_, attempted_);
        if (table_count == 0 && backed_up_ > 0) say("the backup is empty");
    }
    // The first that was found stays.
    void say(const char* what) {
        if (*wrong_ == '\0') wrong_ = what;
    }

    const Mistake mistake_;
    sim::Host* host_ = nullptr;
    std::int64_t acknowledged_ = 0;
    std::int64_t attempted_ = 0;
    std::int64_t backed_up_ = 0;
    bool is_done_ = false;
    const char* wrong_ = "";
};

Scenario bank(Mistake mistake) {
    keep_sqlite_in_hosts();
    return {.name = "bank of SQLite",
            .make = [mistake] { return std::make_unique<BankTrial>(mistake); }};
}

// A quarter of the usual seeds: SQLite does much in each. Without syncs that fail: after one, the next can succeed
// although it saves nothing of what the first one should have, and SQLite takes that for safe.
TEST(SqliteBank, loses_and_halves_no_transfer) {
    const Scenario scenario = bank(Mistake::none);
    const std::vector<std::string> hosts = host_names(scenario);
    const std::uint64_t first = first_seed();
    for (std::uint64_t seed = first; seed < first + seed_count() / 4; ++seed) {
        sim::Plan plan = sim::draw_plan(sim::PlanLevel::hostile, seed, hosts, scenario.faults_last);
        std::erase_if(plan.events, [](const sim::PlanEvent& event) {
            return event.kind == sim::FaultKind::sync_error;
        });
        const TrialResult result = run_trial(scenario, seed, plan);
        ASSERT_EQ(result.why, "") << "seed " << seed << "\n"
                                  << to_text(shrink_plan(scenario, seed, plan));
    }
}

TEST(SqliteBank, without_a_sync_is_found) {
    expect_some_seed_fails(bank(Mistake::without_sync), "an acknowledged transfer is lost");
}

TEST(SqliteBank, without_a_transaction_is_found) {
    expect_some_seed_fails(bank(Mistake::without_transaction), "a transfer took effect in part");
}

}  // namespace
}  // namespace gyre::testing
