// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/migrate.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gyre/db/sqlite3_world.test.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"

namespace gyre::db {
namespace {

class Migrations : public SqliteWorld {};
GYRE_ON_PLATFORMS(Migrations, gyre::test::every_platform);

std::vector<Migration> two() {
    std::vector<Migration> all;
    all.emplace_back(2, "names",
                     "insert into people values ('Ada'); insert into people values ('Grace')");
    all.emplace_back(1, "people", "create table people (name text)");
    return all;
}

TEST_P(Migrations, are_applied_once_in_the_order_of_their_numbers) {
    with_memory([](Pool& pool) -> Future<void> {
        EXPECT_EQ(co_await migrate(pool, two()), 2U);
        EXPECT_EQ(co_await migrate(pool, two()), 0U);
        std::vector<Migration> three = two();
        three.emplace_back(10, "more", "insert into people values ('Barbara')");
        EXPECT_EQ(co_await migrate(pool, three), 1U);
        EXPECT_EQ(co_await pool.one<int>("select count(*) from people"), 3);
    });
}

TEST_P(Migrations, that_fail_leave_nothing) {
    with_memory([](Pool& pool) -> Future<void> {
        std::vector<Migration> broken = two();
        broken.emplace_back(3, "broken",
                            "insert into people values ('x'); insert into nothing values (1)");
        EXPECT_EQ((co_await error_of(migrate(pool, broken))).kind(), DbError::Kind::statement);
        EXPECT_EQ(co_await pool.one<int>("select count(*) from sqlite_master"), 0);
        EXPECT_EQ(co_await migrate(pool, two()), 2U);
    });
}

TEST_P(Migrations, that_were_changed_or_removed_or_come_too_late_are_refused) {
    with_memory([](Pool& pool) -> Future<void> {
        EXPECT_EQ(co_await migrate(pool, two()), 2U);
        std::vector<Migration> changed = two();
        changed[0].sql += " ";
        EXPECT_EQ((co_await error_of(migrate(pool, changed))).message(),
                  "migration 2 'names' was changed after it was applied");
        std::vector<Migration> fewer = two();
        fewer.pop_back();
        EXPECT_EQ((co_await error_of(migrate(pool, fewer))).message(),
                  "migration 1 'people' was applied, and is not there any more");
        std::vector<Migration> earlier = two();
        earlier.emplace_back(0, "zero", "select 1");
        EXPECT_EQ((co_await error_of(migrate(pool, earlier))).message(),
                  "migration 0 'zero' comes before one that was applied");
        std::vector<Migration> twice = two();
        twice.emplace_back(2, "again", "select 1");
        EXPECT_EQ((co_await error_of(migrate(pool, twice))).kind(), DbError::Kind::mismatch);
    });
}

TEST_P(Migrations, are_read_from_a_folder) {
    const std::string folder = folder_name();
    with_memory([folder](Pool& pool) -> Future<void> {
        co_await fs::make_folders(folder);
        co_await fs::write_file(folder + "/0002-names.sql", "insert into people values ('Ada')");
        co_await fs::write_file(folder + "/0001_people.sql", "create table people (name text)");
        co_await fs::write_file(folder + "/notes.txt", "no migration");
        const auto read = co_await read_migrations(folder);
        EXPECT_EQ(read.size(), 2U);
        EXPECT_EQ(read[0].name, "people");
        EXPECT_EQ(co_await migrate(pool, read), 2U);
        co_await fs::write_file(folder + "/names.sql", "select 1");
        EXPECT_TRUE((co_await error_of(read_migrations(folder)))
                        .message()
                        .ends_with("names.sql' is no name of a migration: 0001-name.sql is one"));
    });
}

}  // namespace
}  // namespace gyre::db
