// SPDX-License-Identifier: Apache-2.0
// The functions of tools/wasmtime, which builds wasmtime with settings of the collector that the C API lacks. Null
// in the library of the Python package.
#pragma once

#include <cstdint>

#include "lang/wasm/wasmtime/internal/c_api.hpp"

extern "C" {
[[gnu::weak]] void gyre_wasmtime_config_collector_set(wasm_config_t*, std::uint8_t);
[[gnu::weak]] void gyre_wasmtime_config_gc_heap_initial_size_set(wasm_config_t*, std::uint64_t);
[[gnu::weak]] void gyre_wasmtime_config_gc_heap_reservation_set(wasm_config_t*, std::uint64_t);
}
