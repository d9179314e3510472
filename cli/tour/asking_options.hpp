// SPDX-License-Identifier: Apache-2.0
// asking_options: what the WebAssembly modules of the tour import: `tour.ask` takes a number and gives one.
//
// Thread: any; it makes a value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lang/wasm/guest.hpp"

namespace gyre::cli {

// The import is an effect, which a handler answers while the module waits.
inline wasm::GuestOptions asking_options() {
    wasm::GuestOptions options;
    options.handled_imports.push_back(
        {.module = "tour",
         .name = "ask",
         .ask = [](wasm::Instance&, std::span<const wasm::Cell> given, std::span<wasm::Cell>)
             -> std::optional<effect::Arguments> { return effect::Arguments::of(given[0].i32); },
         .take =
             [](wasm::Instance&, std::span<const wasm::Cell>, const effect::Value& answer,
                std::span<wasm::Cell> results) {
                 results[0] = wasm::cell(static_cast<std::int32_t>(answer.integer()));
             }});
    return options;
}

}  // namespace gyre::cli
