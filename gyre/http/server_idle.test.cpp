// SPDX-License-Identifier: Apache-2.0
// Connections that wait for a request: they are parked without a task after a while, and nothing else
// about them changes: no request is lost, times and limits hold, a stop ends them.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "gyre/http/server.hpp"
#include "gyre/http/server_world.test.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t parked_bytes_max = 600;

Future<std::string> read_once(net::Connection& stream) {
    std::array<std::byte, 4096> buffer{};
    const std::size_t size = co_await stream.read(buffer);
    co_return std::string(text_of(ConstBytes(buffer).first(size)));
}
Future<std::string> ask(net::Connection& stream) {
    co_await stream.write(bytes_of(get_a));
    co_return co_await read_once(stream);
}

struct HttpIdle : ServerWorld {
    [[nodiscard]] std::size_t parked_count() const { return server.counts().parked_connections; }
};

TEST_F(HttpIdle, connection_is_parked_after_a_step_and_serves_its_next_request) {
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection stream = co_await net::connect(at);
        for (int i = 0; i < 3; ++i) {
            const std::string answer = co_await ask(stream);
            EXPECT_EQ(body_of(answer), "A");
            EXPECT_EQ(parked_count(), 0U);
            co_await sleep(1s);
            EXPECT_EQ(parked_count(), 1U);
            EXPECT_LT(server.counts().memory_bytes, parked_bytes_max);
        }
        EXPECT_EQ(server.counts().connections, 1U);
        EXPECT_EQ(server.counts().open_connections, 1U);
    });
    EXPECT_EQ(server.counts().requests, 3U);
    EXPECT_EQ(server.counts().open_connections, 0U);
    EXPECT_EQ(server.counts().memory_bytes, 0U);
    EXPECT_EQ(parked_count(), 0U);
}

TEST_F(HttpIdle, connection_that_has_sent_nothing_is_parked_too) {
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection stream = co_await net::connect(at);
        co_await sleep(1s);
        EXPECT_EQ(parked_count(), 1U);
        const std::string answer = co_await ask(stream);
        EXPECT_EQ(body_of(answer), "A");
    });
}

TEST_F(HttpIdle, connection_with_half_a_head_is_not_parked) {
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection stream = co_await net::connect(at);
        co_await stream.write(bytes_of(get_a.substr(0, 10)));
        co_await sleep(1s);
        EXPECT_EQ(parked_count(), 0U);
        co_await stream.write(bytes_of(get_a.substr(10)));
        const std::string answer = co_await read_once(stream);
        EXPECT_EQ(body_of(answer), "A");
    });
}

TEST_F(HttpIdle, connection_that_is_used_often_keeps_its_task) {
    std::size_t parked_count_max = 0;
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection stream = co_await net::connect(at);
        for (int i = 0; i < 50; ++i) {
            const std::string answer = co_await ask(stream);
            EXPECT_EQ(body_of(answer), "A");
            co_await sleep(60ms);
            parked_count_max = std::max(parked_count_max, parked_count());
        }
    });
    EXPECT_EQ(parked_count_max, 0U);
}

// Around the second check, before which it has not been idle for a step, in steps shorter than the
// way of a byte.
TEST_F(HttpIdle, request_that_comes_while_its_connection_is_parked_is_answered) {
    server.get("/a", sends("A"));
    bool was_parked = false;
    bool was_ready = false;
    for (Duration delay = 199'500us; delay < 200'500us; delay += 5us) {
        with_server([&](Address at) -> Future<void> {
            net::Connection stream = co_await net::connect(at);
            static_cast<void>(co_await ask(stream));
            co_await sleep(delay);
            (parked_count() > 0 ? was_parked : was_ready) = true;
            const std::string answer = co_await ask(stream);
            EXPECT_EQ(body_of(answer), "A") << delay.count();
        });
    }
    EXPECT_TRUE(was_parked);
    EXPECT_TRUE(was_ready);
}

TEST_F(HttpIdle, time_goes_on_while_a_connection_is_parked) {
    make_server({.timeouts = {.idle = 5s}});
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection stream = co_await net::connect(at);
        static_cast<void>(co_await ask(stream));
        co_await sleep(4s);
        EXPECT_EQ(parked_count(), 1U);
        co_await sleep(1200ms);
        EXPECT_EQ(server.counts().open_connections, 0U);
        EXPECT_EQ(server.counts().timed_out, 1U);
        const std::string rest = co_await read_to_end(stream);
        EXPECT_EQ(rest, "");
    });
}

TEST_F(HttpIdle, parked_connections_end_in_the_order_of_their_times) {
    make_server({.timeouts = {.idle = 5s}});
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection first = co_await net::connect(at);
        static_cast<void>(co_await ask(first));
        co_await sleep(2s);
        net::Connection second = co_await net::connect(at);
        static_cast<void>(co_await ask(second));
        co_await sleep(1s);
        static_cast<void>(co_await ask(first));
        co_await sleep(4500ms);
        EXPECT_EQ(server.counts().open_connections, 1U) << "the second has ended";
        const std::string answer = co_await ask(first);
        EXPECT_EQ(body_of(answer), "A");
    });
}

TEST_F(HttpIdle, parked_connection_whose_client_goes_is_closed) {
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        {
            net::Connection stream = co_await net::connect(at);
            static_cast<void>(co_await ask(stream));
            co_await sleep(1s);
            EXPECT_EQ(parked_count(), 1U);
        }
        co_await sleep(10ms);
        EXPECT_EQ(server.counts().open_connections, 0U);
    });
    EXPECT_EQ(server.counts().timed_out, 0U);
}

