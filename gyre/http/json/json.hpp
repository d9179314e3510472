// SPDX-License-Identifier: Apache-2.0
// JSON for handlers: bodies as values, values as answers, and errors as both. Pure but for the
// reading.
//
//     server.use(http::json_errors);
//     server.post("/notes", [](auto& request, auto& response) -> Future<void> {
//         const Json note = co_await http::read_json(request);
//         http::send_json(response.status(201), note);
//     });
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "gyre/http/server.hpp"

namespace gyre::http {

using Json = nlohmann::json;

// Ends a handler with a status and `{"error": "..."}`, where json_errors stands around it.
class JsonError : public std::runtime_error {
public:
    JsonError(int status, const std::string& what) : std::runtime_error(what), status_(status) {}
    [[nodiscard]] int status() const noexcept { return status_; }

private:
    int status_;
};

inline constexpr int json_depth_max = 100;

// The whole body as a value; JsonError(400) where it is none, or nested deeper than json_depth_max.
[[nodiscard]] Future<Json> read_json(Request& request);
// Sets the type and the body.
void send_json(Response& response, const Json& value);
// A middleware: answers a JsonError with its status.
[[nodiscard]] Future<void> json_errors(Request& request, Response& response, Next next);

}  // namespace gyre::http
