// SPDX-License-Identifier: Apache-2.0
// Backups while others write: whole or not there, with progress, and cancelled at any step.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gyre/db/sqlite3_world.test.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::db {
namespace {

class SqliteBackups : public SqliteWorld {
protected:
    // Some megabytes, so that a backup has several steps.
    static Future<void> fill(Pool& pool) {
        co_await pool.script(
            "create table t (id integer primary key, text);"
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000) "
            "insert into t select i, hex(zeroblob(600)) from n");
    }
    [[nodiscard]] std::string copy() const {
        return (std::filesystem::path(file().substr(7)).parent_path() / "copy.db").string();
    }
    static Future<int> count_in(std::string path) {
        Pool pool("sqlite:" + path);
        EXPECT_EQ(co_await pool.one<std::string>("pragma integrity_check"), "ok");
        co_return co_await pool.one<int>("select count(*) from t");
    }
};
GYRE_ON_PLATFORMS(SqliteBackups, gyre::test::every_platform);

TEST_P(SqliteBackups, are_of_one_moment_while_others_write) {
    with_pool(file(), [this](Pool& pool) -> Future<void> {
        co_await fill(pool);
        std::vector<BackupProgress> seen;
        bool is_over = false;
        auto both = [&](Scope& scope) -> Future<void> {
            auto write = [](Pool* on, const bool* until) -> Future<void> {
                while (!*until) co_await on->execute("insert into t (text) values ('more')");
            };
            scope.spawn(write, &pool, &is_over);
            auto watch = [&](const BackupProgress& now) { seen.push_back(now); };
            BackupWatcher watcher = watch;
            co_await pool.backup(copy(), std::move(watcher));
            is_over = true;
        };
        co_await with_scope(both);
        EXPECT_GE(seen.size(), 4U);
        for (std::size_t i = 1; i < seen.size(); ++i) {
            EXPECT_GT(seen[i].pages_copied, seen[i - 1].pages_copied);
            EXPECT_EQ(seen[i].pages_total, seen[0].pages_total) << "it began anew";
        }
        EXPECT_EQ(seen.back().pages_copied, seen.back().pages_total);
        const int all = co_await pool.one<int>("select count(*) from t");
        const int copied = co_await count_in(copy());
        EXPECT_GE(copied, 4000);
        EXPECT_LT(copied, all);
    });
}

TEST_P(SqliteBackups, replace_the_last_one_at_once) {
    with_pool(file(), [this](Pool& pool) -> Future<void> {
        co_await fill(pool);
        co_await pool.backup(copy());
        co_await pool.execute("delete from t where id > 3000");
        bool was_old = false;
        auto fail = [&](const BackupProgress& /*now*/) {
            was_old = true;
            throw std::runtime_error("no more");
        };
        BackupWatcher watcher = fail;
        bool has_failed = false;
        try {
            co_await pool.backup(copy(), std::move(watcher));
        } catch (const std::runtime_error&) {
            has_failed = true;
        }
        EXPECT_TRUE(has_failed && was_old);
        EXPECT_EQ(co_await count_in(copy()), 4000);
        co_await pool.backup(copy());
        EXPECT_EQ(co_await count_in(copy()), 3000);
    });
}

TEST_P(SqliteBackups, leave_no_file_when_they_are_cancelled) {
    with_pool(file(), [this](Pool& pool) -> Future<void> {
        co_await fill(pool);
        // Before each of its steps, up to one that is not reached any more.
        for (std::size_t step = 0; step < 4; ++step) {
            std::size_t count = 0;
            std::optional<TaskHandle<void>> task;
            auto body = [&](Scope& scope) -> Future<void> {
                auto copy_all = [&]() -> Future<void> {
                    auto watch = [&](const BackupProgress& /*now*/) {
                        if (++count == step + 1) task->cancel("enough");
                    };
                    BackupWatcher watcher = watch;
                    co_await pool.backup(copy(), std::move(watcher));
                };
                task.emplace(scope.spawn(copy_all));
                co_return;
            };
            co_await with_scope(body);
            EXPECT_EQ(count, step + 1);
            EXPECT_FALSE(std::filesystem::exists(copy()));
            EXPECT_EQ(pool.used_count(), 0U);
            co_await pool.execute("update t set text = 'x' where id = 1");
        }
    });
}

TEST_P(SqliteBackups, are_of_a_database_in_memory_too) {
    with_memory([this](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (id); insert into t values (1), (2)");
        co_await pool.backup(copy());
        EXPECT_EQ(co_await count_in(copy()), 2);
    });
}

TEST_P(SqliteBackups, refuse_a_place_that_takes_none) {
    with_memory([this](Pool& pool) -> Future<void> {
        co_await pool.script("create table t (id)");
        EXPECT_EQ((co_await error_of(pool.backup("/nowhere/at/all.db"))).kind(),
                  DbError::Kind::unreachable);
        EXPECT_EQ((co_await error_of(pool.backup(""))).message(),
                  "a backup needs the name of a file");
        EXPECT_EQ((co_await error_of(pool.backup(":memory:"))).message(),
                  "a backup needs the name of a file");
        std::ofstream(copy()) << std::string(5'000, 'x');
        EXPECT_NE((co_await error_of(pool.backup(copy()))).message(), "none");
        EXPECT_EQ(std::filesystem::file_size(copy()), 5'000U) << "it was no database";
        EXPECT_EQ(co_await pool.one<int>("select count(*) from t"), 0);
    });
}

}  // namespace
}  // namespace gyre::db
