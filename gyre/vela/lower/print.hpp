// SPDX-License-Identifier: Apache-2.0
// Lowered code for people. Pure functions; any thread.
#pragma once

#include "gyre/vela/lower/code.hpp"

namespace gyre::vela {

// "Start", "Await2(a)": the name of a state, and what it keeps.
[[nodiscard]] std::string state_text(const Code& code, std::size_t state);
[[nodiscard]] std::string print(const Code& code);
// Without what the standard surface brings.
[[nodiscard]] std::string print(const Lowered& lowered);

}  // namespace gyre::vela
