// SPDX-License-Identifier: Apache-2.0
// The protocol of PostgreSQL without a network: requests against golden bytes, answers message by
// message, and servers that lie.
#include "gyre/db/internal/postgres/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gyre/db/error.hpp"
#include "gyre/db/server_script.test.hpp"

namespace gyre::db::postgres {
namespace {

class PostgresSession : public testing::Test {
protected:
    void make(const Limits& limits) {
        limits_ = limits;
        session_.emplace(limits_);
    }
    Session& session() {
        if (!session_) session_.emplace(limits_);
        return *session_;
    }
    void receive(std::string_view bytes) {
        while (!bytes.empty()) {
            const Bytes room = session().input().room();
            const std::size_t size = std::min(room.size(), bytes.size());
            std::ranges::copy(bytes_of(bytes.substr(0, size)), room.begin());
            session().input().received(size);
            session().process();
            bytes.remove_prefix(size);
        }
    }
    std::string sent() { return std::exchange(session().output(), {}); }
    std::shared_ptr<Statement> statement(const std::vector<Oid>& oids,
                                         const std::vector<std::pair<std::string, Oid>>& of) {
        const auto exchange = session().prepare("select");
        receive(prepared(oids, of));
        exchange->throw_failure();
        session().keep("select", exchange->statement());
        sent();
        return session().kept("select");
    }
    // The text of the error that these bytes cause.
    std::string refusal_of(const std::string& bytes) {
        try {
            receive(bytes);
        } catch (const DbError& e) {
            return e.message();
        }
        return "taken";
    }
    static std::string failure_of(const Exchange& exchange) {
        try {
            exchange.throw_failure();
        } catch (const DbError& e) {
            return e.what();
        }
        return "none";
    }

private:
    Limits limits_;
    std::optional<Session> session_;
};

TEST_F(PostgresSession, sends_a_statement_and_asks_for_its_types) {
    session().prepare("select $1");
    EXPECT_EQ(sent(), message('P', zero_ended("gyre1") + zero_ended("select $1") + number16(0)) +
                          message('D', "S" + zero_ended("gyre1")) + message('S'));
}

TEST_F(PostgresSession, sends_numbers_as_binary_and_numerics_as_text) {
    const auto of = statement({23, 1700, 25}, {{"a", 23}, {"b", 1700}});
    session().run(of, {7, Numeric("1.50"), Value()});
    EXPECT_EQ(sent(), message('B', zero_ended("") + zero_ended("gyre1") + number16(3) +
                                       number16(1) + number16(0) + number16(0) + number16(3) +
                                       number32(4) + number32(7) + number32(4) + "1.50" +
                                       number32(-1) + number16(2) + number16(1) + number16(0)) +
                          message('E', zero_ended("") + number32(0)) + message('S'));
}

TEST_F(PostgresSession, gives_rows_of_the_types_that_the_server_said) {
    const auto of = statement({}, {{"id", 23}, {"name", 25}});
    const auto exchange = session().run(of, {});
    receive(answered({{number32(1), "Ada"}, {number32(2), "Grace"}}, "SELECT 2"));
    ASSERT_TRUE(exchange->has_ended());
    const Rows rows = exchange->take_rows();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].get<int>("id"), 2);
    EXPECT_EQ(rows[1].get<std::string>(1), "Grace");
    EXPECT_EQ(rows.affected(), 2U);
}

TEST_F(PostgresSession, takes_messages_that_come_byte_by_byte) {
    const auto of = statement({}, {{"id", 23}});
    const auto exchange = session().run(of, {});
    for (const char byte : answered({{number32(9)}}, "SELECT 1")) receive({&byte, 1});
    EXPECT_EQ(exchange->take_rows()[0].get<int>(0), 9);
}

