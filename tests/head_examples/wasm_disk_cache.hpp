// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/wasm/disk_cache take for granted.
#pragma once

#include <memory>

#include "lang/wasm/disk_cache/disk_cache.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::wasm_disk_cache_examples {

using namespace gyre::wasm;

}  // namespace gyre::wasm_disk_cache_examples
