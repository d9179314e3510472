// SPDX-License-Identifier: Apache-2.0
// Server and client on each real platform and on the simulation.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "gyre/http/client.hpp"
#include "gyre/http/one_place.test.hpp"
#include "gyre/http/server.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/core/scope.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::http {
namespace {

class HttpOn : public net::NetWorld {};
GYRE_ON_PLATFORMS(HttpOn, gyre::test::every_platform);

TEST_P(HttpOn, this_platform_requests_are_answered) {
    Server server;
    server.post("/echo/:name", [](Request& request, Response& response) -> Future<void> {
        response.field("X-Name", request.param("name"));
        response.send(co_await request.text());
    });
    const std::string large(2'000'000, 'x');
    run([&]() -> Future<void> {
        auto body = [&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const std::string url =
                "http://" + listener.local_address().value().to_string() + "/echo/";
            auto serving =
                scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                            std::move(listener));
            Client client;
            for (int i = 0; i < 3; ++i) {
                const std::string name = std::to_string(i);
                ClientRequest request("POST", url + name, large);
                const ClientResponse answer = co_await client.fetch(std::move(request));
                EXPECT_EQ(answer.status, 200);
                EXPECT_EQ(answer.field("x-name"), name);
                EXPECT_TRUE(answer.body == large);
            }
            server.stop();
            const ShutdownReport report = co_await std::move(serving);
            EXPECT_TRUE(report.cut.empty());
        };
        co_await with_scope(std::move(body));
    });
    EXPECT_EQ(server.counts().connections, 1U);
}

TEST_P(HttpOn, this_platform_unix_sockets_carry_it_too) {
    Server server;
    server.get("/a", [](Request& request, Response& response) -> Future<void> {
        response.send(request.field("host"));
        co_return;
    });
    const Address at = unix_address("http");
    run([&]() -> Future<void> {
        auto body = [&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(at);
            scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                        std::move(listener));
            Client client({}, std::make_unique<OnePlace>(at));
            ClientRequest request("http://anywhere/a");
            const ClientResponse answer = co_await client.fetch(std::move(request));
            EXPECT_EQ(answer.body, "anywhere");
            server.stop();
        };
        co_await with_scope(std::move(body));
    });
}

}  // namespace
}  // namespace gyre::http
