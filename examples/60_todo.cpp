// SPDX-License-Identifier: Apache-2.0
// A list of things to do in a database: SQLite, or PostgreSQL when it is given the URL of one, such as
// postgres:///todo?host=/run/postgresql. Nothing else in the program changes.
//
//     $ build/release/bin/examples/60_todo
//     1 buy milk
//     2 write a letter
//     open: 1 of 2
//     nothing is left of a transaction that fails

// [head]
#include <cstdio>
#include <string>

#include <gyre/db/pool.hpp>
#include <gyre/gyre.hpp>

using namespace gyre;
// [/head]

// [rows]
struct Todo {
    std::int64_t id;
    std::string text;
    bool is_done;
};

Future<Todo> add(db::Pool& database, std::string text) {
    co_return co_await database.one<Todo>(
        "insert into todos (id, text) select coalesce(max(id), 0) + 1, $1 from todos "
        "returning id, text, done",
        text);
}
// [/rows]

// [transaction]
Future<void> replace_all(db::Pool& database, std::string text) {
    auto replace = [&text](db::Transaction& t) -> Future<void> {
        co_await t.execute("delete from todos");
        co_await t.execute("insert into todos (id, text) values ($1, $2)", 1, text);
        // The second one with this number: nothing of this takes effect.
        co_await t.execute("insert into todos (id, text) values ($1, $2)", 1, text);
    };
    co_await database.transaction(replace);
}

Future<void> try_to_replace(db::Pool& database) {
    try {
        co_await replace_all(database, "sleep");
    } catch (const db::DbError& e) {
        if (e.kind() != db::DbError::Kind::constraint) throw;
    }
}
// [/transaction]

std::string url = "sqlite::memory:";

Future<void> app() {
    db::Pool database(url);
    co_await database.script(
        "drop table if exists todos;"
        "create table todos (id bigint primary key, text text not null, done boolean not null "
        "default false)");
    for (const char* text : {"buy milk", "write a letter"}) {
        const Todo made = co_await add(database, text);
        std::printf("%d %s\n", static_cast<int>(made.id), made.text.c_str());
    }
    co_await database.execute("update todos set done = $2 where id = $1", 1, true);
    const auto open = co_await database.one<int>("select count(*) from todos where not done");
    const auto all = co_await database.list<Todo>("select id, text, done from todos");
    std::printf("open: %d of %zu\n", open, all.size());
    co_await try_to_replace(database);
    const auto left = co_await database.one<int>("select count(*) from todos");
    if (left == 2) std::puts("nothing is left of a transaction that fails");
}

int main(int argc, char** argv) {
    if (argc > 1) url = argv[1];
    return gyre::run(app);
}
