// SPDX-License-Identifier: Apache-2.0
// The WebAssembly engine of this build, in one line for gyre doctor and gyre version. One thread.
#pragma once

#include <string>

namespace gyre::cli {

// `wasmtime 48.0.8, copying collector`; `none: ...` in a build without one.
[[nodiscard]] std::string wasm_engine_line();

}  // namespace gyre::cli
