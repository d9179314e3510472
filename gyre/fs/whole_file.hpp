// SPDX-License-Identifier: Apache-2.0
// Whole files at once. The futures own what they are given; they throw a FileError that names the
// path. Nothing stays open, whatever way they end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gyre/task/future.hpp"

namespace gyre::fs {

struct ReadFileOptions {
    std::uint64_t size_max_bytes = std::uint64_t{64} << 20u;  // more is a LimitError
};
// Cancel class: did nothing.
[[nodiscard]] Future<std::string> read_file(std::string path, ReadFileOptions options = {});

struct WriteFileOptions {
    std::uint32_t mode = 0644;  // of a file that is made
};
// Makes the file, or writes over what is in it. Cancel class: it may leave the file empty or half
// written; use `replace` where that matters.
[[nodiscard]] Future<void> write_file(std::string path, std::string content,
                                      WriteFileOptions options = {});
// Makes the file, or writes behind what is in it. Cancel class: a part of it may be written.
[[nodiscard]] Future<void> append_file(std::string path, std::string content,
                                       WriteFileOptions options = {});

struct ReplaceOptions {
    // Of the new file; by default those of the old one, or 0644 where there is none.
    std::optional<std::uint32_t> mode = std::nullopt;
};
// Whoever opens the path finds the old content or the new one, whole, at any time: also when this
// process or the computer dies meanwhile. The content is written to a file of another name in the
// same folder and brought to the disk; that takes the place of the old one; then the name is
// brought to the disk. A process that is killed may leave that file behind: `.name.` and letters.
//
// A symbolic link is replaced itself. Where it fails, the old file is there, but for the very last
// step: then the new one is, and may not be on the disk yet. Cancel class: did nothing, or did all.
[[nodiscard]] Future<void> replace(std::string path, std::string content,
                                   ReplaceOptions options = {});

}  // namespace gyre::fs
