// SPDX-License-Identifier: Apache-2.0
#include "lang/script/inspect/internal/debug_request.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "gyre/base/version.hpp"
#include "lang/script/inspect/internal/web_socket.hpp"

namespace gyre::script {
namespace {

bool is_same(std::string_view one, std::string_view other) {
    return std::ranges::equal(one, other, [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// Nothing: there is none, or several.
std::optional<std::string_view> field_of(std::string_view head, std::string_view name) {
    std::optional<std::string_view> found;
    std::size_t at = head.find("\r\n");
    while (at != head.npos) {
        head.remove_prefix(at + 2);
        at = head.find("\r\n");
        const std::string_view line = head.substr(0, at);
        const std::size_t colon = line.find(':');
        if (colon == line.npos || !is_same(line.substr(0, colon), name)) continue;
        if (found) return std::nullopt;
        found = trimmed(line.substr(colon + 1));
    }
    return found;
}

// A page of another site can make a browser resolve its own name to this machine, but cannot change Host.
bool is_this_machine(std::string_view host) {
    const std::size_t port = host.rfind(':');
    if (port != host.npos && host.find(']', port) == host.npos) host = host.substr(0, port);
    if (is_same(host, "localhost") || is_same(host, "localhost6") || host == "[::1]") return true;
    if (!host.starts_with("127.")) return false;
    return host.find_first_not_of("0123456789.") == host.npos;
}

std::string quoted(std::string_view text) {
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') made += '\\';
        made += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return made + "\"";
}

DebugAnswer answer_with(std::string_view json) {
    std::string made =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\n"
        "Cache-Control: no-cache\r\nConnection: close\r\nContent-Length: ";
    made.append(std::to_string(json.size())).append("\r\n\r\n").append(json);
    return {.response = std::move(made)};
}

std::string list_text(const DebugTarget& target) {
    const std::string socket = target.host + "/" + target.id;
    return R"([ { "description": "gyre", "devtoolsFrontendUrl": )" +
           quoted("devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=" +
                  socket) +
           R"(, "id": )" + quoted(target.id) + R"(, "title": )" + quoted(target.title) +
           R"(, "type": "node", "url": )" + quoted(target.url) + R"(, "webSocketDebuggerUrl": )" +
           quoted("ws://" + socket) + " } ]";
}

DebugAnswer upgrade(std::string_view head) {
    const auto version = field_of(head, "sec-websocket-version");
    const auto key = field_of(head, "sec-websocket-key");
    if (version != "13" || !key || key->size() != 24)
        return {.response = debug_error("400 Bad Request", "not a WebSocket of version 13")};
    return {.response =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Accept: " +
                web_socket_accept(*key) + "\r\n\r\n",
            .is_upgrade = true};
}

}  // namespace

std::string debug_error(std::string_view status, std::string_view why) {
    std::string made = "HTTP/1.1 ";
    made.append(status).append("\r\nContent-Type: text/plain\r\nConnection: close\r\n");
    made.append("Content-Length: ").append(std::to_string(why.size() + 1)).append("\r\n\r\n");
    return made.append(why).append("\n");
}

DebugAnswer answer_debug_request(std::string_view head, const DebugTarget& target) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    const std::size_t end = line.find(' ', 4);
    if (!line.starts_with("GET /") || end == line.npos || line.substr(end) != " HTTP/1.1")
        return {.response = debug_error("400 Bad Request", "only GET of HTTP/1.1 is served")};
    const auto host = field_of(head, "host");
    if (!host || !is_this_machine(*host))
        return {.response = debug_error("400 Bad Request", "the Host is not this machine")};
    const std::string_view path = line.substr(4, end - 4);
    const auto wanted = field_of(head, "upgrade");
    if (wanted && is_same(*wanted, "websocket")) {
        if (path.substr(1) == target.id) return upgrade(head);
    } else if (path == "/json" || path == "/json/" || path == "/json/list") {
        return answer_with(list_text(target));
    } else if (path == "/json/version") {
        return answer_with(R"({ "Browser": "gyre/)" + std::string(version_string) +
                           R"(", "Protocol-Version": "1.1" })");
    }
    return {.response = debug_error("404 Not Found", "no such target: see /json/list")};
}

}  // namespace gyre::script
