// SPDX-License-Identifier: Apache-2.0
// Large request bodies, sent while the response is read (RFC 9112 9.5), in virtual time.
#include "gyre/http/client.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gyre/http/client_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

// The server reads the head, refuses, and drains the input after the client has stopped sending.
TEST_F(HttpClient, stops_sending_a_body_that_the_server_does_not_want) {
    const std::string block(100'000, 'x');
    for (const bool is_in_pieces : {false, true}) {
        std::size_t taken_bytes = 0;
        run([&]() -> Future<void> {
            auto both = [&](Scope& scope) -> Future<void> {
                Event has_left;
                net::Listener listener = co_await net::listen(Address::loopback());
                auto peer = scope.spawn([&]() -> Future<void> {
                    net::Connection stream = co_await listener.accept();
                    std::array<std::byte, 4096> buffer{};
                    static_cast<void>(co_await stream.read(buffer));
                    co_await stream.write(
                        bytes_of("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"));
                    co_await has_left.wait();
                    const std::string rest = co_await read_to_end(stream);
                    taken_bytes = rest.size();
                });
                Client client;
                ClientRequest request("POST", url_of(listener.local_address().value(), "/"));
                if (is_in_pieces) {
                    request.pieces = [&]() -> Future<std::string_view> { co_return block; };
                } else {
                    request.body = std::string(10'000'000, 'x');
                }
                const ClientResponse answer = co_await client.fetch(std::move(request));
                EXPECT_EQ(answer.status, 413);
                EXPECT_EQ(answer.body, "no");
                EXPECT_EQ(client.kept_count(), 0U);
                has_left.set();
                co_await std::move(peer);
            };
            co_await with_scope(std::move(both));
        });
        EXPECT_LT(taken_bytes, 10'000'000U);
    }
}

TEST_F(HttpClient, hears_why_its_body_is_too_large) {
    make_server({.limits = {.body_bytes_max = 1000}});
    server.post("/a", &echo);
    with_server([&](Address at) -> Future<void> {
        Client client;
        ClientRequest request("POST", url_of(at, "/a"), std::string(10'000'000, 'x'));
        const ClientResponse answer = co_await client.fetch(std::move(request));
        EXPECT_EQ(answer.status, 413);
    });
}

TEST_F(HttpClient, sends_all_of_a_body_whose_answer_begins_early) {
    server.post("/early", [](Request& request, Response& response) -> Future<void> {
        co_await response.write("taking ");
        const std::string body = co_await request.text();
        co_await response.write(std::to_string(body.size()));
    });
    with_server([&](Address at) -> Future<void> {
        Client client;
        ClientRequest request("POST", url_of(at, "/early"), std::string(1'000'000, 'x'));
        const ClientResponse answer = co_await client.fetch(std::move(request));
        EXPECT_EQ(answer.body, "taking 1000000");
        EXPECT_EQ(client.kept_count(), 1U);
    });
}

// Both sides send more than the socket buffers hold: a client that only sends would deadlock.
TEST_F(HttpClient, reads_an_answer_while_it_sends_the_body) {
    server.post("/echo", [](Request& request, Response& response) -> Future<void> {
        for (;;) {
            const std::string_view piece = co_await request.read();
            if (piece.empty()) break;
            co_await response.write(piece);
        }
    });
    for (const bool is_in_pieces : {false, true}) {
        with_server([&](Address at) -> Future<void> {
            Client client;
            const std::string block(100'000, 'x');
            int left = 10;
            ClientRequest request("POST", url_of(at, "/echo"));
            if (is_in_pieces) {
                request.pieces = [&]() -> Future<std::string_view> {
                    co_return left-- > 0 ? std::string_view(block) : std::string_view();
                };
            } else {
                request.body = std::string(1'000'000, 'x');
            }
            const ClientResponse answer = co_await client.fetch(std::move(request));
            EXPECT_EQ(answer.body.size(), 1'000'000U);
            EXPECT_EQ(client.kept_count(), 1U);
        });
    }
}

// The response is complete before the body is sent; the server reads on, and the connection stays
// usable.
TEST_F(HttpClient, gives_an_early_answer_and_goes_on_with_its_body) {
    std::size_t taken_bytes = 0;
    Event has_answer;
    server.post("/early", [&](Request& request, Response& response) -> Future<void> {
        response.length(4);
        co_await response.write("here");
        co_await has_answer.wait();
        const std::string body = co_await request.text();
        taken_bytes = body.size();
    });
    with_server([&](Address at) -> Future<void> {
        Client client;
        {
            ClientRequest request("POST", url_of(at, "/early"), std::string(1'000'000, 'x'));
            Incoming incoming = co_await client.open(std::move(request));
            EXPECT_EQ(incoming.status(), 200);
            const std::string_view piece = co_await incoming.read();
            EXPECT_EQ(piece, "here");
            EXPECT_EQ(taken_bytes, 0U);
            has_answer.set();
            const std::string_view end = co_await incoming.read();
            EXPECT_EQ(end, "");
        }
        EXPECT_EQ(client.kept_count(), 1U);
        co_await sleep(1s);
        EXPECT_EQ(taken_bytes, 1'000'000U);
    });
}

// With `Connection: close` the upload ends at once; else when the server has closed.
TEST_F(HttpClient, gives_the_answer_of_a_server_that_closes_before_the_body_has_gone) {
    for (const bool says_so : {false, true}) {
        const std::string answer = std::string("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n") +
                                   (says_so ? "Connection: close\r\n" : "") + "\r\ndone";
        bool has_closed = false;
        run([&]() -> Future<void> {
            auto both = [&](Scope& scope) -> Future<void> {
                net::Listener listener = co_await net::listen(Address::loopback());
                scope.spawn([&]() -> Future<void> {
                    net::Connection stream = co_await listener.accept();
                    std::array<std::byte, 4096> buffer{};
                    static_cast<void>(co_await stream.read(buffer));
                    co_await stream.write(bytes_of(answer));
                    co_await sleep(1s);
                    stream.close();
                    has_closed = true;
                });
                Client client;
                ClientRequest request("POST", url_of(listener.local_address().value(), "/"),
                                      std::string(10'000'000, 'x'));
                const ClientResponse heard = co_await client.fetch(std::move(request));
                EXPECT_EQ(heard.status, 200);
                EXPECT_EQ(heard.body, "done");
                EXPECT_EQ(has_closed, !says_so);
            };
            co_await with_scope(std::move(both));
        });
    }
}

// Destroying the Incoming ends the upload.
TEST_F(HttpClient, ends_the_upload_of_an_answer_that_is_dropped) {
    server.post("/early", [](Request&, Response& response) -> Future<void> {
        co_await response.write("here");
        co_await sleep(10s);
    });
    with_server([&](Address at) -> Future<void> {
        Client client;
        {
            ClientRequest request("POST", url_of(at, "/early"), std::string(1'000'000, 'x'));
            const Incoming incoming = co_await client.open(std::move(request));
            EXPECT_EQ(incoming.status(), 200);
        }
        EXPECT_EQ(client.kept_count(), 0U);
    });
}

TEST_F(HttpClient, fails_with_what_makes_its_body_fail) {
    server.post("/a", &echo);
    with_server([&](Address at) -> Future<void> {
        Client client;
        ClientRequest request("POST", url_of(at, "/a"));
        request.pieces = []() -> Future<std::string_view> {
            throw std::system_error(std::make_error_code(std::errc::io_error));
            co_return "";
        };
        std::error_code why;
        try {
            static_cast<void>(co_await client.fetch(std::move(request)));
        } catch (const std::system_error& error) {
            why = error.code();
        }
        EXPECT_EQ(why, std::errc::io_error);
    });
}

}  // namespace
}  // namespace gyre::http
