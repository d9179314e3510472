// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/wasm/wasmtime take for granted.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::wasmtime_examples {

using namespace gyre::wasm;
using namespace std::chrono_literals;
using wasm::Program;

extern std::string bytes;

}  // namespace gyre::wasmtime_examples
