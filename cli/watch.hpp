// SPDX-License-Identifier: Apache-2.0
// gyre run --watch: runs the program as a child process, and again whenever a source file in the
// folder of its main file changes. The main thread.
#pragma once

#include <string>

#include "gyre/task/core/run.hpp"

namespace gyre::cli {

// Until Ctrl-C. Throws a UsageError if the folder cannot be watched.
[[nodiscard]] ExitCode run_watched(const std::string& file);

}  // namespace gyre::cli
