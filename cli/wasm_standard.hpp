// SPDX-License-Identifier: Apache-2.0
// The clock, the permissions, the seed and the input that a module gets by the options of gyre run. One thread.
#pragma once

#include "cli/run.hpp"
#include "gyre/app/run.hpp"
#include "lang/wasm/standard/standard.hpp"

namespace gyre::cli {

// In virtual time they give the same each time. The program outlives them. Throws a UsageError for a permission that there
// is none of.
[[nodiscard]] wasm::StandardOptions standard_options(const RunRequest& request, Program& program);

}  // namespace gyre::cli
