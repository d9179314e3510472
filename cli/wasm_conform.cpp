// SPDX-License-Identifier: Apache-2.0
// gyre conform effects --engine wasm: the guests are modules of both wire generations.
#include <iterator>

#include "cli/conform_engines.hpp"
#include "cli/wasm_file.hpp"
#include "lang/wasm/conform/wasm_conform.hpp"

namespace gyre::cli {

conform::Results conform_wasm(const std::vector<std::string>& platforms) {
    const CachedEngine made = make_wasm_engine();
    conform::Results results = wasm::run_effects(*made.engine, wasm::Generation::first, platforms);
    conform::Results more = wasm::run_effects(*made.engine, wasm::Generation::second, platforms);
    std::move(more.begin(), more.end(), std::back_inserter(results));
    return results;
}

}  // namespace gyre::cli
