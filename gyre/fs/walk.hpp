// SPDX-License-Identifier: Apache-2.0
// walk: everything below a directory, as a stream. A directory precedes its entries, which are
// sorted by name; symbolic links are listed, never followed.
//
//     auto entries = fs::walk("src");
//     while (auto entry = co_await entries.next()) std::puts(entry->path.c_str());
//
// Thread: a loop's thread.
// Lifetime: the stream owns its arguments. Memory grows with the directories on the current path,
// not with the tree.
// Cancel: `next` did nothing but end the stream.
//
// A directory that is removed meanwhile is skipped. FileError for a directory that cannot be read,
// and LimitError beyond a limit, end the stream.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "gyre/io/file_tree.hpp"
#include "gyre/task/stream/stream.hpp"

namespace gyre::fs {

struct WalkEntry {
    std::string path;  // begins with `folder`, as it was given
    FileKind kind = FileKind::other;
    std::size_t depth = 0;  // 0: directly in `folder`
};

struct WalkOptions {
    std::size_t depth_max = 256;
    std::size_t entry_count_max = 1'000'000;  // in one folder
    // Whether to walk this directory; empty: all are walked.
    std::function<bool(const WalkEntry& folder)> enters = {};
};

// Two functions, no default argument: g++ 12 destroys such a temporary twice inside a co_await.
[[nodiscard]] Stream<WalkEntry> walk(std::string folder);
[[nodiscard]] Stream<WalkEntry> walk(std::string folder, WalkOptions options);

}  // namespace gyre::fs
