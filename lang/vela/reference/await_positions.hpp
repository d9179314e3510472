// SPDX-License-Identifier: Apache-2.0
// The syntactic positions of the awaits of a program, as words: proves that random programs have
// awaits in all of them. A pure function.
#pragma once

#include <set>
#include <string>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

// Adds a word for the direct parent of each await ("argument", "guard"), and for each enclosing
// construct ("loop", "finally").
void add_await_positions(const Tree& tree, std::set<std::string>& found);

}  // namespace gyre::vela