TEST_F(PostgresSession, answers_pipelined_requests_in_their_order) {
    const auto of = statement({}, {{"id", 23}});
    const auto first = session().run(of, {});
    const auto second = session().run(of, {});
    const auto third = session().run(of, {});
    receive(answered({{number32(1)}}, "SELECT 1"));
    EXPECT_TRUE(first->has_ended());
    EXPECT_FALSE(second->has_ended());
    receive(message('2') + server_error("22012", "division by zero") + ready());
    receive(answered({{number32(3)}}, "SELECT 1"));
    EXPECT_EQ(failure_of(*second), "division by zero [22012]");
    EXPECT_EQ(third->take_rows()[0].get<int>(0), 3);
}

TEST_F(PostgresSession, knows_whether_a_transaction_is_open) {
    session().script("begin");
    receive(complete("BEGIN") + ready('T'));
    EXPECT_TRUE(session().is_in_transaction());
    session().script("commit");
    receive(complete("COMMIT") + ready());
    EXPECT_FALSE(session().is_in_transaction());
}

TEST_F(PostgresSession, refuses_what_a_server_may_not_send) {
    const std::string odd_lengths = std::string("Z") + number32(3);
    EXPECT_EQ(refusal_of(odd_lengths), "the server broke the protocol: a message of length 3");
    make({});
    EXPECT_EQ(refusal_of(ready()),
              "the server broke the protocol: a message 'Z' that nobody asked for");
    make({});
    session().prepare("select 1");
    EXPECT_EQ(refusal_of(message('2')),
              "the server broke the protocol: a message '2' out of place");
    make({});
    session().prepare("select 1");
    EXPECT_EQ(refusal_of(message('1', "x")),
              "the server broke the protocol: a message '1' with 1 bytes too many");
    make({});
    session().prepare("select 1");
    EXPECT_EQ(refusal_of(message('1') + message('t', number16(2) + number32(23))),
              "the server broke the protocol: a message 't' that is too short");
    make({});
    session().script("begin");
    EXPECT_EQ(refusal_of(message('Z', "Q")),
              "the server broke the protocol: an unknown state of transaction");
}

TEST_F(PostgresSession, refuses_rows_that_contradict_their_description) {
    session().run(statement({}, {{"id", 23}}), {});
    EXPECT_EQ(refusal_of(message('2') + data_row({number32(1), "more"})),
              "the server broke the protocol: a row of 2 columns instead of 1");
    make({});
    session().run(statement({}, {{"id", 23}}), {});
    EXPECT_EQ(refusal_of(message('2') + message('D', number16(1) + number32(-7))),
              "the server broke the protocol: a column of -7 bytes");
    make({});
    session().run(statement({}, {{"id", 23}}), {});
    EXPECT_EQ(refusal_of(message('2') + message('D', number16(1) + number32(5) + "four")),
              "the server broke the protocol: a message 'D' that is too short");
    make({});
    const auto exchange = session().run(statement({}, {{"id", 23}}), {});
    receive(message('2') + data_row({"odd"}) + complete("SELECT 1") + ready());
    EXPECT_THROW(static_cast<void>(exchange->take_rows()[0].get<int>(0)), DbError);
}

TEST_F(PostgresSession, a_fatal_error_ends_it) {
    session().script("select pg_sleep(9)");
    EXPECT_EQ(refusal_of(server_error("57P01", "terminating connection", "FATAL")),
              "terminating connection");
}

TEST_F(PostgresSession, ends_at_a_message_over_its_limit) {
    make({.message_bytes_max = 100});
    session().script("x");
    EXPECT_EQ(refusal_of("D" + number32(101)),
              "a message of 101 bytes is more than message_bytes_max = 100");
}

TEST_F(PostgresSession, holds_no_more_than_has_arrived_whatever_a_length_says) {
    session().script("x");
    receive("D" + number32(60 * 1024 * 1024));
    EXPECT_LE(session().input().held_bytes(), 16U * 1024);
}

