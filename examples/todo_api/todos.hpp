// SPDX-License-Identifier: Apache-2.0
// The handlers and the schema of examples/61_todo_api.cpp. One loop's thread; the database outlives them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gyre/bridge/http_json/json.hpp>
#include <gyre/db/migrate.hpp>
#include <gyre/db/pool.hpp>
#include <gyre/gyre.hpp>
#include <gyre/http/server.hpp>

namespace todo_api {

using namespace gyre;
using http::Json;

struct Todo {
    std::int64_t id;
    std::string text;
    bool is_done;

    [[nodiscard]] Json json() const { return {{"id", id}, {"text", text}, {"done", is_done}}; }
};

class Todos {
public:
    explicit Todos(db::Pool& database) : database_(database) {}

    Future<void> add(http::Request& request, http::Response& response) {
        const Json body = co_await http::read_json(request);
        const std::string text = body.value("text", "");
        if (text.empty()) throw http::JsonError(400, "a todo has a text");
        std::optional<Todo> made;
        try {
            made = co_await database_.one<Todo>(
                "insert into todos (id, text) select coalesce(max(id), 0) + 1, $1 from todos "
                "returning id, text, done",
                text);
        } catch (const db::DbError& e) {
            if (e.kind() != db::DbError::Kind::constraint) throw;
        }
        if (!made) throw http::JsonError(409, "this is on the list already");
        http::send_json(response.status(201), made->json());
    }
    Future<void> list(http::Request& request, http::Response& response) {
        const bool only_open = request.target().ends_with("?open=1");
        const auto all = co_await database_.list<Todo>(
            "select id, text, done from todos where not done or not $1 order by id", only_open);
        Json rows = Json::array();
        for (const Todo& each : all) rows.push_back(each.json());
        http::send_json(response, rows);
    }
    Future<void> finish(http::Request& request, http::Response& response) {
        std::int64_t id = 0;
        const std::string_view text = request.param("id");
        std::from_chars(text.data(), text.data() + text.size(), id);
        const auto done = co_await database_.optional<Todo>(
            "update todos set done = $2 where id = $1 returning id, text, done", id, true);
        if (!done) throw http::JsonError(404, "there is no such thing to do");
        http::send_json(response, done->json());
    }
    // All of it or nothing: also if the program ends in the middle.
    Future<void> clear(http::Request&, http::Response& response) {
        auto move = [](db::Transaction& t) -> Future<std::uint64_t> {
            co_await t.execute("insert into finished select id, text from todos where done");
            co_return co_await t.execute("delete from todos where done");
        };
        const std::uint64_t removed = co_await database_.transaction(move);
        http::send_json(response, {{"removed", removed}});
    }

private:
    db::Pool& database_;
};

inline std::vector<db::Migration> schema() {
    return {db::Migration(1, "todos",
                          "create table todos (id bigint primary key, text text not null unique, "
                          "done boolean not null default false)"),
            db::Migration(2, "finished", "create table finished (id bigint, text text)")};
}

}  // namespace todo_api
