// SPDX-License-Identifier: Apache-2.0
// The server over simulated sockets, in virtual time: limits, timeouts, shutdown, counters and
// metrics.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/http/metrics.hpp"
#include "gyre/http/server.hpp"
#include "gyre/http/server_world.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

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
        net::Connection one = co_await net::connect(at);
        net::Connection two = co_await net::connect(at);
        co_await sleep(1ms);
        third = co_await talk(at, get_a);
    });
    EXPECT_EQ(status_of_answer(third), 503);
}

TEST_F(HttpServer, takes_nothing_of_a_body_that_is_too_large_for_a_request) {
    make_server({.limits = {.body_bytes_max = 10}});
    int asked_count = 0;
    const auto answer = [&](Request&, Response& response) -> Future<void> {
        ++asked_count;
        response.send("A");
        co_return;
    };
    server.get("/a", answer);
    server.post("/a", answer);
    const std::string post =
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(get_a.size()) +
        "\r\n\r\n";
    const std::string heard = exchange(post + get_a + get_a);
    EXPECT_EQ(bodies_of(heard),
              (std::vector<std::string>{"413 Content Too Large: body_bytes_over_limit\n"}));
    EXPECT_EQ(asked_count, 0);
}

// Sends a text, then a number of unsolicited bytes, then nothing.
class TalkativeStream final : public net::ByteStream {
public:
    TalkativeStream(std::string first, std::size_t more_bytes)
        : left_bytes(more_bytes), first_(std::move(first)) {}

    Future<std::size_t> do_read(Bytes into) override {
        const std::string piece =
            first_.empty() ? std::string(std::min(left_bytes, into.size()), 'x') : first_;
        if (first_.empty()) left_bytes -= piece.size();
        first_.clear();
        std::memcpy(into.data(), piece.data(), piece.size());
        co_return piece.size();
    }
    Future<void> do_write_pieces(std::span<ConstBytes> pieces) override {
        for (const ConstBytes piece : pieces) text += text_of(piece);
        co_return;
    }
    Future<void> do_finish() override {
        is_finished = true;
        co_return;
    }

    std::size_t left_bytes;
    std::string text;
    bool is_finished = false;

private:
    std::string first_;
};

// A close with unread input would reset the connection and may destroy the response.
TEST_F(HttpServer, takes_some_of_what_still_comes_after_its_last_answer) {
    for (const std::size_t more_bytes : {100'000U, 10'000'000U}) {
        TalkativeStream stream("GET  /a HTTP/1.1\r\n\r\n", more_bytes);
        run([&]() -> Future<void> { co_await server.serve_connection(stream); });
        EXPECT_EQ(status_of_answer(stream.text), 400);
        EXPECT_TRUE(stream.is_finished);
        if (more_bytes == 100'000U) {
            EXPECT_EQ(stream.left_bytes, 0U);
        } else {
            EXPECT_GT(stream.left_bytes, 0U) << "not of one who never ends";
        }
    }
}

TEST_F(HttpServer, waits_at_its_end_only_briefly_for_those_who_have_asked_nothing) {
    server.get("/a", sends("A"));
    run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const Address at = listener.local_address().value();
            auto serving =
                scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                            std::move(listener));
            // The connections stay open, as in the pool of a client.
            net::Connection silent = co_await net::connect(at);
            net::Connection served = co_await net::connect(at);
            co_await served.write(bytes_of(get_a));
            co_await sleep(1s);
            const Task& task = co_await this_task();
            const Instant stopped_at = task.executor().now();
            server.stop();
            EXPECT_EQ(body_of(co_await read_to_end(served)), "A");
            EXPECT_LE(task.executor().now() - stopped_at, 1ms) << "a kept connection ends at once";
            const ShutdownReport report = co_await std::move(serving);
            EXPECT_LE(task.executor().now() - stopped_at,
                      server.options().first_request_within + 500ms);
            EXPECT_EQ(report.finished_count, 2U);
            EXPECT_TRUE(report.cut.empty());
        });
    });
}

// The response to a client that sends one piece and then nothing, and the time of the close.
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
        net::Connection stream = co_await net::connect(at);
        co_await stream.write(
            bytes_of("POST /reads HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"));
        // Sending a byte per second does not help: the waits are added up.
        for (int i = 0; i < 20; ++i) {
            co_await sleep(1s);
            const auto sent = co_await try_(stream.write(bytes_of("x")));
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
        net::Connection stream = co_await net::connect(at);
        co_await stream.write(bytes_of("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"));
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
    // A request on an idle connection, and a stop before, while and after it arrives.
    int answered_count = 0;
    for (Duration delay = 0us; delay < 200us; delay += 2us) {
        std::string heard;
        const auto requests_before = server.counts().requests;
        with_server([&](Address at) -> Future<void> {
            net::Connection stream = co_await net::connect(at);
            co_await stream.write(bytes_of(get_a));
            std::array<std::byte, 4096> buffer{};
            static_cast<void>(co_await stream.read(buffer));
            co_await sleep(1s);
            co_await stream.write(bytes_of(get_a));
            co_await sleep(delay);
            server.stop();
            heard = co_await read_to_end(stream);
        });
        // A request that was read is answered; if the stop came first, it was not read.
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
                    net::Connection stream = co_await net::connect(at);
                    const std::string part = text.substr(0, size);
                    static_cast<void>(co_await try_(stream.write(bytes_of(part))));
                    if (resets) static_cast<void>(stream.set_linger(0));
                    std::array<std::byte, 64> buffer{};
                    if (listens && size > get_a.size()) {
                        static_cast<void>(co_await try_(stream.read(buffer)));
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

TEST_F(HttpServer, ends_only_after_what_has_come_though_nobody_looked_at_it) {
    server.get("/a", sends("A"));
    std::string heard;
    run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const Address at = listener.local_address().value();
            // The client has connected and sent its request before the accept, and stop() is called
            // before serve().
            net::Connection early = co_await net::connect(at);
            co_await early.write(bytes_of(get_a));
            co_await sleep(1s);
            server.stop();
            auto serving =
                scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                            std::move(listener));
            heard = co_await read_to_end(early);
            const ShutdownReport report = co_await std::move(serving);
            EXPECT_EQ(report.finished_count, 1U);
        });
    });
    EXPECT_EQ(bodies_of(heard), (std::vector<std::string>{"A"}));
    EXPECT_NE(heard.find("Connection: close"), std::string::npos);
}

