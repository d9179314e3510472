// SPDX-License-Identifier: Apache-2.0
// make_wasmtime: the engine wasmtime, through its C API. Takes no signals. A thread of its own counts time while
// guests run, and sleeps while none does.
//
//     std::unique_ptr<Engine> engine = make_wasmtime({.tick = 1ms});
//     WasmGuest guest(Program::read(engine->compile(bytes)));
//
// Thread: any; see engine.hpp.
// Lifetime: the engine outlives its modules and their instances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gyre/kernel/clock.hpp"
#include "lang/wasm/code_cache.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::wasm {

enum class Collector : std::uint8_t { automatic, copying, reference_counting, none };

struct WasmtimeOptions {
    // A guest is stopped at the first tick in its call.
    Duration tick = std::chrono::milliseconds(2);
    std::size_t stack_max_bytes = std::size_t{512} << 10u;
    // Of the GC heap of a new instance: a larger one collects less often.
    std::size_t gc_heap_size_bytes = std::size_t{4} << 20u;
    Collector collector = Collector::automatic;
    CodeCache* cache = nullptr;  // null: every module is compiled
    // Counts what guests execute, for InstanceLimits::fuel_step and fuel_max, which makes them slower.
    bool counts_fuel = false;
};

[[nodiscard]] std::unique_ptr<Engine> make_wasmtime(WasmtimeOptions options = {});

// Whether the library has the copying collector; that of the Python package has not, and never frees cycles.
[[nodiscard]] bool has_copying_collector() noexcept;
// `48.0.8`, or what the build found instead.
[[nodiscard]] std::string wasmtime_version();

}  // namespace gyre::wasm
