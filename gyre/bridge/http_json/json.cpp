// SPDX-License-Identifier: Apache-2.0
// Parsing and sending of JSON bodies.
#include "gyre/bridge/http_json/json.hpp"

#include <optional>

namespace gyre::http {

Future<Json> read_json(Request& request) {
    const std::string text = co_await request.text();
    bool is_too_deep = false;
    const auto check_depth = [&is_too_deep](int depth, Json::parse_event_t /*event*/,
                                            Json& /*value*/) {
        is_too_deep = is_too_deep || depth > json_depth_max;
        return !is_too_deep;
    };
    Json value = Json::parse(text, check_depth, false);
    if (is_too_deep) throw JsonError(400, "this JSON is nested too deep");
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
