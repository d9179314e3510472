// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/confined.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/fs/file.hpp"
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

std::string link_target_now(FileTree& tree, const std::string& path) {
    const Result<FileStat> found = tree.stat(path, Links::themselves);
    if (!found || found->kind != FileKind::link) return {};
    Result<std::string> target = tree.read_link(path);
    if (!target) throw FileError("read link", path, target.error());
    return std::move(*target);
}

// Resolves the links of a path as the system does: `..` behind a link is the parent of the link's
// target. Parts that do not exist stay as they are.
class LinkWalk {
public:
    explicit LinkWalk(std::string path) : path_(std::move(path)), rest_(path_) {}

    // The next name that may be a link; empty at the end.
    std::string next() {
        while (!rest_.empty()) {
            const std::string_view part = take_part(rest_);
            if (part.empty() || part == ".") continue;
            if (part != "..") return asked_ = done_ + '/' + std::string(part);
            done_.erase(std::min(done_.size(), done_.rfind('/')));
        }
        return {};
    }
    // The target of the name that was asked for; empty: it is no link.
    void tell(std::string target) {
        if (target.empty()) {
            done_ = std::move(asked_);
            return;
        }
        if (++link_count_ > links_max) {
            throw SystemFailure(std::errc::too_many_symbolic_link_levels, asked_);
        }
        if (target.starts_with('/')) done_.clear();
        target += '/';
        target += rest_;
        path_ = std::move(target);
        rest_ = path_;
    }
    [[nodiscard]] std::string result() const { return done_.empty() ? "/" : done_; }

private:
    std::string path_;
    std::string_view rest_;  // of path_
    std::string done_;
    std::string asked_;
    int link_count_ = 0;
};

Future<std::string> without_links(std::string path) {
    LinkWalk walk(std::move(path));
    for (std::string name = walk.next(); !name.empty(); name = walk.next()) {
        std::string target = co_await link_target(name);
        walk.tell(std::move(target));
    }
    co_return walk.result();
}

std::string without_links_now(FileTree& tree, std::string path) {
    LinkWalk walk(std::move(path));
    for (std::string name = walk.next(); !name.empty(); name = walk.next()) {
        walk.tell(link_target_now(tree, name));
    }
    return walk.result();
}

// The whole path, and the permitted folder that it is in.
std::pair<std::string, const std::string*> place_of(const Permissions& permissions,
                                                    const std::string& path) {
    if (path.find('\0') != std::string::npos)
        refuse("a path with a zero byte", " is not permitted");
    const bool has_folder = !permissions.folders.empty();
    std::string whole = joined(has_folder ? permissions.folders.front() : "/", path);
    const std::string* folder = permissions.folder_of(whole);
    if (folder == nullptr) refuse(path, " is not permitted: --allow fs=DIR permits a folder");
    return {std::move(whole), folder};
}

}  // namespace

Future<std::string> confined(const Permissions& permissions, std::string path) {
    const auto [whole, folder] = place_of(permissions, path);
    // The directory itself may be reached through a link.
    const std::string root = co_await without_links(*folder);
    const std::string real = co_await without_links(whole);
    if (!is_inside(real, root)) refuse(path, " leads out of the permitted folder");
    // Not `real`: a remove means the link itself.
    co_return whole;
}

std::string confined_now(const Permissions& permissions, FileTree& tree, const std::string& path) {
    auto [whole, folder] = place_of(permissions, path);
    const std::string root = without_links_now(tree, *folder);
    if (!is_inside(without_links_now(tree, whole), root)) {
        refuse(path, " leads out of the permitted folder");
    }
    return std::move(whole);
}

}  // namespace gyre::fs
