// SPDX-License-Identifier: Apache-2.0
// Assertions of gyre/http.
#include <gtest/gtest.h>

#include "gyre/http/client.hpp"
#include "gyre/http/client_world.test.hpp"
#include "gyre/http/internal/body_parser.hpp"
#include "gyre/http/internal/head_guard.hpp"
#include "gyre/http/internal/input_buffer.hpp"
#include "gyre/http/internal/server_connection.hpp"
#include "gyre/http/server.hpp"
#include "gyre/http/server_world.test.hpp"
#include "gyre/task/core/task.hpp"
#include "tests/support/private_member.hpp"

namespace gyre::test {

struct ReceiveBody {
    friend constexpr auto member_of(ReceiveBody tag);
};
template struct PrivateMember<ReceiveBody, &http::ServerConnection::receive_body>;

struct RecordStep {
    friend constexpr auto member_of(RecordStep tag);
};
template struct PrivateMember<RecordStep, &http::BodyParser::record>;

struct AnswerExpired {
    friend constexpr auto member_of(AnswerExpired tag);
};
template struct PrivateMember<AnswerExpired, &http::ServerConnection::answer_expired>;

}  // namespace gyre::test

namespace gyre::http {
namespace {

using HttpAssertionDeathTest = HttpClient;

TEST_F(HttpAssertionDeathTest, a_client_without_a_connector) {
    EXPECT_DEATH(Client({}, nullptr), "a Client got a null Connector: leave the argument out");
}

TEST_F(HttpAssertionDeathTest, a_response_that_is_read_after_it_was_moved_from) {
    const auto misuse = [this] {
        with_server([&](Address at) -> Future<void> {
            Client client;
            ClientRequest request(url_of(at, "/"));
            Incoming incoming = co_await client.open(std::move(request));
            const Incoming other = std::move(incoming);
            static_cast<void>(co_await incoming.read());  // NOLINT(bugprone-use-after-move)
        });
    };
    EXPECT_DEATH(misuse(), "an Incoming is read after it was moved from");
}

TEST_F(HttpAssertionDeathTest, a_body_that_is_received_outside_of_a_request) {
    const auto misuse = [this] {
        run([this]() -> Future<void> {
            ScriptedStream stream({});
            ServerConnection connection(server, stream, co_await this_task(), nullptr);
            co_await (connection.*member_of(test::ReceiveBody{}))();
        });
    };
    EXPECT_DEATH(misuse(), "a body is received outside of a request");
}

TEST_F(HttpAssertionDeathTest, a_timeout_that_is_answered_before_it_expired) {
    const auto misuse = [this] {
        run([this]() -> Future<void> {
            ScriptedStream stream({});
            ServerConnection connection(server, stream, co_await this_task(), nullptr);
            static_cast<void>((connection.*member_of(test::AnswerExpired{}))());
        });
    };
    EXPECT_DEATH(misuse(), "a timeout is answered that did not expire");
}

TEST_F(HttpAssertionDeathTest, a_scan_that_gets_fewer_bytes_than_before) {
    HeadGuard guard(HeadGuard::Start::nothing);
    static_cast<void>(guard.scan("Host: example.test\r\n", {}));
    EXPECT_DEATH(static_cast<void>(guard.scan("Ho", {})),
                 "a scan got 2 bytes after [0-9]+: pass all bytes so far");
}

TEST_F(HttpAssertionDeathTest, a_decoder_that_consumes_more_than_its_input) {
    BodyParser parser;
    const BodyStep step{.consumed_bytes = 4, .data = {}};
    EXPECT_DEATH(static_cast<void>((parser.*member_of(test::RecordStep{}))(step, 3)),
                 "a decoder consumed more than its input");
}

TEST_F(HttpAssertionDeathTest, a_stream_that_receives_more_than_there_is_room_for) {
    InputBuffer buffer(16);
    static_cast<void>(buffer.room());
    EXPECT_DEATH(buffer.add(17), "a stream received 17 bytes into room for 16");
}

TEST_F(HttpAssertionDeathTest, a_route_without_a_handler) {
    EXPECT_DEATH(server.get("/", Handler{}), "a route got an empty handler: pass a function");
}

}  // namespace
}  // namespace gyre::http
