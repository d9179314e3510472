// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for databases: SQLite in memory, and a PostgreSQL server of a few lines. After each
// run the pool must be whole: nothing in use, no transaction open, and it answers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/db/detail/permitted_url.hpp"
#include "gyre/db/internal/big_endian.hpp"
#include "gyre/db/internal/postgres/frames.hpp"
#include "gyre/db/migrate.hpp"
#include "gyre/db/pool.hpp"
#include "gyre/db/server_script.test.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/event.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;
using namespace db::postgres;  // the messages of server_script.test.hpp

// Answers every statement with the number 1 after a while, or at once with an error when it is cancelled.
class SmallPostgres {
public:
    explicit SmallPostgres(net::Listener listener) : listener_(std::move(listener)) {}

    [[nodiscard]] std::string url() const {
        return "postgres://ada@127.0.0.1:" +
               std::to_string(listener_.local_address().value().port()) + "/notes";
    }
    static Future<void> serve(std::shared_ptr<SmallPostgres> self, Scope* scope) {
        for (;;) {
            net::Connection client = co_await self->listener_.accept();
            scope->spawn(&SmallPostgres::converse, self, std::move(client));
        }
    }

private:
    static Future<void> converse(std::shared_ptr<SmallPostgres> self, net::Connection client) {
        try {
            co_await self->talk(client);
        } catch (const std::system_error&) {
            // The client has gone.
        }
    }
    Future<void> talk(net::Connection& client) {
        std::array<std::byte, 400> start{};
        const std::size_t size = co_await client.read(start);
        if (size < 8) co_return;
        if (db::from_big_endian<std::int32_t>(ConstBytes(start).subspan(4, 4)) == 80'877'102) {
            cancelled_.set();
            co_return;
        }
        co_await client.write(bytes_of(welcome()));
        FrameReader input(1 << 20);
        char status = 'I';
        for (;;) {
            const std::size_t more = co_await client.read(input.room());
            if (more == 0) co_return;
            input.received(more);
            std::string answer;
            while (const auto frame = input.next()) {
                const bool is_late = frame->type == 'E' && co_await is_cancelled();
                answer += is_late ? server_error("57014", "cancelled") : answer_to(*frame, status);
            }
            if (!answer.empty()) co_await client.write(bytes_of(answer));
        }
    }
    // Apart from the coroutines: g++ 12 takes no braces there.
    static std::string welcome() {
        return message('R', number32(0)) + message('K', number32(4) + number32(7)) + ended('I');
    }
    static std::string ended(char status) { return message('Z', std::string(1, status)); }
    static std::string answer_to(const Frame& frame, char& status) {
        switch (frame.type) {
            case 'P':
                return message('1');
            case 'D':
                return parameters({}) + columns({{"n", 23}});
            case 'B':
                return message('2');
            case 'E':
                return data_row({number32(1)}) + complete("SELECT 1");
            case 'C':
                return message('3');
            case 'S':
                return ended(status);
            case 'Q':
                return script(std::string(text_of(frame.body)), status);
            case 'c':
                return complete("COPY 1") + ended(status);
            case 'f':
                return server_error("57014", "COPY failed") + ended(status);
            default:
                return {};
        }
    }
    // The statement takes its time.
    Future<bool> is_cancelled() {
        cancelled_.reset();
        co_await sleep(1ms);
        co_return cancelled_.is_set();
    }
    static std::string script(const std::string& text, char& status) {
        if (text.starts_with("begin")) status = 'T';
        if (text.starts_with("commit") || text.starts_with("rollback;") ||
            text == std::string("rollback") + '\0') {
            status = 'I';
        }
        if (text.contains("from stdin")) return message('G', std::string(3, '\0'));
        if (text.contains("to stdout")) {
            return message('H', std::string(3, '\0')) + message('d', "a\n") + message('c') +
                   complete("COPY 1") + ended(status);
        }
        return complete("OK") + ended(status);
    }

    net::Listener listener_;
    Event cancelled_;
};

// ---- what is done with a pool ----

Future<void> asks(db::Pool& pool) {
    EXPECT_EQ(co_await pool.one<int>("select 1"), 1);
    EXPECT_EQ((co_await pool.list<int>("select 1")).size(), 1U);
    EXPECT_EQ(co_await pool.optional<int>("select 1"), 1);
    static_cast<void>(co_await pool.execute("select 1"));
}

Future<void> changes(db::Pool& pool) {
    co_await pool.script("create table if not exists t (n int)");
    static_cast<void>(co_await pool.batch("select 1", std::vector<db::Values>(2)));
}

Future<void> streams(db::Pool& pool) {
    auto rows = pool.stream("select 1");
    while (auto piece = co_await rows.next()) EXPECT_LE(piece->size(), 1U);
    auto left = pool.stream("select 1");
    EXPECT_TRUE((co_await left.next()).has_value());
    co_await left.aclose();
}

Future<int> nests(db::Transaction& outer) {
    auto inner = [](db::Transaction& t) -> Future<void> {
        EXPECT_EQ(co_await t.one<int>("select 1"), 1);
    };
    co_await outer.transaction(inner);
    co_return co_await outer.one<int>("select 1");
}

