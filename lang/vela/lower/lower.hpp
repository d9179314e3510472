// SPDX-License-Identifier: Apache-2.0
// lower, print, verify: a checked program as instructions and state machines; those as text for
// people; and the proof that an interpreter may rely on them.
//
//     const auto lowered = vela::lower(*program);
//     std::puts(vela::print(*lowered).c_str());
//     for (const auto& fault : vela::verify(*lowered, program->types)) std::puts(fault.c_str());
//
// Thread: any that may use the Program.
// Lifetime: the lowered code points into the Program; texts are values.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela {

// The program must be without errors, and outlives the result.
[[nodiscard]] std::unique_ptr<Lowered> lower(Program& program);

// Adds the modules of the program from `first_module` on, which were checked after the others.
void lower_more(Lowered& lowered, std::size_t first_module);

// The name of a state and the variables it keeps: "Start", "Await2(a)".
[[nodiscard]] std::string state_text(const Code& code, std::size_t state);
[[nodiscard]] std::string print(const Code& code);
// Without the functions of the standard surface.
[[nodiscard]] std::string print(const Lowered& lowered);

// verify proves the properties that every interpreter of lowered code relies on: jumps stay inside;
// every read follows a write on each path, also through a state that keeps only what it declares; a
// state keeps nothing else; types agree; every instruction and state is reachable. It works on the
// finished code and shares only the list of edges with the lowering.
//
// Gives a line with its place for each fault; empty if the code is valid.
[[nodiscard]] std::vector<std::string> verify(const Code& code, Types& types);
[[nodiscard]] std::vector<std::string> verify(const Lowered& lowered, Types& types);

}  // namespace gyre::vela
