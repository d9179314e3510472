// SPDX-License-Identifier: Apache-2.0
// The values of literals. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gyre::vela::internal {

// Of `42`, `0x2A`, `0b101`, which the check has found to fit.
[[nodiscard]] std::int64_t integer_value(std::string_view text, bool is_negative);
// Of `2.5e-3`.
[[nodiscard]] double real_value(std::string_view text);
// A piece of a string with its escapes read.
[[nodiscard]] std::string unescaped(std::string_view text);

}  // namespace gyre::vela::internal