// The samples of a metrics text, by name and labels. Checks the format too.
std::map<std::string, double> samples_of(const std::string& text) {
    std::map<std::string, double> samples;
    std::istringstream lines(text);
    std::string kind_of;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# HELP ")) continue;
        if (line.starts_with("# TYPE ")) {
            kind_of = line.substr(7, line.find(' ', 7) - 7);
            const std::string kind = line.substr(8 + kind_of.size());
            EXPECT_TRUE(kind == "gauge" || kind == "counter") << line;
            EXPECT_EQ(kind == "counter", kind_of.ends_with("_total")) << line;
            continue;
        }
        const std::size_t brace = line.find('{');
        const std::size_t space = line.rfind("\"} ");
        if (brace == std::string::npos || space == std::string::npos) {
            ADD_FAILURE() << "no sample: " << line;
            continue;
        }
        EXPECT_EQ(line.substr(0, brace), kind_of) << "its kind stands before it";
        std::size_t used = 0;
        const std::string number = line.substr(space + 3);
        const double value = std::stod(number, &used);
        EXPECT_EQ(used, number.size()) << line;
        EXPECT_TRUE(samples.emplace(line.substr(0, space + 2), value).second) << line;
    }
    EXPECT_TRUE(text.ends_with('\n'));
    return samples;
}

TEST_F(HttpServer, tells_prometheus_of_its_loop_its_tasks_and_its_requests) {
    server.get("/a", sends("A"));
    server.get("/bad", [](Request&, Response&) -> Future<void> {
        throw std::runtime_error("no");
        co_return;
    });
    server.get("/metrics", metrics_of(server));
    const std::string answer = exchange(get_a + "GET /bad HTTP/1.1\r\nHost: x\r\n\r\n" +
                                        "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(answer.find("Content-Type: text/plain; version=0.0.4\r\n"), std::string::npos);
    const auto bodies = bodies_of(answer);
    ASSERT_EQ(bodies.size(), 3U);
    auto samples = samples_of(bodies[2]);
    const auto of_loop = [&](const std::string& name) {
        const auto found = samples.find("gyre_" + name + "{loop=\"1\"}");
        return found == samples.end() ? -1.0 : found->second;
    };
    EXPECT_EQ(of_loop("http_requests_total"), 3);
    EXPECT_EQ(of_loop("http_connections_total"), 1);
    EXPECT_EQ(of_loop("http_connections_open"), 1);
    EXPECT_EQ(of_loop("http_failed_total"), 1);
    EXPECT_EQ(of_loop("http_refused_total"), 0);
    EXPECT_EQ(of_loop("http_timed_out_total"), 0);
    EXPECT_GE(of_loop("tasks"), 3) << "who accepts, who looks at times, who serves";
    EXPECT_GE(of_loop("tasks_started_total"), of_loop("tasks"));
    EXPECT_GT(of_loop("loop_turns_total"), 0);
    EXPECT_GT(of_loop("loop_sleeps_total"), 0);
    EXPECT_LE(of_loop("loop_sleeps_total"), of_loop("loop_turns_total"));
    EXPECT_EQ(of_loop("loop_idle_seconds_total"), 0) << "nobody measures it here";
    EXPECT_GT(of_loop("loop_ops_total"), of_loop("loop_ops_in_flight"));
    EXPECT_GT(of_loop("loop_ops_in_flight"), 0);
    EXPECT_GT(of_loop("loop_timers"), 0);
    EXPECT_EQ(samples.size(), 17U);
}

TEST(HttpMetrics, of_several_loops_and_of_the_pools_have_a_row_each) {
    const pool::Pools pools;
    MetricsBoard board(&pools);
    LoopReading reading;
    reading.idle_time = 1500ms;
    reading.server.requests = 7;
    board.put("1", reading);
    reading.server.requests = 8;
    board.put("a \"quoted\"\\\nname", reading);
    reading.server.requests = 9;
    board.put("1", reading);
    const auto samples = samples_of(board.text());
    EXPECT_EQ(samples.at("gyre_http_requests_total{loop=\"1\"}"), 9);
    EXPECT_EQ(samples.at("gyre_http_requests_total{loop=\"a \\\"quoted\\\"\\\\\\nname\"}"), 8);
    EXPECT_EQ(samples.at("gyre_loop_idle_seconds_total{loop=\"1\"}"), 1.5);
    for (const char* pool : {"files", "names", "user"}) {
        for (const char* name : {"threads", "queued", "running", "done_total", "withdrawn_total",
                                 "refused_total", "longest_wait_seconds"}) {
            const std::string sample = std::string("gyre_pool_") + name + "{pool=\"" + pool + "\"}";
            EXPECT_TRUE(samples.contains(sample)) << sample;
        }
    }
    EXPECT_EQ(samples.size(), 2U * 17U + 3U * 7U);
}

}  // namespace
}  // namespace gyre::http
