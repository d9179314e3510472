// SPDX-License-Identifier: Apache-2.0
// An HTTP server with three kinds of responses: a user by number, the orders, and not found. The
// handlers await a database; a client in the same program requests each.
//
//     $ build/release/bin/examples/38_users_api
//     GET /users/7 -> 200 {"id":7,"name":"user 7"}
//     GET /users/abc -> 400 a user has a number
//     GET /orders -> 200 ["apples","pears"]
//     GET /nowhere -> 404 Not Found

// [head]
#include <charconv>
#include <cstdio>
#include <string>

#include <gyre/gyre.hpp>
#include <gyre/http/client.hpp>
#include <gyre/http/server.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

Future<std::string> find_user(int id) {
    co_await sleep(1ms);  // the database
    co_return R"({"id":)" + std::to_string(id) + R"(,"name":"user )" + std::to_string(id) + "\"}";
}

Future<std::string> find_orders() {
    co_await sleep(1ms);
    co_return R"(["apples","pears"])";
}

// [routes]
void add_routes(http::Server& server) {
    server.get("/users/:id", [](http::Request& request, http::Response& response) -> Future<void> {
        const std::string_view text = request.param("id");
        int id = 0;
        const char* const end = text.data() + text.size();
        if (std::from_chars(text.data(), end, id).ptr != end) {
            response.status(400).send("a user has a number");
            co_return;
        }
        response.type("application/json").send(co_await find_user(id));
    });
    server.get("/orders", [](http::Request&, http::Response& response) -> Future<void> {
        response.type("application/json").send(co_await find_orders());
    });
    server.not_found([](http::Request&, http::Response& response) -> Future<void> {
        response.send("Not Found");
        co_return;
    });
}
// [/routes]

Future<void> app(Scope& root) {
    http::Server server;
    add_routes(server);
    net::Listener listener = co_await net::listen(Address::loopback());
    const std::string base = "http://" + listener.local_address().value().to_string();
    auto serving = root.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                              std::move(listener));
    http::Client client;
    for (const char* path : {"/users/7", "/users/abc", "/orders", "/nowhere"}) {
        http::ClientRequest request(base + path);
        const http::ClientResponse answer = co_await client.fetch(std::move(request));
        std::printf("GET %s -> %d %s\n", path, answer.status, answer.body.c_str());
    }
    server.stop();
    co_await std::move(serving);
}

int main() {
    return gyre::run(app);
}
