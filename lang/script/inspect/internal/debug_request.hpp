// SPDX-License-Identifier: Apache-2.0
// The requests of the inspector's HTTP, and their answers: the list of what can be debugged, and the upgrade
// to a WebSocket. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gyre::script {

struct DebugTarget {
    std::string id;
    std::string title;
    std::string url;
    std::string host;  // 127.0.0.1:PORT
};

struct DebugAnswer {
    std::string response;  // whole
    bool is_upgrade = false;
};

// `head`: the request line and the fields, with the empty line.
[[nodiscard]] DebugAnswer answer_debug_request(std::string_view head, const DebugTarget& target);
[[nodiscard]] std::string debug_error(std::string_view status, std::string_view why);

}  // namespace gyre::script
