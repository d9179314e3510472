// SPDX-License-Identifier: Apache-2.0
// Operations on paths: stat, rename, remove, links, directories, and walk, which streams everything
// below a directory. Each throws a FileError that has the path.
//
//     co_await fs::make_folders("build/logs");
//     auto entries = fs::walk("build");
//     while (auto entry = co_await entries.next()) std::puts(entry->path.c_str());
//     co_await fs::remove_tree("build");
//
// Thread: a loop's thread.
// Lifetime: the futures and the stream own their arguments.
// Cancel: did nothing before the call has started; a started call is awaited and did all.
// make_folders and remove_tree make several calls, and did part. `next` of a walk did nothing but
// end the stream.
//
// With io_uring all operations except read_link, real_path, list and remove_tree are requests of
// the ring (from Linux 5.15). The others, and all operations of other platforms, are calls on a
// file thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gyre/io/file_tree.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/stream/stream.hpp"

namespace gyre::fs {

using gyre::FileKind;
using gyre::FileStat;
using gyre::FolderEntry;
using gyre::Links;

[[nodiscard]] Future<FileStat> stat(std::string path, Links links = Links::followed);
// False also if a parent directory is missing.
[[nodiscard]] Future<bool> exists(std::string path);

// Replaces `to` atomically if it exists.
[[nodiscard]] Future<void> rename(std::string from, std::string to);
// A file, a link or an empty directory.
[[nodiscard]] Future<void> remove(std::string path);
// The path and everything below it; false if it does not exist. Links are removed, never followed.
// LimitError for directories deeper than FileTree::removed_depth_max, which stay.
[[nodiscard]] Future<bool> remove_tree(std::string path);

// A hard link.
[[nodiscard]] Future<void> link(std::string existing, std::string name);
[[nodiscard]] Future<void> symbolic_link(std::string target, std::string name);
[[nodiscard]] Future<std::string> read_link(std::string path);
// The absolute path of an existing file or directory, with links, `.` and `..` resolved.
[[nodiscard]] Future<std::string> real_path(std::string path);

// fsync of a directory: names that were created, renamed or removed in it are on the disk when it
// returns. Cancel class: did all.
[[nodiscard]] Future<void> sync_folder(std::string path);

struct FolderOptions {
    std::uint32_t mode = 0755;
};
[[nodiscard]] Future<void> make_folder(std::string path, FolderOptions options = {});
// With its parents; existing directories are left as they are.
[[nodiscard]] Future<void> make_folders(std::string path, FolderOptions options = {});

struct ListOptions {
    std::size_t entry_count_max = 1'000'000;  // more is a LimitError
};
// Sorted by name, without `.` and `..`.
[[nodiscard]] Future<std::vector<FolderEntry>> list(std::string path, ListOptions options = {});

struct WalkEntry {
    std::string path;  // begins with `folder`, as it was given
    FileKind kind = FileKind::other;
    std::size_t depth = 0;  // 0: directly in `folder`
};

struct WalkOptions {
    std::size_t depth_max = 256;
    std::size_t entry_count_max = 1'000'000;  // in one folder
};
// Whether to walk this directory; empty: all are walked.
using Enters = std::function<bool(const WalkEntry& folder)>;

// Everything below a directory. A directory precedes its entries, which are sorted by name;
// symbolic links are listed, never followed. Memory grows with the directories on the current path,
// not with the tree. A directory that is removed meanwhile is skipped; FileError for a directory
// that cannot be read, and LimitError beyond a limit, end the stream.
[[nodiscard]] Stream<WalkEntry> walk(std::string folder, WalkOptions options = {},
                                     Enters enters = {});

// The parent of the path; `.` if it has none.
[[nodiscard]] std::string folder_of(const std::string& path);
// The last component of the path.
[[nodiscard]] std::string name_of(const std::string& path);
// "folder/name".
[[nodiscard]] std::string join(const std::string& folder, const std::string& name);

}  // namespace gyre::fs
