// SPDX-License-Identifier: Apache-2.0
// Where the awaits of a program stand, in words: to know that random programs have them everywhere.
// A pure function; any thread.
#pragma once

#include <set>
#include <string>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

// Adds a word for what each await is directly part of ("argument", "guard"), and for all that is
// around it ("loop", "finally").
void add_await_positions(const Tree& tree, std::set<std::string>& found);

}  // namespace gyre::vela