Future<void> begins_and_commits(db::Pool& pool) {
    EXPECT_EQ(co_await pool.transaction(nests), 1);
}

// Two tasks on one connection, so that a cancel meets a pipeline.
Future<void> shares_a_connection(db::Pool& pool) {
    db::Connection connection = co_await pool.acquire();
    const auto [a, b] =
        co_await all(connection.one<int>("select 1"), connection.one<int>("select 1"));
    EXPECT_EQ(a + b, 2);
}

Future<void> migrates(db::Pool& pool) {
    std::vector<db::Migration> list = {db::Migration(1, "m", "create table m (n int)")};
    static_cast<void>(co_await db::migrate(pool, std::move(list)));
}

// Into a file of the system, as SQLite has it in virtual time.
Future<void> backs_up(db::Pool& pool) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("gyre-cancel-backup-" + std::to_string(::getpid()) + ".db");
    const ScopeExit remove([&path] { std::filesystem::remove(path); });
    co_await pool.script("create table if not exists t (n int)");
    co_await pool.backup(path.string());
    EXPECT_GT(std::filesystem::file_size(path), 0U);
}

Future<void> copies(db::Pool& pool) {
    db::Connection connection = co_await pool.acquire();
    int sent = 0;
    db::Pieces pieces = [&sent]() -> Future<std::string> {
        co_return sent++ == 0 ? std::string("1\n") : std::string();
    };
    EXPECT_EQ(co_await connection.copy_in("copy t from stdin", pieces), 1U);
    auto out = connection.copy_out("copy t to stdout");
    while (auto piece = co_await out.next()) EXPECT_EQ(*piece, "a\n");
}

Future<void> reads_migrations(Stage& /*stage*/) {
    co_await fs::make_folders("/migrations");
    co_await fs::write_file("/migrations/0001-people.sql", "create table people (id int)");
    EXPECT_EQ((co_await db::read_migrations("/migrations")).size(), 1U);
}

Future<void> permits_a_url(Stage& /*stage*/) {
    co_await fs::make_folders("/allowed");
    Permissions permissions;
    permissions.folders.emplace_back("/allowed");
    EXPECT_EQ(co_await db::permitted_url(permissions, "sqlite:/allowed/notes.db"),
              "sqlite:/allowed/notes.db");
    EXPECT_EQ(co_await db::permitted_path(permissions, "/allowed/copy.db"), "/allowed/copy.db");
}

// ---- the stage ----

using Use = Future<void> (*)(db::Pool&);

// Sets the event, however its owner ends.
struct Ended {
    Event& event;
    ~Ended() { event.set(); }
};

Future<void> look_afterwards(db::Pool* pool, Event* ended) {
    co_await ended->wait();
    EXPECT_EQ(pool->used_count(), 0U);
    EXPECT_EQ(co_await pool->one<int>("select 1"), 1);
    pool->close_idle();
}

template <Use use>
Future<void> on_sqlite(Stage& stage) {
    auto& pool = stage.make<db::Pool>("sqlite::memory:");
    auto& ended = stage.make<Event>();
    const Ended end{ended};
    stage.helper([&pool, &ended]() { return look_afterwards(&pool, &ended); });
    co_await use(pool);
}

template <Use use>
Future<void> on_postgres(Stage& stage) {
    net::Listener listener = co_await net::listen(Address::loopback());
    auto server = std::make_shared<SmallPostgres>(std::move(listener));
    auto& pool = stage.make<db::Pool>(server->url());
    auto& ended = stage.make<Event>();
    const Ended end{ended};
    Scope* root = &stage.executor.root();
    auto serving = std::make_shared<TaskHandle<void>>(
        root->spawn(&SmallPostgres::serve, std::move(server), root));
    stage.helper([&pool, &ended, serving]() -> Future<void> {
        co_await look_afterwards(&pool, &ended);
        serving->cancel("nobody asks any more");
    });
    co_await use(pool);
}

}  // namespace

std::vector<Program> db_rows() {
    return {
        {"asks_sqlite", {"Statements", "Pool", "Driver", "Link"}, on_sqlite<asks>},
        {"changes_sqlite", {}, on_sqlite<changes>},
        {"streams_sqlite", {}, on_sqlite<streams>},
        {"begins_and_commits_sqlite", {"Transaction"}, on_sqlite<begins_and_commits>},
        {"shares_a_connection_to_sqlite", {"Connection"}, on_sqlite<shares_a_connection>},
        {"migrates_sqlite", {"migrate"}, on_sqlite<migrates>},
        {"reads_migrations", {"read_migrations"}, reads_migrations},
        {"permits_a_url", {"permitted_url", "permitted_path"}, permits_a_url},
        {"backs_up_sqlite", {}, on_sqlite<backs_up>},
        {"asks_postgres", {}, on_postgres<asks>},
        {"changes_postgres", {}, on_postgres<changes>},
        {"streams_postgres", {}, on_postgres<streams>},
        {"begins_and_commits_postgres", {}, on_postgres<begins_and_commits>},
        {"shares_a_connection_to_postgres", {}, on_postgres<shares_a_connection>},
        {"copies_postgres", {}, on_postgres<copies>},
    };
}

}  // namespace gyre::task_cancel
