// SPDX-License-Identifier: Apache-2.0
// The memory budget of a server: what exceeds it is answered with 503 and counted, and what it
// charged for goes back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gyre/http/server.hpp"
#include "gyre/http/server_world.test.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kilobyte = 1024;

struct HttpServerMemory : ServerWorld {
    void limit_to(std::size_t bytes) { make_server({.memory_bytes_max = bytes}); }
};

TEST_F(HttpServerMemory, is_half_of_the_process_by_default) {
    server.get("/a", sends("A"));
    static_cast<void>(exchange(get_a));
    EXPECT_EQ(server.options().memory_bytes_max, sim::SimOptions().memory_bytes / 2);
}

TEST_F(HttpServerMemory, that_slow_heads_hold_turns_further_connections_away) {
    limit_to(200 * kilobyte);
    server.get("/a", sends("A"));
    std::string refused;
    with_server([&](Address at) -> Future<void> {
        std::vector<net::Connection> slow;
        while (server.counts().over_memory == 0 && slow.size() < 500) {
            slow.push_back(co_await net::connect(at));
            co_await slow.back().write(bytes_of("GET /a HTTP/1.1\r\n"));
            co_await sleep(1ms);
            EXPECT_LE(server.counts().memory_bytes, 200 * kilobyte);
        }
        EXPECT_GT(slow.size(), 10U) << "the budget holds some connections";
        EXPECT_LT(slow.size(), 60U) << "a connection is charged for at least 4 KB";
        refused = co_await talk(at, get_a);
        slow.clear();
        co_await sleep(1ms);
        const std::string after = co_await talk(at, get_a);
        EXPECT_EQ(body_of(after), "A") << "the memory of closed connections goes back";
    });
    EXPECT_EQ(status_of_answer(refused), 503);
    EXPECT_NE(refused.find("memory_over_limit"), std::string::npos) << refused;
    EXPECT_GE(server.counts().over_memory, 2U);
    EXPECT_EQ(server.counts().memory_bytes, 0U);
}

TEST_F(HttpServerMemory, of_a_large_head_is_charged_for_as_it_grows) {
    limit_to(12 * kilobyte);
    server.get("/a", sends("A"));
    std::string head = "GET /a HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 5; ++i)
        head += "X-" + std::to_string(i) + ": " + std::string(4000, 'x') + "\r\n";
    head += "\r\n";
    EXPECT_EQ(status_of_answer(exchange(head)), 503);
    EXPECT_EQ(server.counts().over_memory, 1U);
    EXPECT_EQ(body_of(exchange(get_a)), "A");
    EXPECT_EQ(server.counts().memory_bytes, 0U);
}

TEST_F(HttpServerMemory, of_a_body_read_as_a_whole_is_charged_for_as_it_grows) {
    limit_to(256 * kilobyte);
    server.post("/", [](Request& request, Response& response) -> Future<void> {
        response.send(std::to_string((co_await request.text()).size()));
    });
    const auto post = [](std::size_t size) {
        return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) +
               "\r\n\r\n" + std::string(size, 'x');
    };
    EXPECT_EQ(status_of_answer(exchange(post(1024 * kilobyte))), 503);
    EXPECT_EQ(server.counts().over_memory, 1U);
    EXPECT_EQ(server.counts().failed, 0U) << "it is no fault of the handler";
    const std::string in_time = exchange(post(100 * kilobyte) + post(100 * kilobyte));
    EXPECT_EQ(bodies_of(in_time), (std::vector<std::string>{"102400", "102400"}));
    EXPECT_EQ(server.counts().memory_bytes, 0U);
}

TEST_F(HttpServerMemory, of_responses_that_slow_clients_do_not_read_is_bounded) {
    limit_to(1024 * kilobyte);
    server.get("/a", sends(std::string(200 * kilobyte, 'x')));
    with_server([&](Address at) -> Future<void> {
        std::vector<net::Connection> slow;
        for (int i = 0; i < 20; ++i) {
            slow.push_back(co_await net::connect(at));
            co_await slow.back().write(bytes_of(get_a));
            co_await sleep(1ms);
            EXPECT_LE(server.counts().memory_bytes, 1024 * kilobyte);
        }
        const std::string refused = co_await read_to_end(slow.back());
        EXPECT_EQ(status_of_answer(refused), 503);
        slow.clear();
        co_await sleep(1ms);
        const std::string after = co_await talk(at, get_a);
        EXPECT_EQ(body_of(after).size(), 200 * kilobyte);
    });
    EXPECT_GT(server.counts().over_memory, 10U);
    EXPECT_EQ(server.counts().memory_bytes, 0U);
}

TEST_F(HttpServerMemory, of_a_connection_that_is_wrapped_is_charged_for) {
    limit_to(100 * kilobyte);
    server.get("/a", sends("A"));
    server.over([](net::Connection below) -> Future<std::unique_ptr<net::ByteStream>> {
        co_await sleep(5s);
        co_return std::make_unique<net::Connection>(std::move(below));
    });
    with_server([&](Address at) -> Future<void> {
        std::vector<net::Connection> silent;
        for (int i = 0; i < 20; ++i) silent.push_back(co_await net::connect(at));
        co_await sleep(1s);
        EXPECT_EQ(server.counts().over_memory, 15U);
        silent.clear();
        co_await sleep(10s);
        EXPECT_EQ(server.counts().memory_bytes, 0U);
    });
}

}  // namespace
}  // namespace gyre::http
