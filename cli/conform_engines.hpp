// SPDX-License-Identifier: Apache-2.0
// The conformance scenarios on guests of an engine, for gyre conform --engine. One thread.
#pragma once

#include <string>
#include <vector>

#include "gyre/conform/scenario.hpp"

namespace gyre::cli {

// The scenarios of effects with WebAssembly modules. Throws a UsageError in a build without an engine.
[[nodiscard]] conform::Results conform_wasm(const std::vector<std::string>& platforms);
// The scenarios of jobs in JavaScript, likewise.
[[nodiscard]] conform::Results conform_script(const std::string& engine,
                                              const std::vector<std::string>& platforms);

}  // namespace gyre::cli
