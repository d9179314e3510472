// SPDX-License-Identifier: Apache-2.0
// Stopping while clients connect, on each platform: a client is refused, or its request is answered;
// no request is lost.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gyre/http/server.hpp"
#include "gyre/http/server_world.test.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

class HttpStopOn : public net::NetWorld {
protected:
    struct Tally {
        int answered_count = 0;
        int refused_count = 0;
        int lost_count = 0;
    };
    // Connects, waits, sends a request and reads the answer.
    Future<void> call(Address at, Duration before_request) {
        auto connected = co_await try_(net::connect(at));
        if (!connected) {
            ++tally.refused_count;
            co_return;
        }
        net::Connection stream = std::move(*connected);
        if (before_request > Duration(0)) co_await sleep(before_request);
        static_cast<void>(co_await try_(stream.write(bytes_of(get_a))));
        const std::string text = co_await read_to_end(stream);
        ++(body_of(text) == "A" ? tally.answered_count : tally.lost_count);
    }
    // Starts `count` clients, stops the server after `stop_after` of them were answered.
    void expect_no_request_lost(int count, int stop_after, Duration before_request) {
        Server server;
        int served_count = 0;
        server.get("/a", [&](Request&, Response& response) -> Future<void> {
            if (++served_count == stop_after) server.stop();
            response.send("A");
            co_return;
        });
        run([&]() -> Future<void> {
            auto body = [&](Scope& scope) -> Future<void> {
                net::Listener listener = co_await net::listen(Address::loopback());
                const Address at = listener.local_address().value();
                scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                            std::move(listener));
                for (int i = 0; i < count; ++i) {
                    scope.spawn([&, at] { return call(at, before_request); });
                    if (i % 8 == 0) co_await sleep(100us);
                }
            };
            co_await with_scope(std::move(body));
        });
        EXPECT_EQ(tally.lost_count, 0)
            << tally.answered_count << " answered, " << tally.refused_count << " refused";
        EXPECT_GE(tally.answered_count, stop_after);
        EXPECT_EQ(tally.answered_count + tally.refused_count + tally.lost_count, count);
    }

    Tally tally;
};
GYRE_ON_PLATFORMS(HttpStopOn, test::every_platform);

TEST_P(HttpStopOn, this_platform_loses_no_request_of_clients_that_connect_meanwhile) {
    expect_no_request_lost(500, 100, 0ms);
}

TEST_P(HttpStopOn, this_platform_a_connection_that_is_open_may_send_its_first_request) {
    expect_no_request_lost(100, 1, 20ms);
}

TEST_P(HttpStopOn, this_platform_end_listening_lets_no_further_connection_complete) {
    run([&]() -> Future<void> {
        net::Listener listener = co_await net::listen(Address::loopback());
        const Address at = listener.local_address().value();
        net::Connection early = co_await net::connect(at);
        EXPECT_TRUE(listener.end_listening());
        auto body = [&](Scope& scope) -> Future<void> {
            auto late = scope.spawn([at]() -> Future<Result<net::Connection>> {
                co_return co_await try_(net::connect(at));
            });
            // The backlog can still be accepted, and what it sent is read.
            net::Connection accepted = co_await listener.accept();
            co_await early.write(bytes_of("hello"));
            std::array<std::byte, 5> buffer{};
            EXPECT_EQ(co_await accepted.read(buffer), 5U);
            const auto another = co_await try_(timeout(listener.accept(), 20ms));
            EXPECT_FALSE(another) << "a connection completed after end_listening";
            listener.close();
            const Result<net::Connection> end = co_await std::move(late);
            EXPECT_FALSE(end);
            if (!end) EXPECT_EQ(end.error(), Error(std::errc::connection_refused));
        };
        co_await with_scope(std::move(body));
    });
}

TEST_P(HttpStopOn, this_platform_end_listening_is_not_supported_by_unix_sockets) {
    const Address at = unix_address("stop");
    run([&]() -> Future<void> {
        net::Listener listener = co_await net::listen(at);
        const Result<void> ended = listener.end_listening();
        EXPECT_FALSE(ended);
        if (!ended) EXPECT_EQ(ended.error(), Error(std::errc::operation_not_supported));
    });
}

}  // namespace
}  // namespace gyre::http
