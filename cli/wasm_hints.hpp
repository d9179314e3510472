// SPDX-License-Identifier: Apache-2.0
// What to do about a module that does not run, in a line for standard error. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::cli {

// The words of an engine about a file that is no module: the first line names the place and the fault.
[[nodiscard]] std::string compile_fault(const std::string& path, std::string_view engine_text);

// A module without the function that --entry names.
[[nodiscard]] std::string entry_fault(const std::string& path, const std::string& entry,
                                      const wasm::Program& program);

// How a run that failed could succeed; empty: nothing is known. `has_asked`: it has performed an effect.
[[nodiscard]] std::string hint_for(const effect::RunError& error, const wasm::Program& program,
                                   const std::string& entry, bool has_asked);

}  // namespace gyre::cli
