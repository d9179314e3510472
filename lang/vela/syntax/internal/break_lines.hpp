// SPDX-License-Identifier: Apache-2.0
// breaks_of: where the lines of a formatted text that are too long can be parted. A pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela::internal {

// Offsets of the text, in order: a line end before each of them parts every line of more than
// `columns_max` columns once, at its outermost place. Empty if no line is too long, or none of those
// has such a place.
[[nodiscard]] std::vector<std::uint32_t> breaks_of(const Tree& tree, std::size_t columns_max);

}  // namespace gyre::vela::internal
