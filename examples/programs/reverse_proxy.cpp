// SPDX-License-Identifier: Apache-2.0
// A reverse proxy: a server that forwards each request to the less busy of two others, and streams
// the response piece by piece, without buffering more than one piece.
//
//     $ reverse_proxy
//     /quick came from two, 1 bytes
//     /slow came from one, 1 bytes
//     /large came from one, 1000000 bytes

#include <algorithm>
#include <cstdio>

#include <gyre/gyre.hpp>
#include <gyre/http/client.hpp>
#include <gyre/http/server.hpp>

using namespace gyre;

struct Backend {
    std::string base;
    int in_flight_count = 0;
};

Future<void> pass_on(http::Client& client, std::vector<Backend>& all, http::Request& from,
                     http::Response& to) {
    Backend& backend = *std::ranges::min_element(all, {}, &Backend::in_flight_count);
    ++backend.in_flight_count;
    http::ClientRequest onward(backend.base + std::string(from.target()));
    http::Incoming incoming = co_await client.open(std::move(onward));
    to.status(incoming.status()).field("X-From", incoming.field("x-from"));
    for (;;) {
        const std::string_view piece = co_await incoming.read();
        if (piece.empty()) break;
        co_await to.write(piece);
    }
    --backend.in_flight_count;
}

Future<std::string> serve(Scope& scope, http::Server& server) {
    net::Listener listener = co_await net::listen(Address::loopback());
    const std::string base = "http://" + listener.local_address().value().to_string();
    scope.spawn([to = &server](net::Listener given) { return to->serve(std::move(given)); },
                std::move(listener));
    co_return base;
}

Future<void> ask(http::Client* client, std::string base, std::string path) {
    http::ClientRequest request(base + path);
    const http::ClientResponse answer = co_await client->fetch(std::move(request));
    std::printf("%s came from %s, %zu bytes\n", path.c_str(),
                std::string(answer.field("x-from")).c_str(), answer.body.size());
}

Future<void> show(Scope& scope, http::Server* servers, http::Client* client) {
    std::vector<Backend> backends(2);
    std::string base;
    for (std::size_t i = 0; i < backends.size(); ++i) {
        servers[i].get("/*path", [&, i](auto& request, auto& response) -> Future<void> {
            // Slow, because it waits for what the other one answers.
            if (request.path() == "/slow") co_await ask(client, base, "/quick");
            response.field("X-From", i == 0 ? "one" : "two");
            response.send(std::string(request.path() == "/large" ? 1'000'000 : 1, 'x'));
        });
        backends[i].base = co_await serve(scope, servers[i]);
    }
    servers[2].get("/*path", [&](auto& q, auto& r) { return pass_on(*client, backends, q, r); });
    base = co_await serve(scope, servers[2]);
    co_await ask(client, base, "/slow");
    co_await ask(client, base, "/large");
    for (int i = 0; i < 3; ++i) servers[i].stop();
}

Future<void> app() {
    http::Server servers[3];
    http::Client client;
    co_await with_scope([&](Scope& scope) { return show(scope, servers, &client); });
}

int main() {
    return gyre::run(app);
}
