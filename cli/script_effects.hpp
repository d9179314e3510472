// SPDX-License-Identifier: Apache-2.0
// gyre:effects for the scripts of gyre run: WebAssembly modules whose effects are answered by functions
// of the script. In a build without a WebAssembly engine, without_script_effects.cpp leaves it out.
// The script's thread.
#pragma once

#include <memory>

#include "cli/run.hpp"
#include "gyre/app/program.hpp"

namespace gyre {
class Executor;
}
namespace gyre::script {
class Script;
}

namespace gyre::cli {

// Made before the loop; what it returns is destroyed after the loop.
[[nodiscard]] std::shared_ptr<void> add_script_effects(script::Script& script, Executor& executor,
                                                       Program& program, const RunRequest& request);

// The main module of `gyre run app.wasm --handlers h.js`.
[[nodiscard]] std::string effects_main(const RunRequest& request);

}  // namespace gyre::cli
