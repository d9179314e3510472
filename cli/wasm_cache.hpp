// SPDX-License-Identifier: Apache-2.0
// The cache of machine code that gyre uses for modules. One thread.
#pragma once

#include <memory>

#include "lang/wasm/code_cache.hpp"

namespace gyre::cli {

// In the directory `modules` of GYRE_CACHE, else of ~/.cache/gyre. Null: run without.
[[nodiscard]] std::unique_ptr<wasm::CodeCache> open_wasm_cache();

}  // namespace gyre::cli
