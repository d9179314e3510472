// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/watch.hpp"

#include <chrono>
#include <memory>
#include <optional>

#include "gyre/fs/internal/rename_pairs.hpp"
#include "gyre/fs/internal/tree_call.hpp"
#include "gyre/fs/internal/watched_folders.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"

namespace gyre::fs {
namespace {

// How long the first half of a rename waits for the second, which the system has queued already.
constexpr Duration half_waits_max = std::chrono::milliseconds(20);
constexpr std::size_t buffer_size_bytes = std::size_t{64} * 1024;
static_assert(buffer_size_bytes >= FileTree::changes_size_min_bytes);

Future<std::size_t> receive(Fd fd, Bytes into) {
    const Result<std::int32_t> count = co_await perform<ReceiveOp>("changes", fd, into);
    if (!count) co_await fail(count.error());
    co_return static_cast<std::size_t>(*count);
}

// nullopt on a timeout.
Future<std::size_t> receive_soon(Fd fd, Bytes into) {
    const Result<std::size_t> count = co_await try_(timeout(receive(fd, into), half_waits_max));
    if (count) co_return *count;
    if (count.error() != Error(std::errc::timed_out)) co_await fail(count.error());
    co_return std::size_t{0};
}

struct Looked {
    std::int32_t id = -1;
    std::vector<FolderEntry> entries;
};

// Adds a watch of a directory, then lists it, in this order, so that no change in between is
// missed. nullopt if it was removed.
Future<std::optional<Looked>> look_into(Fd watched, std::string folder) {
    const auto look = [watched](FileTree& tree, const std::string& at) -> Result<Looked> {
        const Result<std::int32_t> id = tree.watch_also(watched, at);
        if (!id) return std::unexpected(id.error());
        Result<std::vector<FolderEntry>> entries = tree.list(at, ListOptions().entry_count_max);
        if (!entries) return std::unexpected(entries.error());
        return Looked{*id, std::move(*entries)};
    };
    Result<Looked> looked = co_await try_tree<Looked>(folder, look);
    if (looked) co_return std::move(*looked);
    const bool is_gone = looked.error() == Error(std::errc::no_such_file_or_directory) ||
                         looked.error() == Error(std::errc::not_a_directory);
    if (!is_gone) throw FileError("watch", folder, looked.error());
    co_return std::nullopt;
}

// The state of one watch stream: the inotify descriptor and the directories it watches.
struct Watching {
    OpenDescriptor descriptor;
    WatchedFolders folders;
    WatchOptions options;
};

// Watches the directory and everything below it. `found`, if not null, gets the entries of a
// directory that is new.
Future<void> watch_below(Watching& watching, std::string folder, std::vector<FileChange>* found) {
    std::vector<std::string> ahead(1, std::move(folder));
    while (!ahead.empty()) {
        const std::string at = std::move(ahead.back());
        ahead.pop_back();
        const std::optional<Looked> looked = co_await look_into(watching.descriptor.fd(), at);
        if (!looked) continue;
        const bool is_new = watching.folders.add(looked->id, at);
        if (found != nullptr && !is_new) continue;  // Found by an earlier scan.
        if (watching.folders.count() > watching.options.folder_count_max) {
            throw LimitError(doing("watch", watching.folders.root()), "folder_count_max",
                             watching.options.folder_count_max);
        }
        for (const FolderEntry& entry : looked->entries) {
            const bool is_folder = entry.kind == FileKind::folder;
            const std::string path = join(at, entry.name);
            if (is_folder) ahead.push_back(path);
            if (found == nullptr) continue;
            found->push_back({FileChange::Kind::created, is_folder, path, {}});
        }
    }
}

// Updates the watches after a change of the tree.
Future<void> follow(Watching& watching, const FileChange& change, std::vector<FileChange>& into) {
    if (change.kind == FileChange::Kind::lost) {
        co_await watch_below(watching, watching.folders.root(), nullptr);
    }
    if (!change.is_folder) co_return;
    if (change.kind == FileChange::Kind::created) {
        co_await watch_below(watching, change.path, &into);
    } else if (change.kind == FileChange::Kind::renamed) {
        watching.folders.rename(change.from, change.path);
    } else if (change.kind == FileChange::Kind::removed) {
        FileTree& tree = *watching.descriptor.platform().environment()->file_tree();
        for (const std::int32_t id : watching.folders.take(change.path)) {
            tree.watch_no_more(watching.descriptor.fd(), id);
        }
    }
}

// The path of a change; nullopt if it is not reported.
std::optional<std::string> place_of(const RawChange& raw, WatchedFolders& folders) {
    if (raw.kind == RawChange::Kind::lost) return folders.root();
    const std::string* folder = folders.find(raw.watch_id);
    if (folder == nullptr) return std::nullopt;  // It was moved out of the watched tree.
    if (raw.kind == RawChange::Kind::forgotten) {
        folders.remove(raw.watch_id);
        return std::nullopt;
    }
    if (!raw.name.empty()) return join(*folder, raw.name);
    // The watch of the parent reports the same change of a directory.
    if (!folders.is_root(raw.watch_id)) return std::nullopt;
    return *folder;
}

Stream<FileChange> changes_of(Watching watching) {
    FileTree& tree = *watching.descriptor.platform().environment()->file_tree();
    const auto memory = std::make_unique<std::byte[]>(buffer_size_bytes);
    const Bytes buffer(memory.get(), buffer_size_bytes);
    RenamePairs pairs;
    std::vector<RawChange> raw;
    std::vector<FileChange> told;
    std::vector<FileChange> changes;
    for (;;) {
        std::size_t size = 0;
        if (pairs.has_half()) {
            size = co_await receive_soon(watching.descriptor.fd(), buffer);
        } else {
            size = co_await receive(watching.descriptor.fd(), buffer);
        }
        raw.clear();
        changes.clear();
        tree.decode_changes(buffer.first(size), raw);
        // In order: the path of a change depends on the renames before it.
        for (std::size_t i = 0; i <= raw.size(); ++i) {
            told.clear();
            if (i < raw.size()) {
                std::optional<std::string> place = place_of(raw[i], watching.folders);
                if (place) pairs.add(raw[i], std::move(*place), told);
            } else if (size == 0) {
                pairs.end_half(told);
            }
            for (FileChange& change : told) {
                changes.push_back(change);
                if (watching.options.recursive) co_await follow(watching, change, changes);
            }
        }
        for (FileChange& change : changes) {
            const bool is_last = change.kind == FileChange::Kind::ended;
            co_yield std::move(change);
            if (is_last) co_return;
        }
    }
}

}  // namespace

const char* name_of(FileChange::Kind kind) noexcept {
    switch (kind) {
        case FileChange::Kind::created:
            return "created";
        case FileChange::Kind::modified:
            return "modified";
        case FileChange::Kind::attributes:
            return "attributes";
        case FileChange::Kind::removed:
            return "removed";
        case FileChange::Kind::renamed:
            return "renamed";
        case FileChange::Kind::lost:
            return "lost";
        case FileChange::Kind::ended:
            break;
    }
    return "ended";
}

Future<Stream<FileChange>> watch(std::string path, WatchOptions options) {
    const Task& self = co_await this_task();
    const auto begin = [](FileTree& tree, const std::string& at) { return tree.watch(at); };
    const FileWatch begun = co_await call_tree<FileWatch>("watch", path, begin);
    Watching watching{OpenDescriptor(platform_of(self), begun.fd), WatchedFolders(begun.id, path),
                      options};
    if (options.recursive) co_await watch_below(watching, path, nullptr);
    co_return changes_of(std::move(watching));
}

}  // namespace gyre::fs
