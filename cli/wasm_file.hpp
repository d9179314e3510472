// SPDX-License-Identifier: Apache-2.0
// Reading WebAssembly modules for the commands that take them. One thread.
#pragma once

#include <memory>
#include <string>

#include "lang/wasm/code_cache.hpp"
#include "lang/wasm/engine.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::cli {

// The engine with the cache of the program (cli/wasm_cache.hpp), in the order of their lifetimes.
struct CachedEngine {
    std::unique_ptr<wasm::CodeCache> cache;
    std::unique_ptr<wasm::Engine> engine;
};
struct EngineChoice {
    bool counts_fuel = false;  // for virtual time
};
[[nodiscard]] CachedEngine make_wasm_engine(EngineChoice choice = {});

// Throws a UsageError if the file cannot be read, or is no module that the engine takes. Writes a line to
// standard error if compiling takes longer than a second.
[[nodiscard]] std::shared_ptr<const wasm::Program> read_wasm(wasm::Engine& engine,
                                                             const std::string& path);

// The whole file. Throws a UsageError.
[[nodiscard]] std::string read_whole_file(const std::string& path, std::size_t size_max_bytes);

}  // namespace gyre::cli
