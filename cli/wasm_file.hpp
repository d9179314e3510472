// SPDX-License-Identifier: Apache-2.0
// Reading WebAssembly modules for the commands that take them. One thread.
#pragma once

#include <memory>
#include <string>

#include "lang/wasm/engine.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::cli {

// Throws a UsageError if the file cannot be read, or is no module that the engine takes.
[[nodiscard]] std::shared_ptr<const wasm::Program> read_wasm(wasm::Engine& engine,
                                                             const std::string& path);

// The whole file. Throws a UsageError.
[[nodiscard]] std::string read_whole_file(const std::string& path, std::size_t size_max_bytes);

}  // namespace gyre::cli
