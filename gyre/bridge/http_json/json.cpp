// SPDX-License-Identifier: Apache-2.0
// Parsing and sending of JSON bodies.
#include "gyre/bridge/http_json/json.hpp"

#include <optional>

#include "gyre/base/detail/json_depth.hpp"

namespace gyre::http {

Future<Json> read_json(Request& request) {
    const std::string text = co_await request.text();
    if (json_depth(text) > json_depth_max) throw JsonError(400, "this JSON is nested too deep");
    Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) throw JsonError(400, "this is no JSON");
    co_return value;
}

void send_json(Response& response, const Json& value) {
    // Invalid UTF-8 becomes U+FFFD instead of an exception.
    response.type("application/json")
        .send(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Future<void> json_errors(Request& /*request*/, Response& response, Next next) {
    std::optional<JsonError> failure;
    try {
        co_await next();
    } catch (const JsonError& error) {
        failure = error;
    }
    if (!failure) co_return;
    if (response.has_begun()) throw *failure;
    Json answer;
    answer["error"] = failure->what();
    send_json(response.status(failure->status()), answer);
}

}  // namespace gyre::http
