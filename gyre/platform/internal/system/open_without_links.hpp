// SPDX-License-Identifier: Apache-2.0
// Opening a path on which no part may be a symbolic link. Any thread.
#pragma once

#include <string>

#include "gyre/base/result.hpp"
#include "gyre/io/file_tree.hpp"

namespace gyre::platform {

// `flags` as of open(2), without O_CREAT; the descriptor is closed on exec and is in blocking mode.
// By one openat2 where the system has it, else part by part.
[[nodiscard]] Result<Fd> open_without_links(const std::string& path, int flags);

// The second way, for its test.
[[nodiscard]] Result<Fd> open_part_by_part(const std::string& path, int flags);

}  // namespace gyre::platform
