// SPDX-License-Identifier: Apache-2.0
// walk: everything below a folder, as a stream. Each folder comes before what is in it, names in
// their order; links are told, never followed. Read folder by folder, so the memory that it takes
// grows with the folders on the way, not with the tree.
//
//     auto entries = fs::walk("src");
//     while (auto entry = co_await entries.next()) use(entry->path);
//
// A folder that goes meanwhile is passed over. Throws a FileError for one that cannot be read, and
// a LimitError beyond a limit; both end the stream. Cancel class of `next`: did nothing but end the
// stream.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "gyre/kernel/file_tree.hpp"
#include "gyre/task/stream.hpp"

namespace gyre::fs {

struct WalkEntry {
    std::string path;  // begins with the folder's, as it was given
    FileKind kind = FileKind::other;
    std::size_t depth = 0;  // 0: in the folder itself
};

struct WalkOptions {
    std::size_t depth_max = 256;
    std::size_t entry_count_max = 1'000'000;  // in one folder
    // Whether what is in this folder is wanted; empty: of all.
    std::function<bool(const WalkEntry& folder)> enters = {};
};

// Two functions, not a default: g++ 12 destroys that twice inside a co_await.
[[nodiscard]] Stream<WalkEntry> walk(std::string folder);
[[nodiscard]] Stream<WalkEntry> walk(std::string folder, WalkOptions options);

}  // namespace gyre::fs
