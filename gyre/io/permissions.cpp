// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/permissions.hpp"

#include <algorithm>

namespace gyre {

bool is_inside(std::string_view path, std::string_view folder) noexcept {
    if (!path.starts_with(folder)) return false;
    return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

bool covers(std::string_view permitted, std::string_view place) noexcept {
    if (permitted == place) return true;
    if (!permitted.ends_with(":*")) return false;
    const std::string_view host = permitted.substr(0, permitted.size() - 1);  // with its colon
    if (!place.starts_with(host)) return false;
    // Digits alone: what follows a colon may be more of an IPv6 address.
    const std::string_view port = place.substr(host.size());
    return !port.empty() && port.find_first_not_of("0123456789") == port.npos;
}

bool Permissions::allows_host(std::string_view host, std::uint16_t port) const {
    return allows_place(std::string(host) + ":" + std::to_string(port));
}

bool Permissions::allows_place(std::string_view place) const {
    return std::ranges::any_of(
        hosts, [place](const std::string& permitted) { return covers(permitted, place); });
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
