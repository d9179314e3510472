// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/wasm/conform take for granted.
#pragma once

#include <memory>

#include "lang/wasm/conform/wasm_conform.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::wasm_conform_examples {

using namespace gyre::wasm;

}  // namespace gyre::wasm_conform_examples
