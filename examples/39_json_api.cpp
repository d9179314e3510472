// SPDX-License-Identifier: Apache-2.0
// A JSON API: notes that are created, read and listed, with a middleware that counts requests. A
// client in the same program uses it.
//
//     $ build/release/bin/examples/39_json_api
//     POST /notes -> 201 {"id":1,"text":"buy milk"}
//     POST /notes -> 400 {"error":"this is no JSON"}
//     GET /notes -> 200 [{"id":1,"text":"buy milk"}]
//     GET /notes/2 -> 404 {"error":"there is no such note"}
//     4 requests

#include <cstdio>
#include <map>

#include <gyre/bridge/http_json/json.hpp>
#include <gyre/gyre.hpp>
#include <gyre/http/client.hpp>
#include <gyre/http/server.hpp>

using namespace gyre;
using http::Json;

struct Notes {
    std::map<std::string, Json> by_id;
    int last_id = 0;

    Future<void> add(http::Request& request, http::Response& response) {
        Json note = co_await http::read_json(request);  // responds with 400 if it is invalid
        const int id = ++last_id;
        note["id"] = id;
        by_id[std::to_string(id)] = note;
        http::send_json(response.status(201), note);
    }
    Future<void> list(http::Request&, http::Response& response) {
        Json all = Json::array();
        for (const auto& [id, note] : by_id) all.push_back(note);
        http::send_json(response, all);
        co_return;
    }
    Future<void> get(http::Request& request, http::Response& response) {
        const auto found = by_id.find(std::string(request.param("id")));
        if (found == by_id.end()) throw http::JsonError(404, "there is no such note");
        http::send_json(response, found->second);
        co_return;
    }
};

Future<void> app(Scope& root) {
    Notes notes;
    int count = 0;
    http::Server server;
    server.use([&](http::Request&, http::Response&, http::Next next) { return ++count, next(); });
    server.use(http::json_errors);
    server.post("/notes", [&](auto& q, auto& r) { return notes.add(q, r); });
    server.get("/notes", [&](auto& q, auto& r) { return notes.list(q, r); });
    server.get("/notes/:id", [&](auto& q, auto& r) { return notes.get(q, r); });
    net::Listener listener = co_await net::listen(Address::loopback());
    const std::string base = "http://" + listener.local_address().value().to_string();
    auto serving = root.spawn([&](net::Listener l) { return server.serve(std::move(l)); },
                              std::move(listener));
    http::Client client;
    const std::string note = R"({"text":"buy milk"})", half = R"({"text":)", post = "POST";
    const std::string asked[][3] = {
        {post, "/notes", note}, {post, "/notes", half}, {"GET", "/notes"}, {"GET", "/notes/2"}};
    for (const auto& [method, path, body] : asked) {
        http::ClientRequest request(method, base + path, body);
        const http::ClientResponse answer = co_await client.fetch(std::move(request));
        std::printf("%s %s -> %d %s\n", method.c_str(), path.c_str(), answer.status,
                    answer.body.c_str());
    }
    std::printf("%d requests\n", count);
    server.stop();
    co_await std::move(serving);
}

int main() {
    return gyre::run(app);
}
