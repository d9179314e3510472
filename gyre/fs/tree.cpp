// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/tree.hpp"

#include "gyre/fs/internal/path_await.hpp"
#include "gyre/fs/internal/tree_call.hpp"

namespace gyre::fs {
namespace {

// Entries removed per call: between two calls other jobs get the thread, and a cancel takes effect.
constexpr std::size_t removed_at_once_max = 256;

bool is_missing(Error error) noexcept {
    return error == Error(std::errc::no_such_file_or_directory) ||
           error == Error(std::errc::not_a_directory);
}

Future<Result<FileStat>> try_stat(std::string path, Links links) {
    OnPath asked(PathOp::Verb::stat, std::move(path));
    asked.links = links;
    co_return co_await std::move(asked);
}

Future<Result<FileStat>> try_make_folder(std::string path, std::uint32_t mode) {
    OnPath asked(PathOp::Verb::make_folder, std::move(path));
    asked.mode = mode;
    co_return co_await std::move(asked);
}

}  // namespace

Future<FileStat> stat(std::string path, Links links) {
    const Result<FileStat> found = co_await try_stat(path, links);
    if (!found) throw FileError("stat", path, found.error());
    co_return *found;
}

Future<bool> exists(std::string path) {
    const Result<FileStat> found = co_await try_stat(path, Links::followed);
    if (!found && !is_missing(found.error())) throw FileError("exists", path, found.error());
    co_return found.has_value();
}

Future<void> rename(std::string from, std::string to) {
    OnPath asked(PathOp::Verb::rename, from);
    asked.to = std::move(to);
    const Result<FileStat> done = co_await std::move(asked);
    if (!done) throw FileError("rename", from, done.error());
}

Future<void> remove(std::string path) {
    OnPath asked(PathOp::Verb::remove, path);
    const Result<FileStat> done = co_await std::move(asked);
    if (!done) throw FileError("remove", path, done.error());
}

Future<bool> remove_tree(std::string path) {
    const auto call = [](FileTree& tree, const std::string& at) {
        return tree.remove_some(at, removed_at_once_max);
    };
    for (bool is_first = true;; is_first = false) {
        const Result<bool> done = co_await try_tree<bool>(path, call);
        if (!done && done.error() == Error(std::errc::no_such_file_or_directory)) {
            co_return !is_first;
        }
        if (!done && done.error() == Error(std::errc::value_too_large)) {
            throw LimitError(doing("remove_tree", path), "removed_depth_max",
                             FileTree::removed_depth_max);
        }
        if (!done) throw FileError("remove_tree", path, done.error());
        if (*done) co_return true;
    }
}

Future<void> link(std::string existing, std::string name) {
    OnPath asked(PathOp::Verb::link, std::move(existing));
    asked.to = name;
    const Result<FileStat> done = co_await std::move(asked);
    if (!done) throw FileError("link", name, done.error());
}

Future<void> symbolic_link(std::string target, std::string name) {
    OnPath asked(PathOp::Verb::symbolic_link, std::move(target));
    asked.to = name;
    const Result<FileStat> done = co_await std::move(asked);
    if (!done) throw FileError("symbolic_link", name, done.error());
}

Future<std::string> read_link(std::string path) {
    const auto call = [](FileTree& tree, const std::string& at) { return tree.read_link(at); };
    return call_tree<std::string>("read_link", std::move(path), call);
}

Future<std::string> real_path(std::string path) {
    const auto call = [](FileTree& tree, const std::string& at) { return tree.real_path(at); };
    return call_tree<std::string>("real_path", std::move(path), call);
}

Future<void> sync_folder(std::string path) {
    const auto call = [](FileTree& tree, const std::string& at) { return tree.sync_folder(at); };
    return call_tree<void>("sync_folder", std::move(path), call);
}

Future<void> make_folder(std::string path, FolderOptions options) {
    const Result<FileStat> made = co_await try_make_folder(path, options.mode);
    if (!made) throw FileError("make_folder", path, made.error());
}

// From the top down; a directory that another process creates meanwhile is fine.
Future<void> make_folders(std::string path, FolderOptions options) {
    for (std::size_t end = 0; end < path.size();) {
        end = path.find('/', end + 1);
        const std::string part = path.substr(0, end);
        const Result<FileStat> made = co_await try_make_folder(part, options.mode);
        if (made) continue;
        if (made.error() != Error(std::errc::file_exists)) {
            throw FileError("make_folders", part, made.error());
        }
        const Result<FileStat> found = co_await try_stat(part, Links::followed);
        if (!found) throw FileError("make_folders", part, found.error());
        if (!found->is_folder()) {
            throw FileError("make_folders", part, Error(std::errc::not_a_directory));
        }
    }
}

Future<std::vector<FolderEntry>> list(std::string path, ListOptions options) {
    const std::size_t count_max = options.entry_count_max;
    const auto call = [count_max](FileTree& tree, const std::string& at) {
        return tree.list(at, count_max);
    };
    auto listed = co_await try_tree<std::vector<FolderEntry>>(path, call);
    if (listed) co_return std::move(*listed);
    if (listed.error() == Error(std::errc::value_too_large)) {
        throw LimitError(doing("list", path), "entry_count_max", count_max);
    }
    throw FileError("list", path, listed.error());
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

std::string join(const std::string& folder, const std::string& name) {
    if (folder.empty() || folder.back() == '/') return folder + name;
    return folder + "/" + name;
}

}  // namespace gyre::fs
