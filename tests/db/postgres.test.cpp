// SPDX-License-Identifier: Apache-2.0
// gyre/db against PostgreSQL itself, on each real platform.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "gyre/db/pool.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/db/scratch_server.hpp"

namespace gyre::db {
namespace {

using namespace std::chrono_literals;
using test::ScratchServer;
using Kind = DbError::Kind;

class Postgres : public net::NetWorld {
protected:
    void SetUp() override {
        GYRE_NEEDS_POSTGRES();
        NetWorld::SetUp();
    }
    [[nodiscard]] static std::string url(const std::string& login = "postgres") {
        return ScratchServer::instance().url(login);
    }
    // Calls it with a pool of so many connections.
    template <class F>
    void with_pool(F body, std::size_t connections_max = 4) {
        run([&]() -> Future<void> {
            PoolOptions options;
            options.connections_max = connections_max;
            Pool pool(url(), options);
            co_await body(pool);
            EXPECT_EQ(pool.used_count(), 0U);
        });
    }
};
GYRE_ON_PLATFORMS(Postgres, gyre::test::real_platforms);

template <class T>
Future<DbError> error_of(Future<T> future) {
    try {
        static_cast<void>(co_await std::move(future));
    } catch (const DbError& e) {
        co_return e;
    }
    co_return DbError(Kind::failed, "none");
}
template <>
Future<DbError> error_of(Future<void> future) {
    try {
        co_await std::move(future);
    } catch (const DbError& e) {
        co_return e;
    }
    co_return DbError(Kind::failed, "none");
}

// The value through a parameter and back, alone and as the text that the server makes of it.
template <class T>
Future<void> expect_there_and_back(Pool& pool, std::string type, std::vector<T> values) {
    for (const T& value : values) {
        const auto back = co_await pool.one<T>("select $1::" + type, value);
        EXPECT_EQ(back, value) << type;
        const auto none =
            co_await pool.one<std::optional<T>>("select $1::" + type, std::optional<T>());
        EXPECT_EQ(none, std::nullopt);
    }
}

// g++ 12 takes no braces for it inside of a co_await.
template <class T, class... Items>
std::vector<T> list_of(Items... items) {
    return {T(items)...};
}

TEST_P(Postgres, gives_back_every_type_with_its_edges) {
    with_pool([](Pool& pool) -> Future<void> {
        using Limits64 = std::numeric_limits<std::int64_t>;
        co_await expect_there_and_back(pool, "bool", list_of<bool>(true, false));
        co_await expect_there_and_back(pool, "int2", list_of<std::int16_t>(-32768, 32767));
        co_await expect_there_and_back(
            pool, "int4", list_of<std::int32_t>(std::numeric_limits<std::int32_t>::min(), 7));
        co_await expect_there_and_back(pool, "int8",
                                       list_of<std::int64_t>(Limits64::min(), Limits64::max()));
        co_await expect_there_and_back(pool, "float4", list_of<float>(3.4e38F, 1e-45F, -0.0F));
        co_await expect_there_and_back(pool, "float8",
                                       list_of<double>(1.7e308, 5e-324, HUGE_VAL, -HUGE_VAL));
        const auto texts = list_of<std::string>("", "'; drop table x; --", "naïve ☃ 𝄞");
        co_await expect_there_and_back(pool, "text", texts);
        co_await expect_there_and_back(pool, "varchar", texts);
        const auto blobs = list_of<Blob>(Blob(), Blob(300, std::byte{0}), Blob(3, std::byte{92}));
        co_await expect_there_and_back(pool, "bytea", blobs);
        const auto numerics = list_of<Numeric>("0", "-12345678901234567890.0987654321", "NaN");
        co_await expect_there_and_back(pool, "numeric", numerics);
        const auto times =
            list_of<Timestamp>(0, -62135596800000000, 1700000000123456, 224695036800000000,
                               Timestamp::past(), Timestamp::future());
        co_await expect_there_and_back(pool, "timestamptz", times);
        co_await expect_there_and_back(pool, "timestamp", times);
        const auto dates = list_of<Date>(0, -719162, 2932896);
        co_await expect_there_and_back(pool, "date", dates);
        const auto uuids =
            list_of<Uuid>(Uuid(), *Uuid::parse("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
        co_await expect_there_and_back(pool, "uuid", uuids);
        const auto documents = list_of<Json>("{\"a\": [1, null]}", "null");
        co_await expect_there_and_back(pool, "jsonb", documents);
        co_await expect_there_and_back(pool, "json", documents);
    });
}

std::vector<std::optional<std::string>> odd_texts() {
    return {"", "NULL", std::nullopt, "a,b", "\"\\{}", "☃"};
}

// Apart from the coroutine: g++ 12 takes no braces there.
std::vector<std::vector<std::vector<std::string>>> tables() {
    return {{}, {{"a}", "{b,"}, {"\"\\", "NULL"}}};
}
std::vector<std::vector<std::vector<std::vector<int>>>> cubes() {
    return {{{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {0, -1, -2}}}};
}

TEST_P(Postgres, gives_back_arrays) {
    with_pool([](Pool& pool) -> Future<void> {
        using Texts = std::vector<std::optional<std::string>>;
        const auto texts = list_of<Texts>(Texts(), odd_texts());
        co_await expect_there_and_back(pool, "text[]", texts);
        using Numbers = std::vector<std::int64_t>;
        const auto least = std::numeric_limits<std::int64_t>::min();
        co_await expect_there_and_back(pool, "int8[]",
                                       list_of<Numbers>(list_of<std::int64_t>(1, -2, least)));
        co_await expect_there_and_back(pool, "text[]", tables());
        co_await expect_there_and_back(pool, "int4[]", cubes());
        const auto shifted = list_of<int>(7, 8);
        EXPECT_EQ(co_await pool.one<std::vector<int>>("select '[0:1]={7,8}'::int[]"), shifted);
        EXPECT_EQ((co_await error_of(pool.one<std::vector<int>>("select '{{7}}'::int[]"))).kind(),
                  Kind::mismatch);
        using Floats = std::vector<double>;
        co_await expect_there_and_back(pool, "float8[]",
                                       list_of<Floats>(list_of<double>(0.1, 1e300, -5e-324)));
        using Blobs = std::vector<Blob>;
        const auto blobs = list_of<Blob>(Blob(), Blob(3, std::byte{34}), Blob(2, std::byte{0}));
        co_await expect_there_and_back(pool, "bytea[]", list_of<Blobs>(blobs));
        using Times = std::vector<Timestamp>;
        const auto times = list_of<Timestamp>(1700000000123456, Timestamp::future());
        co_await expect_there_and_back(pool, "timestamptz[]", list_of<Times>(times));
        using Numerics = std::vector<Numeric>;
        co_await expect_there_and_back(pool, "numeric[]",
                                       list_of<Numerics>(list_of<Numeric>("1.50", "-7")));
    });
}

TEST_P(Postgres, shows_values_as_the_server_does) {
    with_pool([](Pool& pool) -> Future<void> {
        const Rows rows = co_await pool.query(
            "select v, v::text from (values (timestamptz '2025-11-19 10:00:00.5+00'), "
            "(timestamptz 'infinity'), (timestamptz '0044-03-15 12:00:00+00 BC')) as t(v)");
        for (const Row row : rows) EXPECT_EQ(row.cell(0).to_text(), row.get<std::string>(1));
        const Rows others = co_await pool.query(
            "select 1.5::float4, 1e300::float8, true, '\\x00ff'::bytea, date '0044-03-15 BC', "
            "'{1,null}'::int[], inet '10.0.0.1', '(1,2)'::point");
        std::string shown;
        for (std::size_t i = 0; i < others[0].size(); ++i)
            shown += others[0].cell(i).to_text() + " ";
        EXPECT_EQ(shown, "1.5 1e+300 t \\x00ff 0044-03-15 BC {1,NULL} 10.0.0.1 (1,2) ");
    });
}

TEST_P(Postgres, random_integers_and_texts_agree_with_the_server) {
    with_pool([](Pool& pool) -> Future<void> {
        Random random(7);
        std::vector<std::int64_t> numbers;
        std::vector<Timestamp> times;
        std::vector<double> floats;
        for (int i = 0; i < 10'000; ++i) {
            numbers.push_back(static_cast<std::int64_t>(random.next()));
            times.push_back(
                {static_cast<std::int64_t>(random.next() % 250'000'000'000'000'000ULL)});
            floats.push_back(static_cast<double>(numbers.back()) / 4096.0);
        }
        co_await pool.script("set timezone = 'UTC'");
        const Rows rows = co_await pool.query(
            "select i, i::text, t, t::text, f, f::text from unnest($1::int8[], $2::timestamptz[], "
            "$3::float8[]) "
            "as x(i, t, f)",
            numbers, times, floats);
        EXPECT_EQ(rows.size(), numbers.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(rows[i].get<std::int64_t>(0), numbers[i]);
            EXPECT_EQ(rows[i].cell(0).to_text(), rows[i].get<std::string>(1));
            EXPECT_EQ(rows[i].get<Timestamp>(2), times[i]);
            EXPECT_EQ(rows[i].cell(2).to_text(), rows[i].get<std::string>(3));
            EXPECT_EQ(rows[i].get<double>(4), floats[i]);
        }
    });
}

TEST_P(Postgres, says_what_went_wrong) {
    with_pool([](Pool& pool) -> Future<void> {
        co_await pool.script(
            "drop table if exists errors; create table errors (id int primary key, "
            "positive int constraint is_positive check (positive > 0))");
        const DbError syntax = co_await error_of(pool.query("selekt 1"));
        EXPECT_EQ(syntax.kind(), Kind::statement);
        EXPECT_EQ(syntax.sqlstate(), "42601");
        EXPECT_EQ(syntax.position(), 1U);
        co_await pool.execute("insert into errors values (1, 1)");
        const DbError duplicate =
            co_await error_of(pool.execute("insert into errors values (1, 1)"));
        EXPECT_EQ(duplicate.kind(), Kind::constraint);
        EXPECT_EQ(duplicate.constraint(), "errors_pkey");
        EXPECT_FALSE(duplicate.is_retry_safe());
        EXPECT_EQ(
            (co_await error_of(pool.execute("insert into errors values (2, $1)", -1))).constraint(),
            "is_positive");
        EXPECT_EQ((co_await error_of(pool.query("select $1::int4", "seven"))).kind(),
                  Kind::mismatch);
        auto write = [](Transaction& t) -> Future<void> {
            co_await t.execute("insert into errors values (3, 3)");
        };
        EXPECT_EQ((co_await error_of(pool.transaction(write, {.begin = Begin::read_only}))).kind(),
                  Kind::read_only);
        Pool stranger(url("nobody:x"));
        EXPECT_EQ((co_await error_of(stranger.query("select 1"))).kind(), Kind::refused);
        EXPECT_EQ(co_await pool.one<std::int64_t>("select count(*) from errors"), 1);
    });
}

TEST_P(Postgres, logs_in_with_a_password) {
    run([]() -> Future<void> {
        Pool good(url("ada:secret"));
        EXPECT_EQ(co_await good.one<std::string>("select current_user::text"), "ada");
        Pool bad(url("ada:wrong"));
        const DbError error = co_await error_of(bad.query("select 1"));
        EXPECT_EQ(error.kind(), Kind::refused);
        EXPECT_EQ(error.sqlstate(), "28P01");
    });
}

TEST_P(Postgres, cancels_on_the_server_and_uses_the_connection_again) {
    with_pool([](Pool& pool) -> Future<void> {
        const auto process = co_await pool.one<int>("select pg_backend_pid()");
        bool is_late = false;
        try {
            static_cast<void>(co_await timeout(pool.query("select pg_sleep(600)"), 100ms));
        } catch (const TimeoutError&) {
            is_late = true;
        }
        EXPECT_TRUE(is_late);
        EXPECT_EQ(co_await pool.one<int>("select pg_backend_pid()"), process);
        EXPECT_EQ(co_await pool.one<std::int64_t>(
                      "select count(*) from pg_stat_activity where state = 'active' "
                      "and query like '%pg_sleep(600)%' and pid <> pg_backend_pid()"),
                  0);
    });
}

TEST_P(Postgres, cancels_a_pipelined_statement_on_the_server) {
    with_pool([](Pool& pool) -> Future<void> {
        Connection connection = co_await pool.acquire();
        auto slow = [&connection]() -> Future<bool> {
            try {
                static_cast<void>(
                    co_await timeout(connection.query("select pg_sleep(600)"), 300ms));
            } catch (const TimeoutError&) {
                co_return true;
            }
            co_return false;
        };
        // Behind the one that sleeps.
        auto quick = [&connection]() -> Future<int> {
            co_await sleep(100ms);
            co_return co_await connection.one<int>("select 7");
        };
        const auto [is_late, seven, eight] = co_await all(slow(), quick(), quick());
        EXPECT_TRUE(is_late);
        EXPECT_EQ(seven + eight, 14);
        EXPECT_EQ(co_await connection.one<int>("select 1"), 1);
    });
}

TEST_P(Postgres, the_first_piece_of_a_stream_has_the_columns_without_any_row) {
    with_pool([](Pool& pool) -> Future<void> {
        auto none = pool.stream("select 1 as number where false");
        auto piece = co_await none.next();
        EXPECT_TRUE(piece && piece->empty() && piece->column(0).name == "number");
        EXPECT_FALSE((co_await none.next()).has_value());
    });
}

TEST_P(Postgres, a_transaction_that_is_cancelled_leaves_nothing) {
    with_pool([](Pool& pool) -> Future<void> {
        co_await pool.script("drop table if exists held; create table held (id int)");
        auto slow = [](Transaction& t) -> Future<void> {
            co_await t.execute("insert into held values (1)");
            static_cast<void>(co_await t.query("select pg_sleep(600)"));
        };
        bool is_late = false;
        try {
            co_await timeout(pool.transaction(slow), 100ms);
        } catch (const TimeoutError&) {
            is_late = true;
        }
        EXPECT_TRUE(is_late);
        EXPECT_EQ(co_await pool.one<std::int64_t>("select count(*) from held"), 0);
        EXPECT_EQ(
            co_await pool.one<std::int64_t>(
                "select count(*) from pg_stat_activity where state like 'idle in transaction%'"),
            0);
    });
}

TEST_P(Postgres, serializable_transactions_are_tried_again_until_all_count) {
    with_pool([](Pool& pool) -> Future<void> {
        co_await pool.script(
            "drop table if exists counters; create table counters (n int); "
            "insert into counters values (0)");
        auto body = [&pool](Scope& scope) -> Future<void> {
            for (int i = 0; i < 8; ++i) {
                scope.spawn(
                    [](Pool* of) -> Future<void> {
                        auto add = [](Transaction& t) -> Future<void> {
                            const int n = co_await t.one<int>("select n from counters");
                            co_await t.execute("update counters set n = $1", n + 1);
                        };
                        co_await of->transaction(add,
                                                 {.begin = Begin::serializable, .tries_max = 100});
                    },
                    &pool);
            }
            co_return;
        };
        co_await with_scope(std::move(body));
        EXPECT_EQ(co_await pool.one<int>("select n from counters"), 8);
    });
}

TEST_P(Postgres, prepares_anew_after_a_schema_change) {
    with_pool(
        [](Pool& pool) -> Future<void> {
            co_await pool.script(
                "drop table if exists shapes; create table shapes (a int); insert into shapes "
                "values (1)");
            EXPECT_EQ((co_await pool.query("select * from shapes")).column_count(), 1U);
            co_await pool.script("alter table shapes add column b text default 'x'");
            EXPECT_EQ((co_await pool.query("select * from shapes"))[0].get<std::string>("b"), "x");
            co_await pool.script("deallocate all");
            EXPECT_EQ((co_await pool.query("select * from shapes")).column_count(), 2U);
        },
        1);
}

TEST_P(Postgres, streams_a_million_rows_in_little_memory) {
    with_pool([](Pool& pool) -> Future<void> {
        std::int64_t sum = 0;
        std::size_t piece_bytes_max = 0;
        auto rows = pool.stream("select i from generate_series(1, 1000000) as t(i)");
        while (auto piece = co_await rows.next()) {
            piece_bytes_max = std::max(piece_bytes_max, piece->held_bytes());
            for (const Row row : *piece) sum += row.get<int>(0);
        }
        EXPECT_EQ(sum, 500000500000);
        EXPECT_LE(piece_bytes_max, Limits().stream_bytes_max + 1000);
    });
}

TEST_P(Postgres, copies_in_and_out) {
    with_pool([](Pool& pool) -> Future<void> {
        co_await pool.script("drop table if exists copied; create table copied (i int, t text)");
        Connection connection = co_await pool.acquire();
        int sent = 0;
        Pieces lines = [&]() -> Future<std::string> {
            std::string piece;
            for (int i = 0; i < 1000 && sent < 100'000; ++i, ++sent)
                piece += std::to_string(sent) + "\ttext\n";
            co_return piece;
        };
        EXPECT_EQ(co_await connection.copy_in("copy copied from stdin", lines), 100'000U);
        std::size_t line_count = 0;
        auto out = connection.copy_out("copy copied to stdout");
        while (auto piece = co_await out.next())
            line_count += static_cast<std::size_t>(std::ranges::count(*piece, '\n'));
        EXPECT_EQ(line_count, 100'000U);
        Pieces wrong = []() -> Future<std::string> { co_return "not a number\tx\n"; };
        EXPECT_EQ(
            (co_await error_of(connection.copy_in("copy copied from stdin", wrong))).sqlstate(),
            "22P02");
        EXPECT_EQ(co_await connection.one<int>("select 7"), 7);
    });
}

TEST_P(Postgres, a_batch_is_sent_together) {
    with_pool([](Pool& pool) -> Future<void> {
        co_await pool.script(
            "drop table if exists lots; create table lots (i int primary key, t text)");
        std::vector<Values> values;
        for (int i = 0; i < 5000; ++i) values.push_back({i, std::string(200, 'x')});
        EXPECT_EQ(co_await pool.batch("insert into lots values ($1, $2)", values), 5000U);
        values.resize(3);
        EXPECT_EQ(
            (co_await error_of(pool.batch("insert into lots values ($1, $2)", values))).kind(),
            Kind::constraint);
        EXPECT_EQ(co_await pool.one<std::int64_t>("select count(*) from lots"), 5000);
    });
}

TEST_P(Postgres, hears_notifications) {
    with_pool([](Pool& pool) -> Future<void> {
        Connection listener = co_await pool.acquire();
        co_await listener.script("listen news");
        co_await pool.execute("select pg_notify('news', $1)", "hello");
        EXPECT_EQ((co_await timeout(listener.notification(), 30s)).payload, "hello");
        // Other statements go on beside a listener that waits.
        bool is_late = false;
        try {
            static_cast<void>(co_await timeout(listener.notification(), 20ms));
        } catch (const TimeoutError&) {
            is_late = true;
        }
        EXPECT_TRUE(is_late);
        EXPECT_EQ(co_await listener.one<int>("select 7"), 7);
        co_await listener.execute("select pg_notify('news', $1)", "again");
        EXPECT_EQ((co_await timeout(listener.notification(), 30s)).payload, "again");
    });
}

TEST_P(Postgres, serves_two_hundred_connections_and_no_more_than_it_may) {
    run([]() -> Future<void> {
        PoolOptions options;
        options.connections_max = 200;
        options.name = "crowd";
        Pool pool(url(), options);
        std::set<int> processes;
        auto body = [&](Scope& scope) -> Future<void> {
            for (int i = 0; i < 400; ++i) {
                scope.spawn(
                    [](Pool* of, std::set<int>* seen) -> Future<void> {
                        const auto process =
                            co_await of->one<int>("select pg_backend_pid() from pg_sleep(0.05)");
                        seen->insert(process);
                    },
                    &pool, &processes);
            }
            co_return;
        };
        co_await with_scope(std::move(body));
        EXPECT_LE(processes.size(), 200U);
        EXPECT_GT(processes.size(), 100U);
        EXPECT_GE(co_await pool.one<std::int64_t>(
                      "select count(distinct application_name) from pg_stat_activity where "
                      "application_name like 'crowd/%'"),
                  100);
    });
}

TEST_P(Postgres, comes_back_after_the_server_was_killed_in_the_middle_of_statements) {
    with_pool([](Pool& pool) -> Future<void> {
        co_await pool.script("drop table if exists alive; create table alive (i int)");
        std::vector<Kind> kinds;
        auto body = [&](Scope& scope) -> Future<void> {
            for (int i = 0; i < 3; ++i) {
                scope.spawn(
                    [](Pool* of, std::vector<Kind>* all) -> Future<void> {
                        all->push_back(
                            (co_await error_of(of->query("select pg_sleep(600)"))).kind());
                    },
                    &pool, &kinds);
            }
            co_await sleep(300ms);
            EXPECT_TRUE(ScratchServer::instance().call("kill"));
        };
        co_await with_scope(std::move(body));
        EXPECT_EQ(kinds.size(), 3U);
        for (const Kind kind : kinds)
            EXPECT_TRUE(kind == Kind::lost || kind == Kind::busy) << static_cast<int>(kind);
        EXPECT_EQ((co_await error_of(pool.query("select 1"))).kind(), Kind::unreachable);
        EXPECT_TRUE(ScratchServer::instance().call("start"));
        EXPECT_EQ(co_await pool.one<std::int64_t>("select count(*) from alive"), 0);
    });
}

}  // namespace
}  // namespace gyre::db
