// SPDX-License-Identifier: Apache-2.0
// The client against our own server and against misbehaving peers, in virtual time.
#include "gyre/http/client.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gyre/http/client_world.test.hpp"
#include "gyre/http/internal/gzip.hpp"
#include "gyre/http/one_place.test.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

TEST_F(HttpClient, keeps_a_connection_for_the_next_request) {
    server.get("/a", &echo);
    server.post("/a", &echo);
    with_server([&](Address at) -> Future<void> {
        Client client;
        ClientRequest get(url_of(at, "/a"));
        const ClientResponse first = co_await client.fetch(std::move(get));
        EXPECT_EQ(first.status, 200);
        EXPECT_EQ(first.field("x-method"), "GET");
        ClientRequest post("POST", url_of(at, "/a"), "hello");
        const ClientResponse second = co_await client.fetch(std::move(post));
        EXPECT_EQ(second.body, "hello");
        ClientRequest head("HEAD", url_of(at, "/a"));
        const ClientResponse third = co_await client.fetch(std::move(head));
        EXPECT_EQ(third.body, "");
        EXPECT_EQ(third.field("content-length"), "0");
        EXPECT_EQ(client.kept_count(), 1U);
    });
    EXPECT_EQ(server.counts().connections, 1U);
    EXPECT_EQ(server.counts().requests, 3U);
}

TEST_F(HttpClient, does_not_keep_what_was_not_read_to_its_end) {
    server.get("/large", [](Request&, Response& response) -> Future<void> {
        response.send(std::string(1'000'000, 'x'));
        co_return;
    });
    with_server([&](Address at) -> Future<void> {
        Client client;
        {
            ClientRequest request(url_of(at, "/large"));
            Incoming incoming = co_await client.open(std::move(request));
            const std::string_view piece = co_await incoming.read();
            EXPECT_FALSE(piece.empty());
        }
        EXPECT_EQ(client.kept_count(), 0U);
        ClientRequest request(url_of(at, "/large"));
        const ClientResponse whole = co_await client.fetch(std::move(request));
        EXPECT_EQ(whole.body.size(), 1'000'000U);
        EXPECT_EQ(client.kept_count(), 1U);
    });
}

TEST_F(HttpClient, sends_and_reads_in_pieces) {
    server.post("/a", &echo);
    with_server([&](Address at) -> Future<void> {
        Client client;
        int count = 0;
        ClientRequest request("POST", url_of(at, "/a"));
        request.pieces = [&]() -> Future<std::string_view> {
            ++count;
            co_return count <= 3 ? std::string_view("abc") : std::string_view();
        };
        const ClientResponse answer = co_await client.fetch(std::move(request));
        EXPECT_EQ(answer.body, "abcabcabc");
    });
}

TEST_F(HttpClient, keeps_so_many_connections_to_a_host_at_most) {
    server.get("/slow", [](Request&, Response& response) -> Future<void> {
        co_await sleep(1s);
        response.send("done");
    });
    with_server([&](Address at) -> Future<void> {
        Client client({.kept_per_host_max = 2});
        auto body = [&](Scope& scope) -> Future<void> {
            for (int i = 0; i < 5; ++i) {
                scope.spawn([&]() -> Future<void> {
                    ClientRequest request(url_of(at, "/slow"));
                    static_cast<void>(co_await client.fetch(std::move(request)));
                });
            }
            co_return;
        };
        co_await with_scope(std::move(body));
        EXPECT_EQ(client.kept_count(), 2U);
    });
}

TEST_F(HttpClient, does_not_keep_a_connection_on_which_more_came_than_it_asked_for) {
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    with_peer({answer + answer, answer}, [&](Address at) -> Future<void> {
        Client client;
        for (int i = 0; i < 2; ++i) {
            ClientRequest request(url_of(at, "/"));
            const ClientResponse heard = co_await client.fetch(std::move(request));
            EXPECT_EQ(heard.body, "x");
            EXPECT_EQ(client.kept_count(), i == 0 ? 0U : 1U);
        }
    });
}

