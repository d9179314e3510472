// SPDX-License-Identifier: Apache-2.0
// confined: where a path of a program leads that may use some directories only.
//
//     const std::string path = co_await fs::confined(permissions, "notes/today.txt");
//
// Thread: a loop's thread.
// Lifetime: the permissions outlive the future, which owns the path.
// Cancel: did nothing.
//
// A relative path is one of the first directory: the program has no working directory. `..` and
// absolute paths are fine as long as they stay inside. Every link on the way must lead inside too,
// also one whose target does not exist yet. Between this look and the use of the path another
// process may replace a directory by a link: permit no directory that untrusted processes write to.
#pragma once

#include <string>

#include "gyre/io/file_tree.hpp"
#include "gyre/io/permissions.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::fs {

// The path to use. Throws a SystemFailure (permission_denied) for one that is or leads outside.
[[nodiscard]] Future<std::string> confined(const Permissions& permissions, std::string path);

// The same with blocking calls, for a thread of the Offload.
[[nodiscard]] std::string confined_now(const Permissions& permissions, FileTree& tree,
                                       const std::string& path);

}  // namespace gyre::fs
