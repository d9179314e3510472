// SPDX-License-Identifier: Apache-2.0
// format: lays out a Vela file in the one style. It decides blanks and indentation; line ends stay
// the writer's choice, except that a block of several lines has its braces on lines of their own.
// Formatting twice is formatting once, and the tree stays the same. A pure function.
//
//     const std::string text = vela::format(vela::parse(source, diagnostics));
//
// Thread: any.
// Lifetime: the text is a value.
#pragma once

#include <string>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

// Of a tree without errors.
[[nodiscard]] std::string format(const Tree& tree);

}  // namespace gyre::vela
