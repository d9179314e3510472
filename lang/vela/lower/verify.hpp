// SPDX-License-Identifier: Apache-2.0
// verify: proves the properties that every interpreter of lowered code relies on: jumps stay
// inside, every read follows a write on each path, also through a state that keeps only what it
// declares; a state keeps nothing else; types agree; every instruction and state is reachable.
//
//     for (const auto& fault : vela::verify(*lowered, program->types)) std::puts(fault.c_str());
//
// Thread: any that may use the Program.
// Lifetime: the result is a value.
//
// It works on the finished code alone and shares no step with the lowering but the list of edges.
#pragma once

#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela {

// A line for each thing that is wrong, with the place; nothing where all is right.
[[nodiscard]] std::vector<std::string> verify(const Code& code, Types& types);
[[nodiscard]] std::vector<std::string> verify(const Lowered& lowered, Types& types);

}  // namespace gyre::vela
