// SPDX-License-Identifier: Apache-2.0
// Pools and connections against a scripted server, on each platform; in the simulation in virtual time.
#include <gtest/gtest.h>

#include <string>

#include "gyre/db/fake_postgres.test.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre::db::postgres {
namespace {

using namespace std::chrono_literals;

class PostgresClient : public FakeServerWorld {};
GYRE_ON_PLATFORMS(PostgresClient, gyre::test::every_platform);

const std::string one_number = prepared({}, {{"n", 23}});
std::string number_answer(int value) {
    return answered({{number32(value)}}, "SELECT 1");
}

TEST_P(PostgresClient, prepares_a_statement_once_and_names_its_connections) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {one_number, number_answer(1), number_answer(2)};
        Pool pool(server.url());
        EXPECT_EQ(co_await pool.one<int>("select n"), 1);
        EXPECT_EQ(co_await pool.one<int>("select n"), 2);
        EXPECT_EQ(server.queries, "select n;");
        EXPECT_EQ(server.names, std::vector<std::string>{"gyre/1"});
        EXPECT_EQ(pool.idle_count(), 1U);
    });
}

TEST_P(PostgresClient, sends_the_statements_of_several_tasks_in_one_piece) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {one_number, number_answer(0), number_answer(1), number_answer(2),
                          number_answer(3)};
        Pool pool(server.url());
        Connection connection = co_await pool.acquire();
        EXPECT_EQ(co_await connection.one<int>("select n"), 0);
        const auto [a, b, c] =
            co_await all(connection.one<int>("select n"), connection.one<int>("select n"),
                         connection.one<int>("select n"));
        EXPECT_EQ(a, 1);
        EXPECT_EQ(b, 2);
        EXPECT_EQ(c, 3);
        EXPECT_EQ(server.input_sizes_max, 3);
    });
}

TEST_P(PostgresClient, names_the_statement_in_its_error) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {server_error("42P01", "relation \"x\" does not exist") + ready()};
        Pool pool(server.url());
        EXPECT_EQ(co_await error_of(pool.query("select * from x")),
                  "'select * from x': relation \"x\" does not exist [42P01]");
        EXPECT_EQ(pool.idle_count(), 1U);
    });
}

TEST_P(PostgresClient, prepares_anew_when_the_schema_has_changed) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {
            one_number,
            number_answer(1),
            server_error("0A000", "cached plan must not change result type") + ready(),
            message('3') + ready(),
            one_number,
            number_answer(5)};
        Pool pool(server.url());
        EXPECT_EQ(co_await pool.one<int>("select n"), 1);
        EXPECT_EQ(co_await pool.one<int>("select n"), 5);
        EXPECT_EQ(server.queries, "select n;select n;");
    });
}

TEST_P(PostgresClient, cancels_a_statement_on_the_server_and_keeps_the_connection) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {one_number, FakePostgres::until_cancelled, number_answer(3)};
        Pool pool(server.url());
        bool is_cancelled = false;
        auto body = [&](Scope& scope) -> Future<void> {
            auto query =
                scope.spawn([&pool]() -> Future<int> { return pool.one<int>("select n"); });
            while (server.answers.size() > 1) co_await sleep(1ms);  // until it has the statement
            query.cancel();
            try {
                static_cast<void>(co_await query);
            } catch (const Cancelled&) {
                is_cancelled = true;
            }
        };
        co_await with_scope(std::move(body));
        EXPECT_TRUE(is_cancelled);
        EXPECT_EQ(server.cancel_count, 1);
        EXPECT_EQ(co_await pool.one<int>("select n"), 3);
        EXPECT_EQ(server.connection_count, 1);
    });
}

// The second statement is behind the one that is cancelled when the signal comes, and so may be ended by it.
TEST_P(PostgresClient, cancels_a_pipelined_statement_on_the_server_and_repeats_one_that_it_hits) {
    if (!is_simulated()) GTEST_SKIP() << "skipped: tells the order by time";
    with_server([](FakePostgres& server) -> Future<void> {
        const std::string hit = server_error("57014", "canceling statement") + ready();
        server.answers = {one_number, number_answer(0), FakePostgres::until_cancelled, hit,
                          number_answer(5)};
        Pool pool(server.url());
        Connection connection = co_await pool.acquire();
        EXPECT_EQ(co_await connection.one<int>("select n"), 0);
        auto slow = [&connection]() -> Future<int> {
            try {
                co_return co_await timeout(connection.one<int>("select n"), 50ms);
            } catch (const TimeoutError&) {
                co_return -1;
            }
        };
        auto quick = [&connection]() -> Future<int> {
            co_await sleep(10ms);
            co_return co_await connection.one<int>("select n");
        };
        const auto [first, second] = co_await all(slow(), quick());
        EXPECT_EQ(first, -1);
        EXPECT_EQ(second, 5);
        EXPECT_EQ(server.cancel_count, 1);
        EXPECT_EQ(server.connection_count, 1);
    });
}

