// SPDX-License-Identifier: Apache-2.0
// bench_apps_gyre: three small applications in one server, for bench/apps/apps.py. One loop. Runs until
// it is killed.
//
//     bench_apps_gyre PORT UPSTREAM_PORT
//
//     GET /users/:id/posts/:post   a text with both names, behind a middleware that counts
//     POST /orders                 a JSON order in, its sum as JSON out
//     GET /proxy/*path             what the server at UPSTREAM_PORT answers for this path
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "gyre/app/run.hpp"
#include "gyre/bridge/http_json/json.hpp"
#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"

namespace {

using namespace gyre;
using http::Json;
using http::Request;
using http::Response;

struct Apps {
    explicit Apps(const std::string& upstream_port)
        : upstream("http://127.0.0.1:" + upstream_port + "/"),
          client({.connections_per_host_max = 64, .kept_per_host_max = 64}) {}

    Future<void> order(Request& request, Response& response) {
        const Json order = co_await http::read_json(request);
        double total = 0;
        int count = 0;
        for (const Json& item : order.at("items")) {
            total += item.at("price").get<double>() * item.at("count").get<int>();
            count += item.at("count").get<int>();
        }
        http::send_json(response,
                        {{"customer", order.at("customer")}, {"count", count}, {"total", total}});
    }
    Future<void> proxy(Request& request, Response& response) {
        const http::ClientResponse answer =
            co_await client.fetch(upstream + std::string(request.param("path")));
        response.status(answer.status).type(answer.field("content-type"));
        response.send(answer.body);
    }

    std::string upstream;
    http::Client client;
    std::uint64_t request_count = 0;
};

Future<void> serve(std::uint16_t port, const std::string& upstream_port) {
    Apps apps(upstream_port);
    http::Server server;
    server.use(
        [&apps](Request&, Response&, http::Next next) { return ++apps.request_count, next(); });
    server.get("/users/:id/posts/:post", [](Request& request, Response& response) -> Future<void> {
        std::string text = "user ";
        text.append(request.param("id")).append(" post ").append(request.param("post"));
        response.type("text/plain").send(std::move(text));
        co_return;
    });
    server.post("/orders", [&apps](Request& q, Response& r) { return apps.order(q, r); });
    server.get("/proxy/*path", [&apps](Request& q, Response& r) { return apps.proxy(q, r); });
    net::Listener listener = co_await net::listen(Address::loopback(port), {.backlog = 4096});
    static_cast<void>(co_await server.serve(std::move(listener)));
}

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count != 3) {
        std::fprintf(stderr, "usage: %s PORT UPSTREAM_PORT\n", arguments[0]);
        return 2;
    }
    const auto port = static_cast<std::uint16_t>(std::atoi(arguments[1]));
    const std::string upstream_port = arguments[2];
    return gyre::run([&] { return serve(port, upstream_port); });
}
