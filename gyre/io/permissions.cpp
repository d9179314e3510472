// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/permissions.hpp"

#include <algorithm>

namespace gyre {

bool is_inside(std::string_view path, std::string_view folder) noexcept {
    if (!path.starts_with(folder)) return false;
    return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

bool Permissions::allows_host(std::string_view host, std::uint16_t port) const {
    const std::string place = std::string(host) + ":" + std::to_string(port);
    return std::ranges::find(hosts, place) != hosts.end();
}

bool Permissions::allows_variable(std::string_view name) const {
    return std::ranges::find(variables, name) != variables.end();
}

const std::string* Permissions::folder_of(std::string_view path) const {
    const auto found = std::ranges::find_if(
        folders, [path](const std::string& folder) { return is_inside(path, folder); });
    return found == folders.end() ? nullptr : &*found;
}

}  // namespace gyre
