// SPDX-License-Identifier: Apache-2.0
// walk: everything below a directory, as a stream.
#include "gyre/fs/tree.hpp"

#include <vector>

#include "gyre/fs/file.hpp"

namespace gyre::fs {
namespace {

// The stack of entries to report; the next one is last.
using Ahead = std::vector<WalkEntry>;

// Pushes the entries of a directory, so that they come next.
Future<void> look_into(const std::string& folder, std::size_t depth, const WalkOptions& options,
                       Ahead& ahead) {
    const ListOptions how{.entry_count_max = options.entry_count_max};
    std::vector<FolderEntry> entries;
    try {
        entries = co_await list(folder, how);
    } catch (const FileError& e) {
        const bool is_gone = e.code() == std::errc::no_such_file_or_directory;
        if (depth == 0 || !is_gone) throw;
    }
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        ahead.push_back({join(folder, entry->name), entry->kind, depth});
    }
}

}  // namespace

Stream<WalkEntry> walk(std::string folder, WalkOptions options, Enters enters) {
    Ahead ahead;
    co_await look_into(folder, 0, options, ahead);
    while (!ahead.empty()) {
        const WalkEntry entry = std::move(ahead.back());
        ahead.pop_back();
        if (entry.kind == FileKind::folder && (!enters || enters(entry))) {
            if (entry.depth + 1 > options.depth_max) {
                throw LimitError(doing("walk", entry.path), "depth_max", options.depth_max);
            }
            co_await look_into(entry.path, entry.depth + 1, options, ahead);
        }
        co_yield entry;
    }
}

}  // namespace gyre::fs
