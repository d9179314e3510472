// SPDX-License-Identifier: Apache-2.0
// Pools of SQLite: in memory and in files, on each platform, with threads for the calls.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "gyre/db/sqlite3_world.test.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::db {
namespace {

using namespace std::chrono_literals;
using Kind = DbError::Kind;

class Sqlite : public SqliteWorld {};
GYRE_ON_PLATFORMS(Sqlite, gyre::test::every_platform);

template <class T>
Future<void> expect_back(Pool& pool, T value) {
    const T back = co_await pool.one<T>("select $1", value);
    EXPECT_EQ(back, value);
}

TEST_P(Sqlite, gives_back_every_type_with_its_edges) {
    with_memory([](Pool& pool) -> Future<void> {
        co_await expect_back(pool, true);
        co_await expect_back(pool, std::numeric_limits<std::int64_t>::min());
        co_await expect_back(pool, std::numeric_limits<std::int64_t>::max());
        co_await expect_back(pool, 5e-324);
        co_await expect_back(pool, std::numeric_limits<double>::infinity());
        co_await expect_back(pool, std::string("'; drop table x; -- ☃"));
        co_await expect_back(pool, std::string("a\0b", 3));
        co_await expect_back(pool, Blob());
        co_await expect_back(pool, Blob(3, std::byte{0}));
        co_await expect_back(pool, Numeric(std::string("-12345678901234567890.5")));
        co_await expect_back(pool, Json(std::string("{\"a\": 1}")));
        co_await expect_back(pool, Timestamp(1700000000123456));
        co_await expect_back(pool, Date(-719162));
        co_await expect_back(pool, *Uuid::parse("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
        co_await expect_back(pool, std::optional<int>());
        EXPECT_EQ(co_await pool.one<std::string>("select datetime($1)", Timestamp(0)),
                  "1970-01-01 00:00:00");
        EXPECT_EQ((co_await error_of(pool.query("select $1", std::nan("")))).kind(),
                  Kind::mismatch);
        EXPECT_EQ((co_await error_of(pool.query("select $1", std::vector<int>()))).kind(),
                  Kind::mismatch);
    });
}

TEST_P(Sqlite, numbers_its_parameters_as_postgresql_does) {
    with_memory([](Pool& pool) -> Future<void> {
        const auto row =
            co_await pool.one<std::tuple<int, std::string, int>>("select $2, $1, $2", "one", 2);
        EXPECT_EQ(std::get<0>(row), 2);
        EXPECT_EQ(std::get<1>(row), "one");
        EXPECT_EQ((co_await error_of(pool.query("select $1, $3", 1))).message(),
                  "the statement has 3 parameters, and 1 were given");
        EXPECT_EQ((co_await error_of(pool.query("select $name", 1))).message(),
                  "a parameter is named '$name': $1, $2, … are possible");
        EXPECT_EQ((co_await error_of(pool.query("select 1; select 2"))).message(),
                  "exactly one statement is expected");
    });
}

TEST_P(Sqlite, says_what_went_wrong_in_the_words_of_postgresql) {
    with_memory([](Pool& pool) -> Future<void> {
        co_await pool.script(
            "create table t (id integer primary key, n int not null check (n > 0))");
        EXPECT_EQ(co_await pool.execute("insert into t values (1, 1), (2, 2)"), 2U);
        EXPECT_EQ((co_await error_of(pool.execute("insert into t values (1, 1)"))).sqlstate(),
                  "23505");
        EXPECT_EQ((co_await error_of(pool.execute("insert into t values (3, null)"))).sqlstate(),
                  "23502");
        EXPECT_EQ((co_await error_of(pool.execute("insert into t values (3, -1)"))).sqlstate(),
                  "23514");
        const DbError syntax = co_await error_of(pool.query("select ☃ frm t"));
        EXPECT_EQ(syntax.kind(), Kind::statement);
        EXPECT_EQ((co_await error_of(pool.query("select * from nothing"))).position(), 15U);
        Pool nowhere("sqlite:/nowhere/at/all.db");
        EXPECT_EQ((co_await error_of(nowhere.query("select 1"))).kind(), Kind::unreachable);
    });
}

TEST_P(Sqlite, an_error_has_the_name_of_the_statement) {
    with_memory([](Pool& pool) -> Future<void> {
        const DbError error =
            co_await error_of(pool.query("-- name: find_user\nselect * from nothing"));
        EXPECT_EQ(error.statement_name(), "find_user");
        EXPECT_EQ(error.position(), 34U) << "in the whole text";
        EXPECT_EQ(error.what(),
                  std::string("'find_user' at 34: near \"nothing\": syntax error [42601]"));
        EXPECT_EQ(co_await pool.one<int>("-- name: one :one\n-- of all\nselect 1"), 1);
        co_await pool.script("create table t (n integer unique); insert into t values (1)");
        const DbError twice = co_await error_of(
            pool.batch("\n  -- name: put \ninsert into t values (1)", std::vector<Values>(1)));
        EXPECT_EQ(twice.statement_name(), "put");
        for (const char* const sql :
             {"select $1 from nothing -- name: x\n", "--name: x\nselec", "-- name: x;y\nselec",
              "-- name:\nselec", "/* name: x */ selec"}) {
            EXPECT_EQ((co_await error_of(pool.query(sql))).statement_name(), "") << sql;
        }
        const std::string longest(64, 'x');
        EXPECT_EQ(
            (co_await error_of(pool.query("-- name: " + longest + "\nselec"))).statement_name(),
            longest);
        EXPECT_EQ(
            (co_await error_of(pool.query("-- name: " + longest + "y\nselec"))).statement_name(),
            "");
    });
}

TEST_P(Sqlite, many_read_while_one_writes) {
    with_pool(file(), [](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int)");
        auto write = [&pool](Transaction& t) -> Future<void> {
            co_await t.execute("insert into t values (1)");
            // Others read the state before.
            EXPECT_EQ(co_await pool.one<int>("select count(*) from t"), 0);
            EXPECT_EQ(co_await t.one<int>("select count(*) from t"), 1);
        };
        co_await pool.transaction(write);
        EXPECT_EQ(co_await pool.one<int>("select count(*) from t"), 1);
    });
}

TEST_P(Sqlite, writers_take_turns_and_none_is_refused) {
    with_pool(file(), [](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int); insert into t values (0)");
        auto body = [&pool](Scope& scope) -> Future<void> {
            for (int i = 0; i < 50; ++i) {
                scope.spawn(
                    [](Pool* of) -> Future<void> {
                        auto add = [](Transaction& t) -> Future<void> {
                            const int n = co_await t.one<int>("select n from t");
                            co_await t.execute("update t set n = $1", n + 1);
                        };
                        co_await of->transaction(add);
                    },
                    &pool);
            }
            co_return;
        };
        co_await with_scope(std::move(body));
        EXPECT_EQ(co_await pool.one<int>("select n from t"), 50);
    });
}

TEST_P(Sqlite, a_transaction_that_fails_leaves_nothing_and_savepoints_nest) {
    with_pool(file(), [](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int)");
        auto failing = [](Transaction& t) -> Future<void> {
            co_await t.execute("insert into t values (1)");
            co_await fail(Error(std::errc::io_error));
        };
        EXPECT_FALSE(co_await try_(pool.transaction(failing)));
        EXPECT_EQ(co_await pool.one<int>("select count(*) from t"), 0);
        auto nested = [&](Transaction& t) -> Future<int> {
            co_await t.execute("insert into t values (2)");
            EXPECT_FALSE(co_await try_(t.transaction(failing)));
            co_return co_await t.one<int>("select sum(n) from t");
        };
        EXPECT_EQ(co_await pool.transaction(nested), 2);
        EXPECT_EQ(co_await pool.one<int>("select sum(n) from t"), 2);
        auto reading = [](Transaction& t) -> Future<void> {
            co_await t.execute("insert into t values (3)");
        };
        EXPECT_EQ(
            (co_await error_of(pool.transaction(reading, {.begin = Begin::read_only}))).kind(),
            Kind::read_only);
        co_await pool.execute("insert into t values (4)");
        EXPECT_EQ(co_await pool.one<int>("select sum(n) from t"), 6);
    });
}

