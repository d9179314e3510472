// SPDX-License-Identifier: Apache-2.0
// run_effects: the scenarios of gyre/conform for effects, with a WebAssembly module as the guest of each run. The module
// asks the scenario for its next step, performs the step by the host protocol, and decodes the answer.
//
//     std::unique_ptr<Engine> engine = make_wasmtime();
//     conform::Results results = run_effects(*engine, Generation::second, {"sim"});
//
// Thread: that of the caller; a scenario may use others.
// Lifetime: the engine outlives the call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gyre/conform/scenario.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::wasm {

// `generation` is first or second: each has its own wire format.
[[nodiscard]] conform::Results run_effects(Engine& engine, Generation generation,
                                           const std::vector<std::string>& platforms);

}  // namespace gyre::wasm
