// SPDX-License-Identifier: Apache-2.0
// read_json, send_json, json_errors: JSON bodies for http handlers.
//
//     server.use(http::json_errors);
//     server.post("/notes", [](auto& request, auto& response) -> Future<void> {
//         const http::Json note = co_await http::read_json(request);
//         http::send_json(response.status(201), note);
//     });
//
// Thread: the handler's task.
// Lifetime: values own their data.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "gyre/base/failure.hpp"
#include "gyre/http/server.hpp"

namespace gyre::http {

using Json = nlohmann::json;

// Thrown by a handler, json_errors turns it into a response with this status and `{"error":
// "..."}`.
class JsonError : public Failure {
public:
    JsonError(int status, const std::string& what) : Failure(what), status_(status) {}
    [[nodiscard]] int status() const noexcept { return status_; }

private:
    int status_;
};

inline constexpr std::size_t json_depth_max = 100;

// Parses the whole body. Throws JsonError(400) if it is not JSON, or nested deeper than
// json_depth_max.
[[nodiscard]] Future<Json> read_json(Request& request);
// Sets the content type and the body.
void send_json(Response& response, const Json& value);
// A middleware: responds to a JsonError with its status.
[[nodiscard]] Future<void> json_errors(Request& request, Response& response, Next next);

}  // namespace gyre::http