TEST_P(PostgresClient, sends_no_signal_that_could_end_a_procedure_behind_the_statement) {
    if (!is_simulated()) GTEST_SKIP() << "skipped: tells the order by time";
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {one_number, number_answer(0), one_number, number_answer(1)};
        Pool pool(server.url());
        Connection connection = co_await pool.acquire();
        EXPECT_EQ(co_await connection.one<int>("select n"), 0);
        EXPECT_EQ(co_await connection.one<int>("call n()"), 1);
        auto slow = [&connection]() -> Future<int> {
            try {
                co_return co_await timeout(connection.one<int>("select n"), 50ms);
            } catch (const TimeoutError&) {
                co_return -1;
            }
        };
        auto procedure = [&connection]() -> Future<int> {
            co_await sleep(10ms);
            co_return co_await connection.one<int>("call n()");
        };
        // Its request is answered together with the two before it.
        auto third = [&]() -> Future<int> {
            co_await sleep(200ms);
            server.answers = {number_answer(2) + number_answer(3) + number_answer(4)};
            co_return co_await connection.one<int>("select n");
        };
        const auto [first, second, last] = co_await all(slow(), procedure(), third());
        EXPECT_EQ(first, -1);
        EXPECT_EQ(second, 3);
        EXPECT_EQ(last, 4);
        EXPECT_EQ(server.cancel_count, 0);
    });
}

TEST_P(PostgresClient, closes_a_connection_whose_cancelled_statement_does_not_end) {
    if (!is_simulated()) GTEST_SKIP() << "skipped: waits for five seconds";
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {one_number};  // then silence
        Pool pool(server.url());
        bool is_late = false;
        try {
            static_cast<void>(co_await timeout(pool.query("select n"), 50ms));
        } catch (const TimeoutError&) {
            is_late = true;
        }
        EXPECT_TRUE(is_late);
        EXPECT_EQ(server.cancel_count, 1);
        EXPECT_EQ(pool.idle_count(), 0U);
        server.answers = {one_number, number_answer(3)};
        EXPECT_EQ(co_await pool.one<int>("select n"), 3);
        EXPECT_EQ(server.connection_count, 2);
    });
}

TEST_P(PostgresClient, a_server_that_hangs_up_is_a_typed_error_and_the_pool_comes_back) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {FakePostgres::hang_up, one_number, number_answer(3)};
        Pool pool(server.url());
        const auto error = co_await error_of(pool.query("select n"));
        EXPECT_EQ(error, "'select n': the server has closed the connection");
        EXPECT_EQ(co_await pool.one<int>("select n"), 3);
        EXPECT_EQ(server.connection_count, 2);
    });
}

TEST_P(PostgresClient, a_server_that_lies_loses_its_connection) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {message('D', number16(9))};
        Pool pool(server.url());
        EXPECT_EQ(co_await error_of(pool.query("select n")),
                  "'select n': the server broke the protocol: a message 'D' out of place");
        EXPECT_EQ(pool.idle_count(), 0U);
    });
}

TEST_P(PostgresClient, refuses_logins_that_are_not_safe) {
    with_server([](FakePostgres& server) -> Future<void> {
        Pool pool(server.url());
        server.login = message('R', number32(3));
        EXPECT_EQ(co_await error_of(pool.query("select n")),
                  "the server wants the password in clear text, which this client does not send");
        server.login = message('R', number32(5) + "salt");
        EXPECT_EQ(co_await error_of(pool.query("select n")),
                  "the server wants a password hashed with MD5: let it use scram-sha-256");
        server.login = message('R', number32(10) + zero_ended("SCRAM-SHA-256") + '\0');
        EXPECT_EQ(co_await error_of(pool.query("select n")),
                  "the server wants a password, and the URL has none");
        server.login = ready();
        EXPECT_EQ(co_await error_of(pool.query("select n")),
                  "the server broke the protocol: it is ready before the login");
        server.login = server_error("28P01", "password authentication failed", "FATAL");
        EXPECT_EQ(co_await error_of(pool.query("select n")),
                  "password authentication failed [28P01]");
        server.login = server_error("53300", "too many clients already", "FATAL");
        EXPECT_EQ(co_await error_of(pool.query("select n")), "too many clients already [53300]");
    });
}

