// SPDX-License-Identifier: Apache-2.0
// Permissions: what a program in a sandbox may reach outside of itself. All languages of gyre run
// check the same table, which the command line fills (--allow).
//
//     Permissions allowed;
//     allowed.hosts.push_back("127.0.0.1:8080");
//     if (!allowed.allows_host("127.0.0.1", 8080)) refuse();
//
// Thread: any may read it.
// Lifetime: a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre {

struct Permissions {
    // Absolute paths without `.` and `..`: these directories, and all below them.
    std::vector<std::string> folders = {};
    // "HOST:PORT" as a program writes them, to connect to and to listen at; "HOST:*": every port.
    std::vector<std::string> hosts = {};
    // Names of environment variables.
    std::vector<std::string> variables = {};

    // Compared as text: a name does not stand for its address, nor the other way.
    [[nodiscard]] bool allows_host(std::string_view host, std::uint16_t port) const;
    // A place is "HOST:PORT".
    [[nodiscard]] bool allows_place(std::string_view place) const;
    [[nodiscard]] bool allows_variable(std::string_view name) const;
    // The permitted directory that contains an absolute path without `.` and `..`; null if there is
    // none. It looks at names only: gyre/fs/confined.hpp resolves links.
    [[nodiscard]] const std::string* folder_of(std::string_view path) const;
};

// Whether the path is the directory, or below it. Both are absolute, without `.` and `..`.
[[nodiscard]] bool is_inside(std::string_view path, std::string_view folder) noexcept;

// Whether an element of `hosts` permits "HOST:PORT".
[[nodiscard]] bool covers(std::string_view permitted, std::string_view place) noexcept;

}  // namespace gyre