TEST_P(Sqlite, a_cancel_interrupts_the_statement) {
    if (std::string_view(GetParam()) == "sim")
        GTEST_SKIP() << "skipped: a simulated thread is not interrupted";
    with_pool(file(), [](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int)");
        auto endless = [](Transaction& t) -> Future<void> {
            co_await t.execute("insert into t values (1)");
            static_cast<void>(
                co_await t.query("with recursive c(x) as (select 1 union all select x + 1 from c) "
                                 "select count(*) from c"));
        };
        bool is_late = false;
        try {
            co_await timeout(pool.transaction(endless), 50ms);
        } catch (const TimeoutError&) {
            is_late = true;
        }
        EXPECT_TRUE(is_late);
        EXPECT_EQ(co_await pool.one<int>("select count(*) from t"), 0);
    });
}

TEST_P(Sqlite, a_commit_as_a_statement_ends_the_turn_of_the_writer) {
    with_pool(file(), [](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int)");
        Connection one = co_await pool.acquire();
        co_await one.execute("begin");
        co_await one.execute("insert into t values (1)");
        co_await one.execute("commit");
        // Of another connection: it would wait for ever.
        EXPECT_EQ(co_await timeout(pool.execute("insert into t values (2)"), 5min), 1U);
        EXPECT_EQ(co_await one.one<int>("select count(*) from t"), 2);
    });
}

