// SPDX-License-Identifier: Apache-2.0
// Request: the request that a handler gets: its head, the parameters of its route, its body.
//
//     Future<void> show(http::Request& request, http::Response& response) {
//         const std::string body = co_await request.text();
//         response.send("user " + std::string(request.param("id")) + ": " + body);
//     }
//
// Thread: the connection's task, so the loop's thread.
// Lifetime: its texts are views into the connection's buffer, valid until the handler ends.
// Cancel: each member names its cancel class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"
#include "gyre/http/url.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::http {

class ServerConnection;
class RouteTable;

inline constexpr std::size_t route_param_count_max = 8;

// The route of a request, and the parts of the path that its pattern names.
class RouteMatch {
public:
    enum class Kind : std::uint8_t { found, no_path, no_method };

    Kind kind = Kind::no_path;
    std::size_t route = 0;  // if found
    // Empty if the pattern has no such name.
    [[nodiscard]] std::string_view param(std::string_view name) const noexcept;
    [[nodiscard]] std::size_t param_count() const noexcept { return param_count_; }
    // If no_method: the value of the Allow field.
    std::string_view allowed;

private:
    friend class RouteTable;

    struct Param {
        const std::string* name;  // owned by the table
        const char* value;        // points into the path
        std::size_t size;
    };
    void add(const std::string& name, std::string_view value) noexcept {
        params_[param_count_++] = {&name, value.data(), value.size()};
    }

    std::size_t param_count_ = 0;
    std::array<Param, route_param_count_max> params_;  // uninitialised from param_count_ on
};

class Request {
public:
    // The connection sets the route.
    Request(ServerConnection& connection, const RequestHead& head) noexcept
        : connection_(connection), head_(head), parts_(split_target(head.target)) {}
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    [[nodiscard]] Method method() const noexcept { return head_.method; }
    [[nodiscard]] std::string_view target() const noexcept { return head_.target; }
    [[nodiscard]] std::string_view path() const noexcept { return parts_.path; }
    [[nodiscard]] std::string_view query() const noexcept { return parts_.query; }
    [[nodiscard]] std::string_view field(std::string_view name) const noexcept {
        return head_.fields.get(name);
    }
    [[nodiscard]] const RequestHead& head() const noexcept { return head_; }
    // A parameter of the route, percent-encoded as it was sent; percent_decoded (url.hpp) decodes
    // it. Empty if the route has no such parameter.
    [[nodiscard]] std::string_view param(std::string_view name) const noexcept {
        return route_.param(name);
    }

    // The next piece of the body; empty at its end. The view is valid until the next call. Nothing
    // is read ahead, which gives the client back-pressure. Cancel class: did nothing.
    [[nodiscard]] Future<std::string_view> read();
    // The whole body, up to limits.body_bytes_max. Cancel class: did part; bytes read are lost.
    [[nodiscard]] Future<std::string> text();

private:
    friend class ServerConnection;
    friend class Server;

    ServerConnection& connection_;
    const RequestHead& head_;
    TargetParts parts_;
    RouteMatch route_;
};

}  // namespace gyre::http