TEST_F(HttpIdle, stop_ends_parked_connections) {
    server.get("/a", sends("A"));
    std::string heard = "?";
    const ShutdownReport report = with_server([&](Address at) -> Future<void> {
        net::Connection stream = co_await net::connect(at);
        static_cast<void>(co_await ask(stream));
        co_await sleep(1s);
        EXPECT_EQ(parked_count(), 1U);
        server.stop();
        heard = co_await read_to_end(stream);
    });
    EXPECT_EQ(heard, "");
    EXPECT_EQ(report.finished_count, 1U);
    EXPECT_TRUE(report.cut.empty());
}

TEST_F(HttpIdle, requests_are_counted_over_the_times_that_a_connection_is_parked) {
    make_server({.request_count_max = 3});
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection stream = co_await net::connect(at);
        for (int i = 1; i <= 3; ++i) {
            const std::string answer = co_await ask(stream);
            EXPECT_EQ(answer.find("Connection: close") != std::string::npos, i == 3) << i;
            co_await sleep(1s);
        }
    });
}

TEST_F(HttpIdle, parked_connections_count_as_open) {
    make_server({.connection_count_max = 2});
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection first = co_await net::connect(at);
        net::Connection second = co_await net::connect(at);
        co_await sleep(1s);
        EXPECT_EQ(parked_count(), 2U);
        const std::string refused = co_await talk(at, get_a);
        EXPECT_EQ(status_of_answer(refused), 503);
        const std::string answer = co_await ask(second);
        EXPECT_EQ(body_of(answer), "A") << "it has its place already";
    });
}

TEST_F(HttpIdle, parked_connection_without_memory_for_its_request_gets_a_503) {
    make_server({.memory_bytes_max = std::size_t{6} << 10U});
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        net::Connection parked = co_await net::connect(at);
        co_await sleep(1s);
        EXPECT_EQ(parked_count(), 1U);
        net::Connection busy = co_await net::connect(at);
        co_await busy.write(bytes_of(get_a.substr(0, 10)));
        co_await sleep(10ms);
        const std::string refused = co_await ask(parked);
        EXPECT_EQ(status_of_answer(refused), 503);
        EXPECT_NE(refused.find("memory_over_limit"), std::string::npos) << refused;
    });
    EXPECT_EQ(server.counts().memory_bytes, 0U);
    EXPECT_EQ(server.counts().open_connections, 0U);
}

// The check of times comes never; what remains is the bound for the connections that keep their tasks.
TEST_F(HttpIdle, connections_keep_their_tasks_up_to_a_number) {
    make_server({.timeouts = {.step = 1h}});
    server.get("/a", sends("A"));
    with_server([&](Address at) -> Future<void> {
        std::vector<net::Connection> streams;
        for (int i = 0; i < 400; ++i) {
            streams.push_back(co_await net::connect(at));
            static_cast<void>(co_await ask(streams.back()));
            co_await sleep(100us);
            if (i == 255) {
                EXPECT_EQ(parked_count(), 0U);
            }
        }
        EXPECT_GE(parked_count(), 140U);
        EXPECT_LE(parked_count(), 145U);
        for (net::Connection& stream : streams) {
            const std::string answer = co_await ask(stream);
            EXPECT_EQ(body_of(answer), "A");
        }
        EXPECT_EQ(server.counts().open_connections, 400U);
    });
}

TEST_F(HttpIdle, connection_that_is_busy_for_long_hides_no_idle_one_from_the_bound) {
    make_server({.timeouts = {.step = 1h}});
    server.get("/a", sends("A"));
    server.get("/slow", [](Request&, Response& response) -> Future<void> {
        co_await sleep(5s);
        response.send("late");
    });
    with_server([&](Address at) -> Future<void> {
        net::Connection slow = co_await net::connect(at);
        co_await slow.write(bytes_of("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"));
        std::vector<net::Connection> streams;
        for (int i = 0; i < 400; ++i) {
            streams.push_back(co_await net::connect(at));
            static_cast<void>(co_await ask(streams.back()));
            co_await sleep(100us);
        }
        EXPECT_GE(parked_count(), 140U);
        const std::string answer = co_await read_once(slow);
        EXPECT_EQ(body_of(answer), "late");
    });
}

class HttpIdleOn : public net::NetWorld {};
GYRE_ON_PLATFORMS(HttpIdleOn, gyre::test::every_platform);

TEST_P(HttpIdleOn, this_platform_a_parked_connection_serves_its_next_request) {
    Server server({.timeouts = {.step = 1ms}});
    server.get("/a", sends("A"));
    run([&]() -> Future<void> {
        auto body = [&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const Address at = listener.local_address().value();
            auto serving =
                scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                            std::move(listener));
            net::Connection stream = co_await net::connect(at);
            for (int i = 0; i < 20; ++i) {
                const std::string answer = co_await ask(stream);
                EXPECT_EQ(body_of(answer), "A");
                while (server.counts().parked_connections == 0) co_await sleep(1ms);
            }
            // The stop comes before the request, or after it.
            co_await stream.write(bytes_of(get_a));
            server.stop();
            const std::string rest = co_await read_to_end(stream);
            EXPECT_EQ(server.counts().requests, rest.empty() ? 20U : 21U);
            EXPECT_TRUE(rest.empty() || body_of(rest) == "A") << rest;
            const ShutdownReport report = co_await std::move(serving);
            EXPECT_TRUE(report.cut.empty());
        };
        co_await with_scope(std::move(body));
    });
    EXPECT_EQ(server.counts().connections, 1U);
}

}  // namespace
}  // namespace gyre::http
