// SPDX-License-Identifier: Apache-2.0
// watch: what changes in a folder (not below its folders), or about one file, as a stream. Changes
// count from the time the future gives the stream. What is in a change is what the system told, in
// its order; by the time it is read the file may be different again.
//
//     auto changes = co_await fs::watch("inbox");
//     while (auto change = co_await changes.next()) use(change->path);
//
// The system keeps a bounded number of changes that nobody has read; where it had to drop some, one
// change says `lost`: look at everything again. Cancel class of `next`: did nothing but end the
// stream.
#pragma once

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
        renamed,     // within the folder, `from` to `path`
        lost,        // there were more than the system keeps: `path` is what is watched
        ended,       // what is watched was removed or moved, and the stream ends
    };
    Kind kind = Kind::modified;
    bool is_folder = false;
    std::string path;  // begins with what is watched, as it was given
    std::string from;  // of a rename: its old path
};
[[nodiscard]] const char* name_of(FileChange::Kind kind) noexcept;

// Throws a FileError: no_such_file_or_directory, or no_space_on_device and too_many_files_open
// where the system's limits on watches are reached.
[[nodiscard]] Future<Stream<FileChange>> watch(std::string path);

}  // namespace gyre::fs
