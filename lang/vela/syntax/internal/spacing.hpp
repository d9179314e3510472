// SPDX-License-Identifier: Apache-2.0
// Whether a blank stands between two neighbours on a line; for the formatter. Pure functions.
#pragma once

#include <vector>

#include "lang/vela/syntax/detail/token.hpp"

namespace gyre::vela::internal {

[[nodiscard]] bool has_blank(const std::vector<Token>& tokens, std::size_t before,
                             std::size_t index);

// A `=` that was read as one sign with the `>` before it, which closes types.
[[nodiscard]] bool is_split(const Token& token);

}  // namespace gyre::vela::internal
