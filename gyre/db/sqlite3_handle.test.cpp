// SPDX-License-Identifier: Apache-2.0
// Which queries run on the loop's thread: those that were short, and are so again.
#include "gyre/db/internal/sqlite3_handle.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "gyre/db/error.hpp"

namespace gyre::db {
namespace {

class SqliteAtOnce : public testing::Test {
protected:
    // Runs it on a "thread", then "at once".
    std::optional<Rows> second_run(const std::string& sql, const Values& values = {}) {
        static_cast<void>(handle.run(sql, values));
        return handle.run_at_once(sql, values);
    }

    const Limits limits;
    SqliteHandle handle{":memory:", limits};
};

TEST_F(SqliteAtOnce, is_a_short_query_from_its_second_run_on) {
    handle.script(
        "create table t (id integer primary key, name text); insert into t values (7, 'x')");
    const std::string sql = "select name from t where id = $1";
    EXPECT_FALSE(handle.run_at_once(sql, {7}));
    EXPECT_EQ(handle.run(sql, {7})[0].as<std::string>(), "x");
    const auto rows = handle.run_at_once(sql, {7});
    ASSERT_TRUE(rows);
    EXPECT_EQ((*rows)[0].as<std::string>(), "x");
    EXPECT_TRUE(handle.run_at_once(sql, {8})->empty());
}

TEST_F(SqliteAtOnce, is_no_change_and_no_pragma) {
    handle.script("create table t (n int)");
    EXPECT_FALSE(second_run("insert into t values (1)"));
    EXPECT_FALSE(second_run("pragma integrity_check"));
    EXPECT_FALSE(second_run("begin"));
    EXPECT_EQ(handle.run("select count(*) from t", {})[0].as<int>(), 1);
}

TEST_F(SqliteAtOnce, is_given_up_where_the_query_is_long_this_time) {
    const std::string sql =
        "select count(*) from (with recursive c(x) as (select 1 union all select x + 1 from c "
        "where x < $1) select x from c)";
    EXPECT_TRUE(second_run(sql, {5}));
    EXPECT_FALSE(handle.run_at_once(sql, {100'000}));
    EXPECT_EQ(handle.run(sql, {100'000})[0].as<int>(), 100'000);
    EXPECT_FALSE(handle.run_at_once(sql, {5})) << "it was long the last time";
}

TEST_F(SqliteAtOnce, reads_no_large_cell) {
    handle.script(
        "create table t (id int, data blob); insert into t values (1, x'00'), "
        "(2, zeroblob(1000000))");
    const std::string sql = "select data from t where id = $1";
    EXPECT_TRUE(second_run(sql, {1}));
    EXPECT_FALSE(handle.run_at_once(sql, {2}));
    EXPECT_EQ(handle.run(sql, {2})[0].as<Blob>().size(), 1'000'000U);
}

TEST_F(SqliteAtOnce, leaves_an_error_to_the_thread) {
    const std::string sql = "select abs($1)";
    EXPECT_TRUE(second_run(sql, {1}));
    EXPECT_FALSE(handle.run_at_once(sql, {std::int64_t{-9'223'372'036'854'775'807} - 1}));
    EXPECT_FALSE(second_run("select 1", {}) && handle.run_at_once("select 1", {1, 2}));
}

TEST_F(SqliteAtOnce, waits_for_no_lock) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("gyre-at-once-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    {
        const std::string path = (folder / "a.db").string();
        SqliteHandle reader(path, limits);
        // Without WAL a writer keeps readers out.
        reader.script(
            "pragma journal_mode = delete; create table t (n int); insert into t values (1)");
        EXPECT_EQ(reader.run("select n from t", {})[0].as<int>(), 1);
        EXPECT_TRUE(reader.run_at_once("select n from t", {}));
        sqlite3* other = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(other, "begin exclusive", nullptr, nullptr, nullptr), SQLITE_OK);
        EXPECT_FALSE(reader.run_at_once("select n from t", {}));
        sqlite3_close(other);
        EXPECT_EQ(reader.run("select n from t", {})[0].as<int>(), 1);
    }
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gyre::db
