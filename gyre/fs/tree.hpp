// SPDX-License-Identifier: Apache-2.0
// Names, folders and links. Each function throws a FileError that names the path. On io_uring all
// but read_link, real_path, list and remove_tree are requests of the ring, where the system has
// them (Linux 5.15); those, and all of them elsewhere, are calls on a thread for files. The futures
// own what they are given.
//
// Cancel class: did nothing, where the call had not begun. A call that has begun is awaited, and
// what it gives stands. make_folders and remove_tree make several calls: that holds for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gyre/kernel/file_tree.hpp"
#include "gyre/task/future.hpp"

namespace gyre::fs {

using gyre::FileKind;
using gyre::FileStat;
using gyre::FolderEntry;
using gyre::Links;

[[nodiscard]] Future<FileStat> stat(std::string path, Links links = Links::followed);
// False also where a folder on the way is missing.
[[nodiscard]] Future<bool> exists(std::string path);

// What is there under the new name is replaced, at once.
[[nodiscard]] Future<void> rename(std::string from, std::string to);
// A file, a link or an empty folder.
[[nodiscard]] Future<void> remove(std::string path);
// What is there and all below it; false where nothing is there. A link is removed, never followed.
// Folders deeper than FileTree::removed_depth_max are a LimitError, and stay.
[[nodiscard]] Future<bool> remove_tree(std::string path);

// A second name for a file.
[[nodiscard]] Future<void> link(std::string existing, std::string name);
[[nodiscard]] Future<void> symbolic_link(std::string target, std::string name);
[[nodiscard]] Future<std::string> read_link(std::string path);
// The absolute path of what is there, without links, `.` and `..` in it.
[[nodiscard]] Future<std::string> real_path(std::string path);

struct FolderOptions {
    std::uint32_t mode = 0755;
};
[[nodiscard]] Future<void> make_folder(std::string path, FolderOptions options = {});
// With the folders on the way; those that are there are left as they are.
[[nodiscard]] Future<void> make_folders(std::string path, FolderOptions options = {});

struct ListOptions {
    std::size_t entry_count_max = 1'000'000;  // more is a LimitError
};
// In order of their names, without `.` and `..`.
[[nodiscard]] Future<std::vector<FolderEntry>> list(std::string path, ListOptions options = {});

// The folder that holds what the path names, as a path; `.` where it has none.
[[nodiscard]] std::string folder_of(const std::string& path);
// The last part of the path.
[[nodiscard]] std::string name_of(const std::string& path);
// Both in one path.
[[nodiscard]] std::string join(const std::string& folder, const std::string& name);

}  // namespace gyre::fs
