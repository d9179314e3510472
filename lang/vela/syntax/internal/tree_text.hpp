// SPDX-License-Identifier: Apache-2.0
// tree_text: a tree as text, one line for each declaration, with brackets around every node and
// without places. Sources with equal trees give equal texts. For tests and debugging. A pure
// function.
#pragma once

#include <string>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

[[nodiscard]] std::string tree_text(const Tree& tree);

}  // namespace gyre::vela
