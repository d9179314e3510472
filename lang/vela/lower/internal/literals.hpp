// SPDX-License-Identifier: Apache-2.0
// The values of literals. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gyre::vela::internal {

// The value of `42`, `0x2A` or `0b101`; the check has proved that it fits.
[[nodiscard]] std::int64_t integer_value(std::string_view text, bool is_negative);
// Of `2.5e-3`.
[[nodiscard]] double real_value(std::string_view text);
// A piece of a string with its escapes decoded.
[[nodiscard]] std::string unescaped(std::string_view text);

}  // namespace gyre::vela::internal
