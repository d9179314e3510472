// SPDX-License-Identifier: Apache-2.0
// watch: what changes in a folder, or about one file, as a stream. Changes count from the time the
// future gives the stream. What is in a change is what the system told, in its order; by the time
// it is read the file may be different again.
//
//     auto changes = co_await fs::watch("inbox", {.recursive = true});
//     while (auto change = co_await changes.next()) use(change->path);
//
// With `recursive`, all folders below are watched too, also those that are made or moved there
// later: what is in a new folder by the time it is looked at is told as created, and may be told
// again when the system's own word for it comes. A link is told, never followed.
//
// The system keeps a bounded number of changes that nobody has read; where it had to drop some, one
// change says `lost`: look at everything again. Cancel class of `watch`: did nothing. Of `next`:
// did nothing but end the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gyre/task/stream.hpp"

namespace gyre::fs {

struct FileChange {
    enum class Kind : std::uint8_t {
        created,     // or moved here from elsewhere
        modified,    // written to or cut off
        attributes,  // permissions, times, number of names
        removed,     // or moved elsewhere
        renamed,     // within what is watched, `from` to `path`
        lost,        // there were more than the system keeps: `path` is what is watched
        ended,       // what is watched was removed or moved, and the stream ends
    };
    Kind kind = Kind::modified;
    bool is_folder = false;
    std::string path;  // begins with what is watched, as it was given
    std::string from;  // of a rename: its old path
};
[[nodiscard]] const char* name_of(FileChange::Kind kind) noexcept;

struct WatchOptions {
    bool recursive = false;
    std::size_t folder_count_max = 65'536;  // more is a LimitError, from `watch` or from `next`
};

// Throws a FileError: no_such_file_or_directory, or no_space_on_device and too_many_files_open
// where the system's limits on watches are reached.
[[nodiscard]] Future<Stream<FileChange>> watch(std::string path, WatchOptions options = {});

}  // namespace gyre::fs