TEST_P(Sqlite, a_commit_that_has_begun_is_not_lost_when_the_whole_program_is_cancelled) {
    const auto body = [&](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int)");
        Task& self = co_await this_task();
        auto last = [&self](Transaction& t) -> Future<void> {
            co_await t.execute("insert into t values (1)");
            self.executor().root().cancel("Ctrl-C");
        };
        bool has_committed = true;
        try {
            co_await pool.transaction(last);
        } catch (const Cancelled&) {
            has_committed = false;
        }
        const auto count = [&pool]() -> Future<int> {
            co_return co_await pool.one<int>("select count(*) from t");
        };
        EXPECT_EQ(co_await shield(count()), has_committed ? 1 : 0);
        co_await shield(pool.script("drop table t"));
    };
    with_pool(file(), body);
}

TEST_P(Sqlite, the_first_piece_of_a_stream_has_the_columns_without_any_row) {
    with_memory([](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int)");
        auto none = pool.stream("select n as number from t");
        auto piece = co_await none.next();
        EXPECT_TRUE(piece && piece->empty() && piece->column(0).name == "number");
        EXPECT_FALSE((co_await none.next()).has_value());
        auto changed = pool.stream("insert into t values (1), (2)");
        piece = co_await changed.next();
        EXPECT_TRUE(piece && piece->empty() && piece->affected() == 2);
        EXPECT_FALSE((co_await changed.next()).has_value());
    });
}

