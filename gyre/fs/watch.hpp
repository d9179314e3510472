// SPDX-License-Identifier: Apache-2.0
// watch: the changes of a directory or a file, as a stream (inotify). It begins when the future
// returns. Changes are reported in the system's order; when one is read, the file may have changed
// again.
//
//     auto changes = co_await fs::watch("inbox", {.recursive = true});
//     while (auto change = co_await changes.next()) std::puts(change->path.c_str());
//
// Thread: a loop's thread.
// Lifetime: the stream owns the watch; destroying it ends the watch.
// Cancel: `watch` did nothing; `next` did nothing but end the stream. Inside a combinator, as in
// `timeout(changes.next(), 50ms)`, it leaves the stream as it is: that is a debounce.
//
// With `recursive`, directories created or moved below later are watched too. Files that are in a
// new directory when its watch is added are reported as created, and may be reported twice.
// Symbolic links are reported, never followed. The system queues a bounded number of changes; after
// an overflow one change is `lost`: scan everything again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gyre/task/stream/stream.hpp"

namespace gyre::fs {

struct FileChange {
    enum class Kind : std::uint8_t {
        created,     // or moved in
        modified,    // written or truncated
        attributes,  // permissions, times, link count
        removed,     // or moved out
        renamed,     // inside of the watched tree, `from` to `path`
        lost,        // the system's queue overflowed; `path` is the watched path
        ended,       // the watched path was removed or moved; the stream ends
    };
    Kind kind = Kind::modified;
    bool is_folder = false;
    std::string path;  // begins with the watched path, as it was given
    std::string from;  // the old path, if renamed
};
[[nodiscard]] const char* name_of(FileChange::Kind kind) noexcept;

struct WatchOptions {
    bool recursive = false;
    std::size_t folder_count_max = 65'536;  // more is a LimitError, from `watch` or from `next`
};

// Throws a FileError: no_such_file_or_directory, or no_space_on_device and too_many_files_open if
// the system's limits of watches are reached.
[[nodiscard]] Future<Stream<FileChange>> watch(std::string path, WatchOptions options = {});

}  // namespace gyre::fs
