// SPDX-License-Identifier: Apache-2.0
// print: lowered code as text for people. Pure functions.
//
//     std::puts(vela::print(*lowered).c_str());
//
// Thread: any.
// Lifetime: the text is a value.
#pragma once

#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela {

// "Start", "Await2(a)": the name of a state, and what it keeps.
[[nodiscard]] std::string state_text(const Code& code, std::size_t state);
[[nodiscard]] std::string print(const Code& code);
// Without what the standard surface brings.
[[nodiscard]] std::string print(const Lowered& lowered);

}  // namespace gyre::vela