TEST_F(PostgresSession, an_answer_over_its_limit_fails_and_the_next_one_is_read) {
    make({.rows_bytes_max = 1000});
    const auto of = statement({}, {{"text", 25}});
    const auto large = session().run(of, {});
    const auto small = session().run(of, {});
    std::vector<std::vector<std::string>> rows(20, {std::string(100, 'x')});
    receive(answered(rows, "SELECT 20") + answered({{"y"}}, "SELECT 1"));
    EXPECT_EQ(failure_of(*large),
              "the answer is more than rows_bytes_max = 1000: read it as a stream");
    EXPECT_EQ(small->take_rows().size(), 1U);
}

TEST_F(PostgresSession, a_full_stream_pauses_until_its_rows_are_taken) {
    const auto exchange = session().run(statement({}, {{"text", 25}}), {});
    exchange->make_stream(500);
    const std::vector<std::vector<std::string>> rows(20, {std::string(100, 'x')});
    receive(answered(rows, "SELECT 20"));
    EXPECT_TRUE(session().is_paused());
    std::size_t count = 0;
    while (!exchange->has_ended()) {
        ASSERT_TRUE(session().is_paused());
        EXPECT_LE(exchange->held_bytes(), 500U + 200U);
        count += exchange->take_rows().size();
        session().process();
    }
    EXPECT_EQ(count + exchange->take_rows().size(), 20U);
}

TEST_F(PostgresSession, more_requests_than_pipelined_max_are_refused) {
    make({.pipelined_max = 2});
    session().script("a");
    session().script("b");
    EXPECT_THROW(session().script("c"), DbError);
    EXPECT_EQ(session().pending_count(), 2U);
}

TEST_F(PostgresSession, more_notifications_than_notifications_max_end_it) {
    make({.notifications_max = 2});
    const std::string note = message('A', number32(1) + zero_ended("news") + zero_ended("hello"));
    receive(note + note);
    EXPECT_EQ(session().notifications().front().payload, "hello");
    EXPECT_EQ(refusal_of(note), "more notifications wait than notifications_max = 2");
}

TEST_F(PostgresSession, closes_the_statement_used_longest_ago) {
    make({.statements_max = 2});
    for (const char* sql : {"a", "b", "c"}) {
        const auto exchange = session().prepare(sql);
        receive(prepared({}, {}));
        static_cast<void>(session().kept("a"));  // used again before each of the others
        sent();
        session().keep(sql, exchange->statement());
    }
    EXPECT_EQ(sent(), message('C', "S" + zero_ended("gyre2")) + message('S'));
    EXPECT_EQ(session().kept("b"), nullptr);
    EXPECT_NE(session().kept("a"), nullptr);
    EXPECT_EQ(session().kept_count(), 2U);
}

TEST_F(PostgresSession, values_that_do_not_fit_are_refused_before_anything_is_sent) {
    const auto of = statement({21, 25}, {});
    const auto refused = [&](const Values& values) {
        try {
            session().run(of, values);
        } catch (const DbError& e) {
            EXPECT_EQ(e.kind(), DbError::Kind::mismatch);
            return e.message();
        }
        return std::string("sent");
    };
    EXPECT_EQ(refused({40'000, "x"}), "parameter $1 is an integer and does not fit smallint");
    EXPECT_EQ(refused({"7", "x"}), "parameter $1 is text and does not fit smallint");
    EXPECT_EQ(refused({7, 8}), "parameter $2 is an integer and does not fit text");
    EXPECT_EQ(refused({7}), "the statement has 2 parameters, and 1 were given");
    EXPECT_EQ(refused({7, std::string("a\0b", 3)}),
              "parameter $2 has a zero byte, which text has nowhere in PostgreSQL");
    EXPECT_EQ(sent(), "");
    EXPECT_EQ(session().pending_count(), 0U);
}

TEST_F(PostgresSession, a_failed_connection_fails_every_request) {
    const auto first = session().script("a");
    const auto second = session().script("b");
    session().fail(std::make_exception_ptr(DbError(DbError::Kind::lost, "gone")));
    EXPECT_EQ(failure_of(*first), "gone");
    EXPECT_EQ(failure_of(*second), "gone");
}

}  // namespace
}  // namespace gyre::db::postgres