TEST_P(PostgresClient, a_login_that_skips_the_proof_of_the_server_is_refused) {
    with_server([](FakePostgres& server) -> Future<void> {
        std::string url = server.url();
        url.replace(url.find("ada@"), 4, "ada:secret@");
        Pool pool(url);
        server.login = message('R', number32(10) + zero_ended("SCRAM-SHA-256") + '\0') +
                       message('R', number32(0)) + ready();
        EXPECT_EQ(co_await error_of(pool.query("select n")),
                  "the server broke the protocol: a login that skips the end of SCRAM");
    });
}

TEST_P(PostgresClient, waits_for_a_connection_in_order_and_not_for_ever) {
    if (!is_simulated()) GTEST_SKIP() << "skipped: waits for thirty seconds";
    with_server([](FakePostgres& server) -> Future<void> {
        PoolOptions options;
        options.connections_max = 1;
        Pool pool(server.url(), options);
        Connection connection = co_await pool.acquire();
        EXPECT_EQ(co_await error_of(pool.query("select n")),
                  "wait for a connection: Timeout after 30000ms");
        EXPECT_EQ(pool.used_count(), 1U);
    });
}

TEST_P(PostgresClient, checks_a_connection_that_was_idle_for_long) {
    if (!is_simulated()) GTEST_SKIP() << "skipped: waits for a minute";
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {one_number,
                          number_answer(1),
                          message('I') + ready(),
                          number_answer(2),
                          FakePostgres::hang_up,
                          one_number,
                          number_answer(3),
                          one_number,
                          number_answer(4)};
        Pool pool(server.url());
        EXPECT_EQ(co_await pool.one<int>("select n"), 1);
        co_await sleep(1min);
        EXPECT_EQ(co_await pool.one<int>("select n"), 2);
        co_await sleep(1min);
        EXPECT_EQ(co_await pool.one<int>("select n"), 3);
        EXPECT_EQ(server.connection_count, 2);
        co_await sleep(11min);
        EXPECT_EQ(co_await pool.one<int>("select n"), 4);
        EXPECT_EQ(server.connection_count, 3);
    });
}

TEST_P(PostgresClient, commits_or_rolls_back) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {complete("BEGIN") + ready('T'),    complete("COMMIT") + ready(),
                          complete("BEGIN") + ready('T'),    complete("SAVEPOINT") + ready('T'),
                          complete("ROLLBACK") + ready('T'), complete("COMMIT") + ready(),
                          complete("BEGIN") + ready('T'),    complete("ROLLBACK") + ready()};
        Pool pool(server.url());
        auto nothing = [](Transaction& /*in*/) -> Future<int> { co_return 7; };
        EXPECT_EQ(co_await pool.transaction(nothing), 7);
        EXPECT_EQ(std::exchange(server.queries, {}), "begin;commit;");
        auto failing = [](Transaction& /*in*/) -> Future<void> {
            co_await fail(Error(std::errc::io_error));
        };
        auto nested = [&](Transaction& in) -> Future<void> {
            const auto inner = co_await try_(in.transaction(failing));
            EXPECT_EQ(inner.error().code(), std::errc::io_error);
        };
        co_await pool.transaction(nested);
        EXPECT_EQ(
            std::exchange(server.queries, {}),
            "begin;savepoint gyre1;rollback to savepoint gyre1; release savepoint gyre1;commit;");
        EXPECT_FALSE(co_await try_(pool.transaction(failing)));
        EXPECT_EQ(server.queries, "begin;rollback;");
        EXPECT_EQ(pool.idle_count(), 1U);
    });
}

