// SPDX-License-Identifier: Apache-2.0
// An HTTPS server and client on each platform.
#include "gyre/bridge/https/https.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gyre/net/net_world.test.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/tls/certificates.test.hpp"
#include "gyre/tls/context.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::tls {
namespace {

using namespace std::chrono_literals;

class HttpsOn : public net::NetWorld {
protected:
    static Authority& authority() {
        static Authority one;
        return one;
    }
    static ClientOptions trusting() { return {.authorities = authority().pem()}; }
    // Serves while this runs with the server's address, "https://localhost:1234", then stops it.
    template <class F>
    http::ShutdownReport serve_for(http::Server& server, F body) {
        encrypt(server, context_);
        return run([&]() -> Future<http::ShutdownReport> {
            auto both = [&](Scope& scope) -> Future<http::ShutdownReport> {
                net::Listener listener = co_await net::listen(Address::loopback());
                const Address at = listener.local_address().value();
                auto serving =
                    scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                                std::move(listener));
                co_await body(at);
                server.stop();
                co_return co_await std::move(serving);
            };
            co_return co_await with_scope(std::move(both));
        });
    }
    static std::string url_of(const Address& at) {
        return "https://localhost:" + std::to_string(at.port()) + "/";
    }

    Context context_{
        ServerOptions{.certificates = {authority().issue("server", {.names = "DNS:localhost"})},
                      .protocols = {"http/1.1"}}};
};
GYRE_ON_PLATFORMS(HttpsOn, gyre::test::every_platform);

Future<void> echo(http::Request& request, http::Response& response) {
    response.send(co_await request.text());
}

TEST_P(HttpsOn, this_platform_requests_are_answered_over_one_connection) {
    http::Server server;
    server.post("/", &echo);
    const std::string large(1'000'000, 'x');
    const auto report = serve_for(server, [&](Address at) -> Future<void> {
        http::Client client({}, https_connector(trusting()));
        for (int i = 0; i < 3; ++i) {
            http::ClientRequest request("POST", url_of(at), large);
            const http::ClientResponse answer = co_await client.fetch(std::move(request));
            EXPECT_EQ(answer.status, 200);
            EXPECT_TRUE(answer.body == large);
            EXPECT_LE(answer.timing.connected, answer.timing.secured);
            EXPECT_LE(answer.timing.secured, answer.timing.first_byte);
        }
    });
    EXPECT_TRUE(report.cut.empty());
    EXPECT_EQ(server.counts().connections, 1U);
}

TEST_P(HttpsOn, this_platform_a_server_that_cannot_prove_its_name_is_not_told_the_request) {
    http::Server server;
    server.post("/", &echo);
    serve_for(server, [&](Address at) -> Future<void> {
        http::Client client({}, https_connector());
        http::ClientRequest request("POST", url_of(at), "secret");
        try {
            static_cast<void>(co_await client.fetch(std::move(request)));
            ADD_FAILURE() << "an unknown authority was trusted";
        } catch (const TlsError& error) {
            EXPECT_EQ(error.kind(), TlsError::Kind::certificate);
        }
    });
    EXPECT_EQ(server.counts().requests, 0U);
}

TEST_P(HttpsOn, this_platform_a_client_that_shakes_no_hands_holds_up_neither_others_nor_the_end) {
    http::Server server;
    server.post("/", &echo);
    net::Connection silent;
    const auto report = serve_for(server, [&](Address at) -> Future<void> {
        silent = co_await net::connect(at);
        http::Client client({}, https_connector(trusting()));
        http::ClientRequest request("POST", url_of(at), "hello");
        const http::ClientResponse answer = co_await client.fetch(std::move(request));
        EXPECT_EQ(answer.body, "hello");
    });
    EXPECT_TRUE(report.cut.empty());
    silent = net::Connection();
}

TEST_P(HttpsOn, this_platform_a_handshake_has_its_time) {
    http::Server server({.timeouts = {.handshake = 5ms}});
    server.post("/", &echo);
    serve_for(server, [&](Address at) -> Future<void> {
        const net::Connection silent = co_await net::connect(at);
        std::array<std::byte, 1> buffer{};
        const std::size_t size = co_await silent.read(buffer);
        EXPECT_EQ(size, 0U);
    });
    EXPECT_EQ(server.counts().refused, 1U);
}

}  // namespace
}  // namespace gyre::tls
