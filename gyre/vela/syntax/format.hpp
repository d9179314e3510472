// SPDX-License-Identifier: Apache-2.0
// The formatter: one way to lay out a Vela file. It decides blanks and indentation; where lines end
// stays the writer's choice, as long as a block that is not on one line has its braces on lines of
// their own. Formatting twice is formatting once, and the tree stays what it was. A pure function.
#pragma once

#include <string>

#include "gyre/vela/syntax/parser.hpp"

namespace gyre::vela {

// Of a tree without errors.
[[nodiscard]] std::string format(const Tree& tree);

}  // namespace gyre::vela
