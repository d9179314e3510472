// SPDX-License-Identifier: Apache-2.0
// The standard effects of the first wire generation, whose records are smaller and whose bytes are lists of numbers. Handlers are
// written for the second: their requests and answers are translated. Any thread; plain values.
#pragma once

#include <cstdint>

#include "gyre/effect/context.hpp"
#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/value.hpp"

namespace gyre::wasm {

// Of one fill_bytes.
inline constexpr std::int64_t random_bytes_max = 1'000'000;

// A request as a module of the first generation sends it, as the second has it.
[[nodiscard]] effect::Arguments from_first_generation(const effect::OpInfo& op,
                                                      effect::Arguments arguments);
// The answer to it: `{ok}`, `{ok, value}` or `{ok, code, message}`; a variable is its text or nothing.
[[nodiscard]] effect::Answer to_first_generation(const effect::OpInfo& op, effect::Answer answer);

}  // namespace gyre::wasm
