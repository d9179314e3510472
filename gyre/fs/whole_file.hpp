// SPDX-License-Identifier: Apache-2.0
// read_file, write_file, append_file, replace: whole files at once. They throw a FileError that has
// the path.
//
//     std::string text = co_await fs::read_file("config.json");
//     co_await fs::replace("config.json", text + "\n");
//
// Thread: a loop's thread.
// Lifetime: the futures own their arguments; no descriptor stays open, however they end.
// Cancel: each function names its cancel class.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gyre/task/core/future.hpp"

namespace gyre::fs {

struct ReadFileOptions {
    std::uint64_t size_max_bytes = std::uint64_t{64} << 20u;  // more is a LimitError
};
// Cancel class: did nothing.
[[nodiscard]] Future<std::string> read_file(std::string path, ReadFileOptions options = {});

struct WriteFileOptions {
    std::uint32_t mode = 0644;  // of a file that is created
};
// Creates or overwrites the file. Cancel class: did part; the file may be empty or half written.
// Use `replace` if that matters.
[[nodiscard]] Future<void> write_file(std::string path, std::string content,
                                      WriteFileOptions options = {});
// Creates the file or appends to it. Cancel class: did part.
[[nodiscard]] Future<void> append_file(std::string path, std::string content,
                                       WriteFileOptions options = {});

struct ReplaceOptions {
    // By default the mode of the old file, or 0644 if there is none.
    std::optional<std::uint32_t> mode = std::nullopt;
};
// Replaces the content atomically: a reader sees the old or the new content, also after a crash of
// this process or of the machine. Writes and syncs a temporary file in the same directory, renames
// it over the path, then syncs the directory. A killed process may leave the temporary file behind:
// `.name.` and random letters.
//
// A symbolic link is replaced itself. If it fails, the old file is unchanged, unless the last step
// (sync of the directory) failed: then the new file is in place and may not be on the disk. Cancel
// class: did nothing, or did all.
[[nodiscard]] Future<void> replace(std::string path, std::string content,
                                   ReplaceOptions options = {});

}  // namespace gyre::fs
