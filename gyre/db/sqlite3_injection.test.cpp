// SPDX-License-Identifier: Apache-2.0
// Values that would be SQL if they were ever part of a text, in every place that takes a parameter: each
// comes back as it was, and nothing else happens.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gyre/db/sqlite3_world.test.hpp"

namespace gyre::db {
namespace {

class SqliteInjection : public SqliteWorld {};
GYRE_ON_PLATFORMS(SqliteInjection, gyre::test::every_platform);

// Apart from the coroutines: g++ 12 takes no braces there.
const std::vector<std::string>& attempts() {
    static const std::vector<std::string> all = {
        "'; drop table users; --",
        "' or '1'='1",
        "\" or \"\"=\"",
        "1; delete from users",
        "') ; insert into users values (99, 'x'); --",
        "x'; attach database 'stolen.db' as s; --",
        "\\'; drop table users; --",
        "' union select name from sqlite_schema --",
        "/* */ ' || (select id from users) || '",
        "$1",
        "$2; drop table users",
        "?1",
        ":name",
        "%' or name like '%",
        "-- name: users",
        "\n--\n; drop table users;",
        std::string("a\0'; drop table users; --", 25),
        "\xC2\xBF'\xE2\x80\x99; drop table users",
        "x'27'",
        "char(39)",
        "\\u0027; drop table users",
        "`; drop table users; `",
        "[; drop table users; ]",
        "1e999",
        "null",
        std::string(3'000, '\''),
    };
    return all;
}

// The three rows of the beginning, and no table or row besides.
Future<void> expect_untouched(Pool& pool) {
    EXPECT_EQ(co_await pool.one<std::string>("select group_concat(id || name) from users"),
              "1ada,2bob,3eve");
    EXPECT_EQ(co_await pool.one<std::string>("select group_concat(name) from sqlite_schema"),
              "users,kept");
    EXPECT_EQ(co_await pool.one<int>("select count(*) from pragma_database_list"), 1);
}

template <class F>
auto with_users(F test) {
    return [test](Pool& pool) -> Future<void> {
        co_await pool.script(
            "create table users (id integer primary key, name text);"
            "create table kept (text);"
            "insert into users values (1, 'ada'), (2, 'bob'), (3, 'eve')");
        for (const std::string& attempt : attempts()) {
            co_await test(pool, attempt);
            co_await expect_untouched(pool);
        }
    };
}

TEST_P(SqliteInjection, finds_nothing_in_a_condition) {
    with_memory(with_users([](Pool& pool, std::string text) -> Future<void> {
        for (const char* const where :
             {"name = $1", "name in ('zoe', $1)", "name like $1 and name = $1", "id = $1",
              "$1 = name", "name between $1 and $1", "exists (select 1 where name = $1)",
              "case when name = $1 then 1 else 0 end", "name = 'x' || $1", "name glob $1 || ']'"}) {
            const Rows rows =
                co_await pool.query(std::string("select id from users where ") + where, text);
            EXPECT_EQ(rows.size(), 0U) << where << ": " << text;
        }
    }));
}

TEST_P(SqliteInjection, comes_back_as_it_was) {
    with_memory(with_users([](Pool& pool, std::string text) -> Future<void> {
        EXPECT_EQ(co_await pool.one<std::string>("select $1", text), text);
        EXPECT_EQ(co_await pool.one<std::string>("select $2 from (select $1)", "other", text),
                  text);
        EXPECT_EQ(
            co_await pool.one<std::string>("with v(t) as (values ($1)) select max(t) from v", text),
            text);
        const auto size = static_cast<std::int64_t>(text.size());
        EXPECT_EQ(co_await pool.one<std::int64_t>("select length(cast($1 as blob))", text), size);
        EXPECT_EQ(co_await pool.one<Json>("select $1", Json(text)), Json(text));
        EXPECT_EQ(co_await pool.one<Numeric>("select $1", Numeric(text)), Numeric(text));
    }));
}

TEST_P(SqliteInjection, is_kept_as_it_was) {
    with_memory(with_users([](Pool& pool, std::string text) -> Future<void> {
        EXPECT_EQ(co_await pool.execute("insert into kept values ($1)", text), 1U);
        EXPECT_EQ(co_await pool.execute("update kept set text = $1 where text = $1", text), 1U);
        EXPECT_EQ(co_await pool.one<std::string>("select text from kept"), text);
        std::vector<Values> batch(3);
        for (Values& values : batch) values.emplace_back(text);
        EXPECT_EQ(co_await pool.batch("insert into kept values ($1)", batch), 3U);
        auto rows = pool.stream("select text from kept where text = $1", text);
        std::size_t count = 0;
        while (auto piece = co_await rows.next()) {
            for (const Row row : *piece) {
                EXPECT_EQ(row.get<std::string>(0), text);
                ++count;
            }
        }
        EXPECT_EQ(count, 4U);
        auto remove = [text](Transaction& t) -> Future<void> {
            EXPECT_EQ(co_await t.execute("delete from kept where text = $1", text), 4U);
        };
        co_await pool.transaction(remove);
    }));
}

TEST_P(SqliteInjection, is_no_number_where_one_is_wanted) {
    with_memory(with_users([](Pool& pool, std::string text) -> Future<void> {
        for (const char* const sql :
             {"select id from users limit $1", "select id from users limit 1 offset $1",
              "select id from users order by id limit cast($1 as integer) - 100"}) {
            const DbError error = co_await error_of(pool.query(sql, text));
            const bool is_cast = std::string_view(sql).contains("cast");
            EXPECT_EQ(error.sqlstate(), is_cast ? "" : "42804") << sql << ": " << error.what();
        }
        // A parameter is a value, never a name or an order.
        EXPECT_EQ(
            (co_await pool.list<std::string>("select name from users order by $1, id", text))[0],
            "ada");
        EXPECT_NE((co_await error_of(pool.query("select * from $1", text))).message(), "none");
        EXPECT_NE(
            (co_await error_of(pool.query("select id from users order by id $1", text))).message(),
            "none");
        EXPECT_NE(
            (co_await error_of(pool.script("delete from users where name = $1 --"))).message(), "");
    }));
}

TEST_P(SqliteInjection, is_a_path_and_no_more_in_a_pragma_function) {
    with_memory(with_users([](Pool& pool, std::string text) -> Future<void> {
        EXPECT_EQ((co_await pool.query("select name from pragma_table_info($1)", text)).size(), 0U);
    }));
}

}  // namespace
}  // namespace gyre::db
