// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/confined.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "gyre/base/failure.hpp"
#include "gyre/fs/tree.hpp"

namespace gyre::fs {
namespace {

// As the system does.
constexpr int links_max = 40;

[[noreturn]] void refuse(const std::string& path, const char* why) {
    throw SystemFailure(std::errc::permission_denied, path + why);
}

// Takes the first part of a path away.
std::string_view take_part(std::string_view& path) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    return part;
}

// Adds the parts of `path` to a whole one; `..` takes one away.
std::string joined(std::string whole, std::string_view path) {
    if (path.starts_with('/')) whole.clear();
    while (!path.empty()) {
        const std::string_view part = take_part(path);
        if (part == "..") {
            whole.erase(std::min(whole.size(), whole.rfind('/')));
        } else if (!part.empty() && part != ".") {
            whole += '/';
            whole += part;
        }
    }
    return whole.empty() ? "/" : whole;
}

// Empty if there is no link of that name.
Future<std::string> link_target(std::string path) {
    try {
        const FileStat found = co_await stat(path, Links::themselves);
        if (found.kind != FileKind::link) co_return {};
    } catch (const std::system_error&) {
        co_return {};
    }
    std::string target = co_await read_link(path);
    co_return target;
}

// The path without links, resolved as the system does: `..` behind a link is the parent of the
// link's target. Parts that do not exist stay as they are.
Future<std::string> without_links(std::string path) {
    int link_count = 0;
    std::string done;
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::string_view part = take_part(rest);
        if (part.empty() || part == ".") continue;
        if (part == "..") {
            done.erase(std::min(done.size(), done.rfind('/')));
            continue;
        }
        std::string next = done + '/' + std::string(part);
        std::string target = co_await link_target(next);
        if (target.empty()) {
            done = std::move(next);
            continue;
        }
        if (++link_count > links_max) {
            throw SystemFailure(std::errc::too_many_symbolic_link_levels, next);
        }
        if (target.starts_with('/')) done.clear();
        target += '/';
        target += rest;
        path = std::move(target);
        rest = path;
    }
    co_return done.empty() ? "/" : done;
}

}  // namespace

Future<std::string> confined(const Permissions& permissions, std::string path) {
    if (path.find('\0') != std::string::npos)
        refuse("a path with a zero byte", " is not permitted");
    const bool has_folder = !permissions.folders.empty();
    const std::string whole = joined(has_folder ? permissions.folders.front() : "/", path);
    const std::string* folder = permissions.folder_of(whole);
    if (folder == nullptr) refuse(path, " is not permitted: --allow fs=DIR permits a folder");
    // The directory itself may be reached through a link.
    const std::string root = co_await without_links(*folder);
    const std::string real = co_await without_links(whole);
    if (!is_inside(real, root)) refuse(path, " leads out of the permitted folder");
    // Not `real`: a remove means the link itself.
    co_return whole;
}

}  // namespace gyre::fs
