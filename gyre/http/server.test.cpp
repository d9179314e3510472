// SPDX-License-Identifier: Apache-2.0
// The server over sockets in memory and in virtual time: what is answered, how connections go on
// and end, what is too much and what takes too long.
#include "gyre/http/server.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/http/metrics.hpp"
#include "gyre/http/server_world.test.hpp"
#include "gyre/task/all.hpp"
#include "gyre/task/sleep.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

Handler sends(std::string text) {
    return [text = std::move(text)](Request&, Response& response) -> Future<void> {
        response.type("text/plain").send(text);
        co_return;
    };
}

const std::string get_a = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

class HttpServer : public ServerWorld {};

TEST_F(HttpServer, answers_by_routes) {
    server.get("/a", sends("A"));
    server.get("/users/:id", [](Request& request, Response& response) -> Future<void> {
        response.send("user " + std::string(request.param("id")) + " " +
                      std::string(request.query()));
        co_return;
    });
    EXPECT_EQ(exchange(get_a),
              "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nA");
    EXPECT_EQ(body_of(exchange("GET /users/7?b=c HTTP/1.1\r\nHost: x\r\n\r\n")), "user 7 b=c");
    EXPECT_EQ(status_of_answer(exchange("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")), 404);
    const std::string refused = exchange("DELETE /a HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(status_of_answer(refused), 405);
    EXPECT_NE(refused.find("\r\nAllow: GET, HEAD\r\n"), std::string::npos);
}

TEST_F(HttpServer, answers_pipelined_requests_in_order_with_one_write) {
    server.get("/1", sends("one"));
    server.get("/2", [](Request&, Response& response) -> Future<void> {
        co_await sleep(1s);
        response.send("two");
    });
    server.get("/3", sends("three"));
    const auto heard =
        converse({"GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n"
                  "GET /3 HTTP/1.1\r\nHost: x\r\n\r\n"});
    EXPECT_EQ(bodies_of(heard.text), (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_EQ(heard.send_count, 1);
}

TEST_F(HttpServer, goes_on_with_a_connection_until_one_side_ends_it) {
    server.get("/a", sends("A"));
    EXPECT_EQ(bodies_of(converse({get_a, get_a, get_a}).text).size(), 3U);
    const std::string last = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const std::string answer = converse({get_a, last, get_a}).text;
    EXPECT_EQ(bodies_of(answer).size(), 2U);
    EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST_F(HttpServer, ends_a_connection_of_http_1_0_unless_asked) {
    server.get("/a", sends("A"));
    const std::string old = "GET /a HTTP/1.0\r\n\r\n";
    const std::string kept = "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    EXPECT_EQ(bodies_of(converse({old, old}).text).size(), 1U);
    const std::string answer = converse({kept, kept}).text;
    EXPECT_EQ(bodies_of(answer).size(), 2U);
    EXPECT_NE(answer.find("Connection: keep-alive"), std::string::npos);
}

TEST_F(HttpServer, answers_heads_without_bodies) {
    server.get("/a", sends("hello"));
    server.get("/none", [](Request&, Response& response) -> Future<void> {
        response.status(204);
        co_return;
    });
    const std::string answer =
        converse({"HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"})
            .text;
    EXPECT_EQ(answer,
              "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"
              "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST_F(HttpServer, refuses_what_is_malformed_and_closes) {
    server.get("/a", sends("A"));
    const std::string answer = exchange(get_a + "GET  /a HTTP/1.1\r\nHost: x\r\n\r\n" + get_a);
    EXPECT_EQ(bodies_of(answer),
              (std::vector<std::string>{"A", "400 Bad Request: spaces_in_request_line\n"}));
    EXPECT_NE(answer.find("Connection: close"), std::string::npos);
    EXPECT_EQ(server.counts().refused, 1U);
}

TEST_F(HttpServer, says_500_when_a_handler_fails_and_goes_on) {
    server.get("/a", sends("A"));
    server.get("/bad", [](Request&, Response& response) -> Future<void> {
        response.field("X", "half done").send("half");
        throw std::runtime_error("no");
        co_return;
    });
    const std::string answer = exchange("GET /bad HTTP/1.1\r\nHost: x\r\n\r\n" + get_a);
    EXPECT_EQ(bodies_of(answer), (std::vector<std::string>{"500 Internal Server Error\n", "A"}));
    EXPECT_EQ(answer.find("half"), std::string::npos);
    EXPECT_EQ(server.counts().failed, 1U);
}

TEST_F(HttpServer, cuts_an_answer_that_fails_after_its_beginning) {
    server.get("/bad", [](Request&, Response& response) -> Future<void> {
        co_await response.write("half");
        throw std::runtime_error("no");
    });
    const std::string answer = exchange("GET /bad HTTP/1.1\r\nHost: x\r\n\r\n" + get_a);
    EXPECT_TRUE(answer.ends_with("\r\n\r\n4\r\nhalf\r\n")) << answer;
}

TEST_F(HttpServer, refuses_fields_that_would_split_or_frame_an_answer) {
    server.get("/a", [](Request& request, Response& response) -> Future<void> {
        response.field("X", percent_decoded(request.query()).value());
        co_return;
    });
    server.get("/b", [](Request&, Response& response) -> Future<void> {
        response.field("Content-Length", "5");
        co_return;
    });
    EXPECT_EQ(status_of_answer(exchange("GET /a?1%0d%0aY:%202 HTTP/1.1\r\nHost: x\r\n\r\n")), 500);
    EXPECT_EQ(status_of_answer(exchange("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")), 500);
}

TEST_F(HttpServer, streams_bodies_both_ways) {
    server.post("/echo", [](Request& request, Response& response) -> Future<void> {
        for (;;) {
            const std::string_view piece = co_await request.read();
            if (piece.empty()) co_return;
            co_await response.write(piece);
        }
    });
    const std::string answer =
        converse(
            {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
             "2\r\nde\r\n",
             "0\r\n\r\nPOST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nwx", "yz",
             "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"})
            .text;
    EXPECT_EQ(bodies_of(answer), (std::vector<std::string>{"abcde", "wxyz", "404 Not Found\n"}));
}

TEST_F(HttpServer, streams_to_http_1_0_until_the_close) {
    server.get("/s", [](Request&, Response& response) -> Future<void> {
        co_await response.write("ab");
        co_await response.write("cd");
    });
    EXPECT_TRUE(exchange("GET /s HTTP/1.0\r\n\r\n").ends_with("Connection: close\r\n\r\nabcd"));
}

TEST_F(HttpServer, streams_a_known_length_as_it_is) {
    server.get("/s", [](Request&, Response& response) -> Future<void> {
        response.length(4);
        co_await response.write("ab");
        co_await response.write("cd");
    });
    server.get("/short", [](Request&, Response& response) -> Future<void> {
        response.length(4);
        co_await response.write("ab");
    });
    EXPECT_TRUE(
        exchange("GET /s HTTP/1.1\r\nHost: x\r\n\r\n").ends_with("Content-Length: 4\r\n\r\nabcd"));
    EXPECT_EQ(server.counts().requests, 1U);
    EXPECT_TRUE(exchange("GET /short HTTP/1.1\r\nHost: x\r\n\r\n" + get_a).ends_with("\r\n\r\nab"))
        << "less than was promised must not be taken for the next answer";
}

TEST_F(HttpServer, sends_large_bodies_from_where_they_are) {
    server.get("/large", sends(std::string(300'000, 'x')));
    const std::string answer = exchange("GET /large HTTP/1.1\r\nHost: x\r\n\r\n" + get_a);
    const auto bodies = bodies_of(answer);
    ASSERT_EQ(bodies.size(), 2U);
    EXPECT_EQ(bodies[0].size(), 300'000U);
}

TEST_F(HttpServer, says_continue_only_when_the_body_is_wanted) {
    server.post("/wants", [](Request& request, Response& response) -> Future<void> {
        response.send(co_await request.text());
    });
    server.post("/wants_not", sends("no"));
    const std::string head =
        " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    const std::string wanted = converse({"POST /wants" + head, "hi"}).text;
    EXPECT_TRUE(wanted.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")) << wanted;
    EXPECT_TRUE(wanted.ends_with("hi"));
    const std::string unwanted = converse({"POST /wants_not" + head, get_a}).text;
    EXPECT_EQ(unwanted.find("100 Continue"), std::string::npos);
    EXPECT_EQ(bodies_of(unwanted), (std::vector<std::string>{"no"})) << "then it is closed";
}

TEST_F(HttpServer, skips_a_body_that_nobody_wanted) {
    server.post("/a", sends("A"));
    server.get("/a", sends("B"));
    const auto post = [](std::size_t size) {
        return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) +
               "\r\n\r\n" + std::string(size, 'x');
    };
    EXPECT_EQ(bodies_of(exchange(post(50'000) + get_a)), (std::vector<std::string>{"A", "B"}));
    EXPECT_EQ(bodies_of(exchange(post(500'000) + get_a)), (std::vector<std::string>{"A"}));
}

TEST_F(HttpServer, runs_middlewares_from_the_outermost_in) {
    std::string order;
    server.use([&](Request&, Response& response, Next next) -> Future<void> {
        order += "1";
        co_await next();
        order += "4";
        response.field("X-Seen", "yes");
    });
    server.use([&](Request& request, Response& response, Next next) -> Future<void> {
        order += "2";
        if (request.path() == "/closed") {
            response.status(403).send("closed");
            co_return;
        }
        co_await next();
        order += "3";
    });
    server.get("/a", sends("A"));
    const std::string answer = exchange(get_a);
    EXPECT_EQ(order, "1234");
    EXPECT_NE(answer.find("X-Seen: yes\r\n"), std::string::npos);
    EXPECT_EQ(status_of_answer(exchange("GET /closed HTTP/1.1\r\nHost: x\r\n\r\n")), 403);
    EXPECT_EQ(order, "1234124");
    EXPECT_EQ(status_of_answer(exchange("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n")), 404);
    EXPECT_EQ(order, "12341241234");
}

TEST_F(HttpServer, tells_of_each_request_that_it_served) {
    std::vector<std::string> log;
    server.on_served([&](const Served& served) {
        log.push_back(std::string(served.method) + " " + std::string(served.target) + " " +
                      std::to_string(served.status) + " " + std::to_string(served.sent_bytes));
    });
    server.get("/a", sends("A"));
    static_cast<void>(exchange(get_a + "GET /b HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(log, (std::vector<std::string>{"GET /a 200 1", "GET /b 404 14"}));
}

TEST_F(HttpServer, tells_its_counts_to_prometheus) {
    server.get("/metrics", metrics_of(server));
    const std::string text = body_of(converse({"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"}).text);
    EXPECT_NE(text.find("# TYPE gyre_http_requests_total counter\ngyre_http_requests_total 1\n"),
              std::string::npos);
    EXPECT_NE(text.find("\ngyre_http_connections_open 1\n"), std::string::npos);
    EXPECT_NE(text.find("\ngyre_tasks 1\n"), std::string::npos);
}

TEST_F(HttpServer, writes_dates_where_it_has_a_clock) {
    make_server({.wall_time = [] { return UnixSeconds{784111777}; }});
    server.get("/a", sends("A"));
    EXPECT_NE(exchange(get_a).find("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
              std::string::npos);
}

TEST_F(HttpServer, holds_the_limits_of_bodies_requests_and_connections) {
    ServerOptions options;
    options.limits.body_bytes_max = 10;
    options.request_count_max = 3;
    options.connection_count_max = 2;
    make_server(options);
    server.get("/a", sends("A"));
    server.post("/a", [](Request& request, Response& response) -> Future<void> {
        response.send(co_await request.text());
    });
    EXPECT_EQ(
        status_of_answer(exchange("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n")),
        413);
    EXPECT_EQ(status_of_answer(exchange("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked"
                                        "\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n")),
              413);
    EXPECT_EQ(bodies_of(exchange(get_a + get_a + get_a + get_a)).size(), 3U);

    std::string third;
    with_server([&](Address at) -> Future<void> {
        net::Stream one = co_await net::connect(at);
        net::Stream two = co_await net::connect(at);
        co_await sleep(1ms);
        third = co_await talk(at, get_a);
    });
    EXPECT_EQ(status_of_answer(third), 503);
}

// What a client hears that sends one piece and then nothing, and when it hears the end.
TEST_F(HttpServer, ends_what_takes_too_long) {
    server.get("/slow", [](Request&, Response& response) -> Future<void> {
        co_await sleep(1h);
        response.send("late");
    });
    server.post("/reads", [](Request& request, Response& response) -> Future<void> {
        response.send(co_await request.text());
    });
    const auto ask = [this](std::string text) {
        std::string heard;
        with_server([&](Address at) -> Future<void> { heard = co_await listen_to(at, text); });
        return heard;
    };
    EXPECT_EQ(ask(""), "") << "idle";
    EXPECT_EQ(server.counts().timed_out, 1U);
    EXPECT_EQ(status_of_answer(ask("GET /slow HT")), 408) << "a head";
    EXPECT_EQ(
        status_of_answer(ask("POST /reads HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")),
        503)
        << "a body that the handler's time ends";
    EXPECT_EQ(status_of_answer(ask("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")), 503) << "a handler";
    EXPECT_EQ(server.counts().timed_out, 4U);
    EXPECT_EQ(bodies_of(ask(get_a)).size(), 1U) << "idle after an answer";
}

TEST_F(HttpServer, ends_a_body_that_takes_too_long) {
    make_server({.timeouts = {.body = 5s}});
    server.post("/reads", [](Request& request, Response& response) -> Future<void> {
        response.send(co_await request.text());
    });
    std::string heard;
    with_server([&](Address at) -> Future<void> {
        net::Stream stream = co_await net::connect(at);
        co_await stream.write_all(
            bytes_of("POST /reads HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"));
        // A byte a second is no way out: all waits count together.
        for (int i = 0; i < 20; ++i) {
            co_await sleep(1s);
            const auto sent = co_await net::try_(stream.write_all(bytes_of("x")));
            if (!sent) break;
        }
        heard = co_await read_to_end(stream);
    });
    EXPECT_EQ(status_of_answer(heard), 408);
}

TEST_F(HttpServer, gives_up_a_peer_that_does_not_read) {
    server.get("/endless", [](Request&, Response& response) -> Future<void> {
        const std::string piece(100'000, 'x');
        for (;;) co_await response.write(piece);
    });
    with_server([&](Address at) -> Future<void> {
        net::Stream stream = co_await net::connect(at);
        co_await stream.write_all(bytes_of("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"));
        co_await sleep(2min);
        EXPECT_EQ(server.counts().open_connections, 0U);
    });
    EXPECT_EQ(server.counts().timed_out, 1U);
}

TEST_F(HttpServer, finishes_what_is_in_flight_when_it_stops) {
    server.get("/slow", [](Request&, Response& response) -> Future<void> {
        co_await sleep(3s);
        response.send("done");
    });
    std::string heard;
    std::string idle = "?";
    const ShutdownReport report = with_server([&](Address at) -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                heard = co_await listen_to(at, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
            });
            scope.spawn([&]() -> Future<void> { idle = co_await listen_to(at, ""); });
            co_await sleep(1s);
            server.stop();
        });
    });
    EXPECT_EQ(bodies_of(heard), (std::vector<std::string>{"done"}));
    EXPECT_NE(heard.find("Connection: close"), std::string::npos);
    EXPECT_EQ(idle, "");
    EXPECT_EQ(report.cut, std::vector<std::string>{});
    EXPECT_EQ(report.finished_count, 2U);
}

TEST_F(HttpServer, drops_no_request_that_comes_while_it_stops) {
    server.get("/a", [](Request&, Response& response) -> Future<void> {
        co_await sleep(1ms);
        response.send("A");
    });
    // A request on a connection that has been idle, and a stop before, while and after it arrives.
    int answered_count = 0;
    for (Duration delay = 0us; delay < 200us; delay += 2us) {
        std::string heard;
        const auto requests_before = server.counts().requests;
        with_server([&](Address at) -> Future<void> {
            net::Stream stream = co_await net::connect(at);
            co_await stream.write_all(bytes_of(get_a));
            std::array<std::byte, 4096> buffer{};
            static_cast<void>(co_await stream.read_some(buffer));
            co_await sleep(1s);
            co_await stream.write_all(bytes_of(get_a));
            co_await sleep(delay);
            server.stop();
            heard = co_await read_to_end(stream);
        });
        // Whatever was read is answered; where the stop was first, it was not read.
        const auto read_count = server.counts().requests - requests_before - 1;
        EXPECT_EQ(bodies_of(heard).size(), read_count) << delay.count();
        if (!heard.empty()) ++answered_count;
    }
    EXPECT_GT(answered_count, 0);
}

TEST_F(HttpServer, reports_what_did_not_end_in_time) {
    make_server({.timeouts = {.handler = 48h}});
    server.get("/endless", [](Request&, Response&) -> Future<void> { co_await sleep(24h); });
    const ShutdownReport report = with_server([&](Address at) -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                EXPECT_EQ(co_await listen_to(at, "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"), "");
            });
            co_await sleep(1s);
            server.stop();
        });
    });
    EXPECT_EQ(report.cut, (std::vector<std::string>{"GET /endless"}));
    EXPECT_EQ(report.finished_count, 0U);
}

TEST_F(HttpServer, is_as_before_after_many_who_left_in_the_middle) {
    server.get("/a", sends("A"));
    server.post("/echo", [](Request& request, Response& response) -> Future<void> {
        for (;;) {
            const std::string_view piece = co_await request.read();
            if (piece.empty()) break;
            co_await response.write(piece);
        }
    });
    const std::string text = get_a +
                             "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "5\r\nhello\r\n0\r\n\r\n" +
                             get_a;
    const int before = descriptor_count();
    with_server([&](Address at) -> Future<void> {
        auto body = [&](Scope& scope) -> Future<void> {
            Random random(7);
            for (int i = 0; i < 400; ++i) {
                const std::size_t size = random.below(text.size() + 1);
                const bool listens = random.below(2) == 0;
                const bool resets = random.below(3) == 0;
                auto leave = [&text, at, size, listens, resets]() -> Future<void> {
                    net::Stream stream = co_await net::connect(at);
                    const std::string part = text.substr(0, size);
                    static_cast<void>(co_await net::try_(stream.write_all(bytes_of(part))));
                    if (resets) static_cast<void>(stream.set_linger(0));
                    std::array<std::byte, 64> buffer{};
                    if (listens && size > get_a.size()) {
                        static_cast<void>(co_await net::try_(stream.read_some(buffer)));
                    }
                };
                scope.spawn(std::move(leave));
                if (i % 20 == 0) co_await sleep(1ms);
            }
        };
        co_await with_scope(std::move(body));
        const std::string answer = co_await talk(at, get_a);
        EXPECT_EQ(body_of(answer), "A") << "others are answered all the while";
        co_await sleep(5min);
        EXPECT_EQ(server.counts().open_connections, 0U);
    });
    EXPECT_EQ(server.counts().connections, 401U);
    EXPECT_EQ(descriptor_count(), before);
}

TEST_F(HttpServer, takes_a_cancel_for_a_stop) {
    server.get("/slow", [](Request&, Response& response) -> Future<void> {
        co_await sleep(3s);
        response.send("done");
    });
    std::string heard;
    std::size_t finished_count = 0;
    run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const Address at = listener.local_address().value();
            auto serving = scope.spawn(
                [&](net::Listener given) -> Future<void> {
                    const ShutdownReport report = co_await server.serve(std::move(given));
                    finished_count = report.finished_count;
                },
                std::move(listener));
            scope.spawn([&]() -> Future<void> {
                co_await sleep(1s);
                serving.cancel("enough");
            });
            heard = co_await listen_to(at, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
        });
    });
    EXPECT_EQ(bodies_of(heard), (std::vector<std::string>{"done"}));
    EXPECT_EQ(finished_count, 1U);
}

}  // namespace
}  // namespace gyre::http
