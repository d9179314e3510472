// SPDX-License-Identifier: Apache-2.0
// A server in steady state allocates nothing for a request, from its first byte to the last byte of
// the response: it reuses the buffers, field tables and coroutine frames of the previous request.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "gyre/http/server.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/scope.hpp"
#include "tests/allocation/counting.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::allocation {
namespace {

constexpr int warm_up_rounds = 200;
constexpr int rounds = 1'000;

class HttpMemory : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        if (!has_pools) GTEST_SKIP() << "a sanitizer watches the memory";
    }
};
GYRE_ON_PLATFORMS(HttpMemory, gyre::test::real_platforms);

const std::string request = "GET /users/7 HTTP/1.1\r\nHost: localhost\r\n\r\n";
const std::string answer =
    "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
    "Content-Length: 1\r\n\r\n7";

std::string times(const std::string& text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
}

// The buffer is the caller's: a frame with one in it would be too large for the pool.
Future<void> ask(net::Connection& client, const std::string& requests, const std::string& answers,
                 Bytes buffer) {
    co_await client.write(bytes_of(requests));
    for (std::size_t size = 0; size < answers.size();) {
        const std::size_t came = co_await client.read(buffer.subspan(size));
        if (came == 0) throw std::runtime_error("the server has ended the connection");
        size += came;
    }
    EXPECT_EQ(text_of(buffer.first(answers.size())), answers);
}

// What `rounds` of so many requests at once cost after the warm-up, both sides counted.
std::uint64_t allocations_of(const char* platform_name, int depth) {
    platform::SystemClock clock;
    auto platform = platform::make_platform(clock, platform_name);
    if (!platform) return 0;
    http::Server server({.wall_time = [] { return http::UnixSeconds{784111777}; }});
    server.get("/users/:id", [](http::Request& asked, http::Response& response) -> Future<void> {
        response.type("text/plain").send(asked.param("id"));
        co_return;
    });
    const std::string requests = times(request, depth);
    const std::string answers = times(answer, depth);
    std::array<std::byte, 4096> buffer{};
    std::uint64_t count = 1;
    Executor executor;
    Loop loop(**platform, executor);
    executor.root().spawn([&]() -> Future<void> {
        net::Listener listener = co_await net::listen(Address::loopback());
        const Address at = listener.local_address().value();
        auto serving = executor.root().spawn(
            [&server](net::Listener given) { return server.serve(std::move(given)); },
            std::move(listener));
        net::Connection client = co_await net::connect(at);
        for (int i = 0; i < warm_up_rounds; ++i) co_await ask(client, requests, answers, buffer);
        const Since since;
        for (int i = 0; i < rounds; ++i) co_await ask(client, requests, answers, buffer);
        count = since.count();
        co_await client.aclose();
        server.stop();
        co_await std::move(serving);
    });
    (void)loop.run();
    loop.close();
    return count;
}

TEST_P(HttpMemory, of_requests_one_by_one_is_reused) {
    EXPECT_EQ(allocations_of(GetParam(), 1), 0u);
}

TEST_P(HttpMemory, of_requests_that_come_together_is_reused) {
    EXPECT_EQ(allocations_of(GetParam(), 16), 0u);
}

}  // namespace
}  // namespace gyre::allocation