TEST_F(HttpClient, follows_redirects_and_tells_no_secrets_to_another_host) {
    server.route(Method::put, "/kept", &echo);
    server.get("/a", &echo);
    server.route(Method::put, "/307", [](Request&, Response& response) -> Future<void> {
        response.status(307).field("Location", "kept");
        co_return;
    });
    server.post("/303", [](Request& request, Response& response) -> Future<void> {
        static_cast<void>(co_await request.text());
        response.status(303).field("Location", "/a");
    });
    server.get("/away", [](Request& request, Response& response) -> Future<void> {
        const std::string_view host = request.head().host;
        const std::string port(host.substr(host.find(':')));
        response.status(302).field("Location", "http://localhost" + port + "/a");
        co_return;
    });
    server.get("/round", [](Request&, Response& response) -> Future<void> {
        response.status(302).field("Location", "/round");
        co_return;
    });
    with_server([&](Address at) -> Future<void> {
        Client client;
        ClientRequest put("PUT", url_of(at, "/307"), "again");
        const ClientResponse kept = co_await client.fetch(std::move(put));
        EXPECT_EQ(kept.field("x-method"), "PUT");
        EXPECT_EQ(kept.body, "again");
        ClientRequest post("POST", url_of(at, "/303"), "once");
        post.fields = {{"Authorization", "secret"}};
        const ClientResponse got = co_await client.fetch(std::move(post));
        EXPECT_EQ(got.field("x-method"), "GET");
        EXPECT_EQ(got.body, "");
        EXPECT_EQ(got.field("x-authorization"), "secret");
        ClientRequest away(url_of(at, "/away"));
        away.fields = {{"Authorization", "secret"}};
        const ClientResponse there = co_await client.fetch(std::move(away));
        EXPECT_EQ(there.field("x-authorization"), "");
        EXPECT_TRUE(there.url.starts_with("http://localhost:"));
        bool is_refused = false;
        try {
            ClientRequest round(url_of(at, "/round"));
            static_cast<void>(co_await client.fetch(std::move(round)));
        } catch (const ClientError& error) {
            is_refused = std::string(error.what()).find("redirect_count_max") != std::string::npos;
        }
        EXPECT_TRUE(is_refused);
    });
}

TEST_F(HttpClient, does_not_follow_from_https_to_http) {
    server.get("/down", [](Request&, Response& response) -> Future<void> {
        response.status(302).field("Location", "http://a.test/a");
        co_return;
    });
    server.get("/a", &echo);
    with_server([&](Address at) -> Future<void> {
        Client client({}, std::make_unique<OnePlace>(at));
        std::string why;
        try {
            ClientRequest request("https://a.test/down");
            static_cast<void>(co_await client.fetch(std::move(request)));
        } catch (const ClientError& error) {
            why = error.what();
        }
        EXPECT_EQ(why, "https://a.test/down leads from https to http: http://a.test/a");
    });
    EXPECT_EQ(server.counts().requests, 1U);
}

TEST_F(HttpClient, finds_out_that_the_server_has_ended_a_kept_connection) {
    make_server({.timeouts = {.idle = 5s}});
    server.get("/a", &echo);
    server.post("/a", &echo);
    with_server([&](Address at) -> Future<void> {
        Client client({.kept_for = 1h});
        const auto get = [&]() -> Future<int> {
            ClientRequest request(url_of(at, "/a"));
            const ClientResponse answer = co_await client.fetch(std::move(request));
            co_return answer.status;
        };
        EXPECT_EQ(co_await get(), 200);
        co_await sleep(1min);  // The server closes the pooled connection.
        EXPECT_EQ(co_await get(), 200);
        co_await sleep(1min);
        ClientRequest request("POST", url_of(at, "/a"), "once");
        const ClientResponse answer = co_await client.fetch(std::move(request));
        EXPECT_EQ(answer.body, "once");
    });
    EXPECT_EQ(server.counts().requests, 3U);
    EXPECT_EQ(server.counts().connections, 3U);
}

// A server that answers the first request of a connection, and ends it at the second.
Future<void> answer_once_each(net::Listener& listener, int& asked) {
    for (;;) {
        net::Connection stream = co_await listener.accept();
        std::array<std::byte, 4096> buffer{};
        for (int i = 0; i < 2; ++i) {
            if (co_await stream.read(buffer) == 0) break;
            ++asked;
            if (i == 0)
                co_await stream.write(bytes_of("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        }
    }
}

TEST_F(HttpClient, tries_again_only_what_may_be_done_twice) {
    int asked = 0;
    std::vector<std::string> seen;
    run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const std::string url = url_of(listener.local_address().value(), "/");
            scope.spawn_daemon([&] { return answer_once_each(listener, asked); });
            Client client;
            for (const char* method : {"GET", "GET", "POST"}) {
                try {
                    ClientRequest request(method, url);
                    const ClientResponse answer = co_await client.fetch(std::move(request));
                    seen.push_back(std::to_string(answer.status));
                } catch (const std::system_error&) {
                    seen.emplace_back("failed");
                }
            }
        });
    });
    EXPECT_EQ(seen, (std::vector<std::string>{"200", "200", "failed"}));
    EXPECT_EQ(asked, 4) << "the second GET is sent twice";
}

