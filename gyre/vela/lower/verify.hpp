// SPDX-License-Identifier: Apache-2.0
// verify: proves of a lowered function what everybody who runs it relies on: jumps stay inside,
// what is read was written on every way there, also through a state that keeps only what it says it
// keeps; a state keeps nothing else; types agree; every instruction and state can be reached.
//
// Works on the finished code alone and shares no step with the lowering but the list of edges. A
// pure function; any thread that may use the Program.
#pragma once

#include "gyre/vela/lower/code.hpp"

namespace gyre::vela {

// A line for each thing that is wrong, with the place; nothing where all is right.
[[nodiscard]] std::vector<std::string> verify(const Code& code, Types& types);
[[nodiscard]] std::vector<std::string> verify(const Lowered& lowered, Types& types);

}  // namespace gyre::vela
