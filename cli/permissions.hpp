// SPDX-License-Identifier: Apache-2.0
// The words of --allow, for every language of gyre run. The main thread.
#pragma once

#include <string>
#include <vector>

#include "gyre/io/permissions.hpp"

namespace gyre::cli {

// Of `fs=DIR`, `net=HOST:PORT` and `env=NAME`. Throws a UsageError for any other word.
[[nodiscard]] Permissions read_permissions(const std::vector<std::string>& words);

}  // namespace gyre::cli