TEST_P(Sqlite, makes_a_backup_that_is_whole_while_others_write) {
    std::filesystem::create_directories(folder_name());
    const std::string copy = folder_name() + "/copy.db";
    const auto body = [&](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int)");
        auto write = [&pool]() -> Future<int> {
            for (int i = 0; i < 100; ++i) {
                auto both = [](Transaction& t) -> Future<void> {
                    co_await t.execute("insert into t values (1)");
                    co_await t.execute("insert into t values (-1)");
                };
                co_await pool.transaction(both);
            }
            co_return 0;
        };
        auto save = [&]() -> Future<int> {
            co_await pool.execute("vacuum into $1", copy);
            co_return 0;
        };
        const auto [written, saved] = co_await all(write(), save());
        EXPECT_EQ(written + saved, 0);
        Pool backup("sqlite:" + copy);
        EXPECT_EQ(co_await backup.one<std::string>("pragma integrity_check"), "ok");
        EXPECT_EQ(co_await backup.one<int>("select coalesce(sum(n), 0) from t"), 0);
    };
    with_pool(file(), body);
}

TEST_P(Sqlite, streams_in_little_memory_and_may_be_left) {
    PoolOptions options;
    options.limits.stream_bytes_max = 10'000;
    options.limits.rows_bytes_max = 100'000;
    const auto body = [](Pool& pool) -> Future<void> {
        const std::string many =
            "with recursive c(x) as (select 1 union all select x + 1 from c where x < $1) select x "
            "from c";
        std::int64_t sum = 0;
        auto rows = pool.stream(many, 20'000);
        while (auto piece = co_await rows.next()) {
            EXPECT_LE(piece->held_bytes(), 10'100U);
            for (const Row row : *piece) sum += row.get<int>(0);
        }
        EXPECT_EQ(sum, 200'010'000);
        auto left = pool.stream(many, 20'000);
        EXPECT_TRUE((co_await left.next()).has_value());
        co_await left.aclose();
        EXPECT_EQ((co_await error_of(pool.query(many, 20'000))).kind(), Kind::limit);
        EXPECT_EQ(co_await pool.one<int>("select 7"), 7);
    };
    with_pool("sqlite::memory:", body, options);
}

TEST_P(Sqlite, a_batch_takes_effect_whole_or_not) {
    with_memory([](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (n int primary key)");
        std::vector<Values> values;
        for (int i = 0; i < 1000; ++i) values.push_back(Values(1, Value(i)));
        EXPECT_EQ(co_await pool.batch("insert into t values ($1)", values), 1000U);
        values = {Values(1, Value(5000)), Values(1, Value(5))};
        EXPECT_EQ((co_await error_of(pool.batch("insert into t values ($1)", values))).kind(),
                  Kind::constraint);
        EXPECT_EQ(co_await pool.one<int>("select count(*) from t"), 1000);
    });
}

TEST_P(Sqlite, a_kept_statement_follows_a_change_of_the_schema) {
    with_memory([](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (a int); insert into t values (1)");
        EXPECT_EQ((co_await pool.query("select * from t"))[0].get<int>("a"), 1);
        co_await pool.script("alter table t add column b int default 2");
        EXPECT_EQ((co_await pool.query("select * from t"))[0].get<int>("b"), 2);
        co_await pool.script("alter table t rename column a to c");
        EXPECT_EQ((co_await pool.query("select * from t"))[0].get<int>("c"), 1);
    });
}

TEST_P(Sqlite, keeps_no_more_statements_than_its_limit) {
    PoolOptions options;
    options.limits.statements_max = 2;
    const auto body = [](Pool& pool) -> Future<void> {
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 5; ++i) {
                EXPECT_EQ(co_await pool.one<int>("select " + std::to_string(i)), i);
            }
        }
    };
    with_pool("sqlite::memory:", body, options);
}

TEST_P(Sqlite, a_file_of_another_kind_is_refused) {
    with_pool(file(), [&](Pool& pool) -> Future<void> {
        FILE* out = std::fopen(file().substr(7).c_str(), "w");
        for (int i = 0; i < 1000; ++i) std::fputs("no database ", out);
        std::fclose(out);
        const DbError error = co_await error_of(pool.query("select 1"));
        EXPECT_EQ(error.kind(), Kind::unreachable);
        EXPECT_TRUE(error.message().contains("file is not a database")) << error.message();
    });
}

}  // namespace
}  // namespace gyre::db
