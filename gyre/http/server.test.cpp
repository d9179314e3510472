// SPDX-License-Identifier: Apache-2.0
// The server over simulated sockets, in virtual time: responses, keep-alive and pipelining.
#include "gyre/http/server.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "gyre/http/server_world.test.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

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

TEST_F(HttpServer, says_505_to_a_version_that_it_does_not_speak) {
    server.get("/a", sends("A"));
    const std::string answer = exchange("GET /a HTTP/3.0\r\nHost: x\r\n\r\n" + get_a);
    EXPECT_EQ(bodies_of(answer),
              (std::vector<std::string>{"505 HTTP Version Not Supported: unknown_version\n"}));
}

TEST_F(HttpServer, takes_the_host_of_an_absolute_target) {
    server.get("/a", [](Request& request, Response& response) -> Future<void> {
        response.send(std::string(request.head().host));
        co_return;
    });
    EXPECT_EQ(bodies_of(exchange("GET http://b:81/a HTTP/1.1\r\nHost: x\r\n\r\n")),
              (std::vector<std::string>{"b:81"}));
}

TEST_F(HttpServer, does_not_serve_what_follows_a_connect) {
    server.get("/a", sends("A"));
    const std::string answer = exchange("CONNECT b:443 HTTP/1.1\r\nHost: b\r\n\r\n" + get_a);
    EXPECT_EQ(bodies_of(answer).size(), 1U) << answer;
    EXPECT_EQ(server.counts().requests, 1U);
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

TEST_F(HttpServer, cuts_an_answer_that_is_longer_than_it_promised) {
    server.get("/long", [](Request&, Response& response) -> Future<void> {
        response.length(2);
        co_await response.write("abcd");
    });
    const std::string answer = exchange("GET /long HTTP/1.1\r\nHost: x\r\n\r\n" + get_a);
    EXPECT_EQ(bodies_of(answer).size(), 1U);
    EXPECT_TRUE(answer.ends_with("Content-Length: 2\r\n\r\n")) << answer;
}

TEST_F(HttpServer, streams_small_and_large_pieces_in_their_order) {
    const std::string large(40'000, 'b');
    server.get("/mixed", [&large](Request&, Response& response) -> Future<void> {
        response.length(large.size() + 2);
        co_await response.write("a");
        co_await response.write(large);
        co_await response.write("c");
    });
    const std::string get_mixed = "GET /mixed HTTP/1.1\r\nHost: x\r\n\r\n";
    const std::string whole = "a" + large + "c";
    EXPECT_EQ(bodies_of(exchange(get_mixed + get_mixed)), std::vector({whole, whole}));
}

TEST_F(HttpServer, writes_the_length_of_what_is_sent_whatever_was_said) {
    server.get("/two", [](Request&, Response& response) -> Future<void> {
        response.length(99).send("ab");
        co_return;
    });
    EXPECT_EQ(body_of(exchange("GET /two HTTP/1.1\r\nHost: x\r\n\r\n")), "ab");
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

TEST_F(HttpServer, writes_dates_where_it_has_a_clock) {
    make_server({.wall_time = [] { return UnixSeconds{784111777}; }});
    server.get("/a", sends("A"));
    for (const std::string& request : {get_a, std::string("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")}) {
        EXPECT_NE(exchange(request).find("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
                  std::string::npos);
    }
}

TEST_F(HttpServer, looks_at_the_clock_for_dates_once_a_turn) {
    static UnixSeconds time;
    time = 784111776;
    make_server({.wall_time = [] { return ++time; }});
    server.get("/a", sends("A"));
    server.get("/later", [](Request&, Response& response) -> Future<void> {
        co_await sleep(std::chrono::seconds(1));
        response.send("B");
    });
    const std::string later = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n";
    const std::string answers = converse({get_a + get_a + later + get_a}).text;
    std::vector<std::string> dates;
    for (std::size_t at = answers.find("08:49:"); at != std::string::npos;
         at = answers.find("08:49:", at + 1)) {
        dates.push_back(answers.substr(at, 8));
    }
    EXPECT_EQ(dates, (std::vector<std::string>{"08:49:37", "08:49:37", "08:49:38", "08:49:38"}));
}

}  // namespace
}  // namespace gyre::http
