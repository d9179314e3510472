// SPDX-License-Identifier: Apache-2.0
// Whether the formatter puts a blank between two tokens on a line. Pure functions.
#pragma once

#include <vector>

#include "lang/vela/syntax/detail/token.hpp"

namespace gyre::vela::internal {

[[nodiscard]] bool has_blank(const std::vector<Token>& tokens, std::size_t before,
                             std::size_t index);

// A `=` that was lexed as `>=` with the `>` that closes type arguments.
[[nodiscard]] bool is_split(const Token& token);

}  // namespace gyre::vela::internal