TEST_F(HttpClient, forgets_connections_after_a_while) {
    server.get("/a", &echo);
    with_server([&](Address at) -> Future<void> {
        Client client({.kept_for = 10s});
        for (int i = 0; i < 2; ++i) {
            ClientRequest request(url_of(at, "/a"));
            static_cast<void>(co_await client.fetch(std::move(request)));
            EXPECT_EQ(client.kept_count(), 1U);
            co_await sleep(20s);
            EXPECT_EQ(client.kept_count(), 0U);
            EXPECT_EQ(server.counts().open_connections, 0U);
        }
    });
    EXPECT_EQ(server.counts().connections, 2U);
}

TEST_F(HttpClient, decodes_gzip_up_to_a_limit) {
    if (!is_gzip_available()) GTEST_SKIP() << "skipped: no zlib";
    server.get("/zip", [](Request&, Response& response) -> Future<void> {
        response.field("Content-Encoding", "gzip");
        response.send(gzip_text(std::string(100'000, 'x')));
        co_return;
    });
    with_server([&](Address at) -> Future<void> {
        Client client;
        ClientRequest request(url_of(at, "/zip"));
        const ClientResponse answer = co_await client.fetch(std::move(request));
        EXPECT_EQ(answer.body, std::string(100'000, 'x'));
        EXPECT_EQ(client.kept_count(), 1U);
        Client careful({.limits = {.body_bytes_max = 50'000}});
        Refusal why = Refusal::none;
        try {
            ClientRequest bomb(url_of(at, "/zip"));
            static_cast<void>(co_await careful.fetch(std::move(bomb)));
        } catch (const MessageRefused& refused) {
            why = refused.why();
        }
        EXPECT_EQ(why, Refusal::body_bytes_over_limit);
    });
}

TEST_F(HttpClient, refuses_answers_that_are_malformed_or_cut) {
    const std::vector<std::string> texts = {
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "HTTP/1.1 20", ""};
    with_peer(texts, [&](Address at) -> Future<void> {
        Client client;
        std::vector<std::string> failures;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            try {
                ClientRequest request(url_of(at, "/"));
                static_cast<void>(co_await client.fetch(std::move(request)));
                failures.emplace_back("none");
            } catch (const MessageRefused& refused) {
                failures.emplace_back(name_of(refused.why()));
            } catch (const std::system_error&) {
                failures.emplace_back("no answer");
            }
        }
        EXPECT_EQ(failures, (std::vector<std::string>{"repeated_content_length", "early_end",
                                                      "early_end", "no answer"}));
        EXPECT_EQ(client.kept_count(), 0U);
    });
}

TEST_F(HttpClient, closes_the_connection_of_a_request_that_is_cancelled) {
    server.get("/slow", [](Request&, Response& response) -> Future<void> {
        for (;;) {
            co_await sleep(10s);
            co_await response.write("x");
        }
    });
    with_server([&](Address at) -> Future<void> {
        Client client;
        bool is_late = false;
        try {
            ClientRequest request(url_of(at, "/slow"));
            static_cast<void>(co_await timeout(client.fetch(std::move(request)), 25s));
        } catch (const TimeoutError&) {
            is_late = true;
        }
        EXPECT_TRUE(is_late);
        EXPECT_EQ(client.kept_count(), 0U);
        co_await sleep(1min);
        EXPECT_EQ(server.counts().open_connections, 0U) << "the handler's next write has failed";
    });
}

TEST_F(HttpClient, asks_a_host_over_so_many_connections_at_most) {
    server.get("/slow", [](Request&, Response& response) -> Future<void> {
        co_await sleep(1s);
        response.send("done");
    });
    with_server([&](Address at) -> Future<void> {
        Client client({.connections_per_host_max = 2});
        auto body = [&](Scope& scope) -> Future<void> {
            for (int i = 0; i < 6; ++i) {
                scope.spawn([&]() -> Future<void> {
                    ClientRequest request(url_of(at, "/slow"));
                    const ClientResponse answer = co_await client.fetch(std::move(request));
                    EXPECT_EQ(answer.body, "done");
                });
            }
            co_return;
        };
        co_await with_scope(std::move(body));
    });
    EXPECT_EQ(server.counts().requests, 6U);
    EXPECT_EQ(server.counts().connections, 2U);
}

}  // namespace
}  // namespace gyre::http
