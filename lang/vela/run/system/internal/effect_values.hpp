// SPDX-License-Identifier: Apache-2.0
// Json of the program as values of gyre/effect, and back. One thread: that of the machine.
#pragma once

#include "gyre/effect/value.hpp"
#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

// Throws an Error of the program for a value that is nested deeper than effect_depth_max.
inline constexpr int effect_depth_max = 100;
[[nodiscard]] effect::Value to_value(Vm& vm, Word json, int depth = 0);
[[nodiscard]] Word to_word(Vm& vm, const effect::Value& value);

}  // namespace gyre::vela::vm
