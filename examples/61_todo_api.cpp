// SPDX-License-Identifier: Apache-2.0
// A JSON API over HTTP for a list of things to do, kept in a database: SQLite, or PostgreSQL when it is given the URL of
// one, such as postgres:///todo?host=/run/postgresql. Nothing else changes. A client in the same program uses it.
//
//     $ build/release/bin/examples/61_todo_api
//     POST /todos -> 201 {"done":false,"id":1,"text":"buy milk"}
//     POST /todos -> 201 {"done":false,"id":2,"text":"'); drop table todos; --"}
//     POST /todos -> 409 {"error":"this is on the list already"}
//     PUT /todos/1 -> 200 {"done":true,"id":1,"text":"buy milk"}
//     PUT /todos/7 -> 404 {"error":"there is no such thing to do"}
//     GET /todos?open=1 -> 200 [{"done":false,"id":2,"text":"'); drop table todos; --"}]
//     POST /todos/clear -> 200 {"removed":1}
//     GET /todos -> 200 [{"done":false,"id":2,"text":"'); drop table todos; --"}]

#include <cstdio>
#include <string>

#include <gyre/db/pool.hpp>
#include <gyre/http/client.hpp>
#include "examples/todo_api/todos.hpp"

using namespace todo_api;

Future<void> ask(http::Client& client, std::string method, std::string url, std::string body = "") {
    const std::string path = url.substr(url.find("/todos"));
    http::ClientRequest request(method, url, body);
    const http::ClientResponse answer = co_await client.fetch(std::move(request));
    std::printf("%s %s -> %d %s\n", method.c_str(), path.c_str(), answer.status,
                answer.body.c_str());
}

std::string url = "sqlite::memory:";

Future<void> app(Scope& root) {
    db::Pool database(url);
    co_await db::migrate(database, schema());
    Todos todos(database);
    http::Server server;
    server.use(http::json_errors);
    server.post("/todos", [&](auto& q, auto& r) { return todos.add(q, r); });
    server.get("/todos", [&](auto& q, auto& r) { return todos.list(q, r); });
    server.route(http::Method::put, "/todos/:id",
                 [&](auto& q, auto& r) { return todos.finish(q, r); });
    server.post("/todos/clear", [&](auto& q, auto& r) { return todos.clear(q, r); });
    net::Listener listener = co_await net::listen(Address::loopback());
    const std::string base = "http://" + listener.local_address().value().to_string() + "/todos";
    auto serving = root.spawn([&](net::Listener l) { return server.serve(std::move(l)); },
                              std::move(listener));
    http::Client client;
    co_await ask(client, "POST", base, R"({"text":"buy milk"})");
    co_await ask(client, "POST", base, R"({"text":"'); drop table todos; --"})");
    co_await ask(client, "POST", base, R"({"text":"buy milk"})");
    co_await ask(client, "PUT", base + "/1");
    co_await ask(client, "PUT", base + "/7");
    co_await ask(client, "GET", base + "?open=1");
    co_await ask(client, "POST", base + "/clear");
    co_await ask(client, "GET", base);
    server.stop();
    co_await std::move(serving);
}

int main(int argc, char** argv) {
    if (argc > 1) url = argv[1];
    return gyre::run(app);
}