TEST_P(PostgresClient, tries_a_transaction_again_that_met_another_one) {
    with_server([](FakePostgres& server) -> Future<void> {
        const std::string conflict = server_error("40001", "could not serialize access");
        server.answers = {complete("BEGIN") + ready('T'),  conflict + ready('E'),
                          complete("ROLLBACK") + ready(),  complete("BEGIN") + ready('T'),
                          complete("SELECT") + ready('T'), complete("COMMIT") + ready(),
                          complete("BEGIN") + ready('T'),  conflict + ready('E'),
                          complete("ROLLBACK") + ready()};
        Pool pool(server.url());
        auto body = [](Transaction& in) -> Future<void> { co_await in.script("work"); };
        co_await pool.transaction(body, {.tries_max = 3});
        EXPECT_EQ(std::exchange(server.queries, {}), "begin;work;rollback;begin;work;commit;");
        EXPECT_EQ(co_await error_of(pool.transaction(body)),
                  "'work': could not serialize access [40001]");
    });
}

TEST_P(PostgresClient, does_not_commit_what_the_server_would_roll_back) {
    with_server([](FakePostgres& server) -> Future<void> {
        server.answers = {complete("BEGIN") + ready('T'),
                          server_error("23505", "duplicate key") + ready('E'),
                          complete("ROLLBACK") + ready()};
        Pool pool(server.url());
        auto body = [](Transaction& in) -> Future<void> {
            EXPECT_EQ(co_await error_of(in.script("insert")), "'insert': duplicate key [23505]");
        };
        EXPECT_EQ(co_await error_of(pool.transaction(body)),
                  "a statement of this transaction has failed: it cannot be committed");
        EXPECT_EQ(server.queries, "begin;insert;rollback;");
    });
}

TEST_P(PostgresClient, streams_rows_and_ends_a_stream_that_is_left) {
    with_server([](FakePostgres& server) -> Future<void> {
        const std::vector<std::vector<std::string>> many(1000, {number32(1)});
        server.answers = {one_number, answered(many, "SELECT 1000"), answered(many, "SELECT 1000"),
                          number_answer(9)};
        PoolOptions options;
        options.limits.stream_bytes_max = 1000;
        Pool pool(server.url(), options);
        std::size_t count = 0;
        auto rows = pool.stream("select n");
        while (auto piece = co_await rows.next()) count += piece->size();
        EXPECT_EQ(count, 1000U);
        auto left = pool.stream("select n");
        EXPECT_TRUE((co_await left.next()).has_value());
        co_await left.aclose();
        EXPECT_EQ(co_await pool.one<int>("select n"), 9);
        EXPECT_EQ(server.connection_count, 1);
    });
}

TEST_P(PostgresClient, copies_in_both_directions) {
    with_server([](FakePostgres& server) -> Future<void> {
        const std::string copy_head = std::string(3, '\0');
        server.answers = {message('G', copy_head), complete("COPY 2") + ready(),
                          message('H', copy_head) + message('d', "1\n") + message('d', "2\n") +
                              message('c') + complete("COPY 2") + ready(),
                          message('G', copy_head), server_error("57014", "COPY failed") + ready()};
        Pool pool(server.url());
        Connection connection = co_await pool.acquire();
        int sent = 0;
        Pieces pieces = [&]() -> Future<std::string> {
            co_return ++sent < 3 ? std::to_string(sent) : std::string();
        };
        EXPECT_EQ(co_await connection.copy_in("copy t from stdin", pieces), 2U);
        EXPECT_EQ(std::exchange(server.queries, {}), "copy t from stdin;<1><2>");
        std::string copied;
        auto out = connection.copy_out("copy t to stdout");
        while (auto piece = co_await out.next()) copied += *piece;
        EXPECT_EQ(copied, "1\n2\n");
        server.queries.clear();
        Pieces broken = []() -> Future<std::string> {
            throw DbError(DbError::Kind::failed, "no more data");
            co_return "";
        };
        EXPECT_EQ(co_await error_of(connection.copy_in("copy t from stdin", broken)),
                  "no more data");
        EXPECT_EQ(server.queries, "copy t from stdin;(copy failed);");
    });
}

TEST_P(PostgresClient, gives_notifications_and_keeps_a_listener_out_of_the_pool) {
    with_server([](FakePostgres& server) -> Future<void> {
        const std::string note =
            message('A', number32(1) + zero_ended("news") + zero_ended("hello"));
        server.answers = {complete("LISTEN") + ready() + note};
        Pool pool(server.url());
        {
            Connection connection = co_await pool.acquire();
            co_await connection.script("listen news");
            const Notification got = co_await connection.notification();
            EXPECT_EQ(got.channel + ":" + got.payload, "news:hello");
        }
        EXPECT_EQ(pool.idle_count(), 0U);
    });
}

}  // namespace
}  // namespace gyre::db::postgres
