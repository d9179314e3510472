// SPDX-License-Identifier: Apache-2.0
// A tree as text: one line a declaration, brackets around every node, no places. Two texts that
// mean the same to the parser give the same. For tests and for looking at. A pure function; any
// thread.
#pragma once

#include <string>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

[[nodiscard]] std::string tree_text(const Tree& tree);

}  // namespace gyre::vela
