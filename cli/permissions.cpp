// SPDX-License-Identifier: Apache-2.0
#include "cli/permissions.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

#include "cli/usage.hpp"

namespace gyre::cli {
namespace {

std::string whole_path(const std::string& folder) {
    std::string path = std::filesystem::absolute(folder).lexically_normal().string();
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
}

bool is_host_and_port(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    const std::string_view port = text.substr(colon + 1);
    if (port == "*") return true;
    std::uint16_t number = 0;
    const auto read = std::from_chars(port.begin(), port.end(), number);
    return read.ec == std::errc() && read.ptr == port.end();
}

}  // namespace

Permissions read_permissions(const std::vector<std::string>& words) {
    Permissions made;
    for (const std::string& word : words) {
        const std::size_t mark = word.find('=');
        const std::string kind = word.substr(0, mark);
        const std::string what = mark == std::string::npos ? "" : word.substr(mark + 1);
        if (kind == "fs" && !what.empty()) {
            made.folders.push_back(whole_path(what));
        } else if (kind == "env" && !what.empty()) {
            made.variables.push_back(what);
        } else if (kind == "net" && is_host_and_port(what)) {
            made.hosts.push_back(what);
        } else {
            throw UsageError("--allow " + word + ": give fs=DIR, net=HOST:PORT or env=NAME");
        }
    }
    return made;
}

}  // namespace gyre::cli
