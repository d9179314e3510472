// SPDX-License-Identifier: Apache-2.0
// Request: what a handler is asked. Its texts are views into the connection's buffer: they last
// until the handler ends. It belongs to the connection's task.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gyre/http/message.hpp"
#include "gyre/http/message_refused.hpp"
#include "gyre/http/route_table.hpp"
#include "gyre/http/url.hpp"
#include "gyre/task/future.hpp"

namespace gyre::http {

class Connection;

class Request {
public:
    Request(Connection& connection, const RequestHead& head, const RouteTable& routes) noexcept
        : connection_(connection),
          head_(head),
          parts_(split_target(head.target)),
          route_(routes.find(head.method, parts_.path)) {}
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
    // What the route calls by that name, as it was sent; percent_decoded (url.hpp) decodes it.
    [[nodiscard]] std::string_view param(std::string_view name) const noexcept {
        return route_.param(name);
    }

    // The next piece of the body; empty at its end. The view lasts until the next call. Nothing is
    // read ahead: who does not ask holds the sender back. Cancel class: did nothing.
    [[nodiscard]] Future<std::string_view> read();
    // All of it; limits.body_bytes_max bounds it. Cancel class: what was read is lost.
    [[nodiscard]] Future<std::string> text();

private:
    friend class Connection;
    friend class Server;

    Connection& connection_;
    const RequestHead& head_;
    TargetParts parts_;
    RouteMatch route_;
};

}  // namespace gyre::http
