// SPDX-License-Identifier: Apache-2.0
// Decodes the mode (st_mode) of a file. Any thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>

#include "gyre/io/file_tree.hpp"

namespace gyre::platform {

inline constexpr std::uint32_t permissions = 07777;

inline FileKind kind_of(mode_t mode) noexcept {
    if (S_ISREG(mode)) return FileKind::file;
    if (S_ISDIR(mode)) return FileKind::folder;
    return S_ISLNK(mode) ? FileKind::link : FileKind::other;
}

}  // namespace gyre::platform
