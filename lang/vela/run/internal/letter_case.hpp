// SPDX-License-Identifier: Apache-2.0
// The case of letters, by the simple case mappings of Unicode: one code point for one, so the length
// of a text in code points stays (`ß` has no upper case here). Any thread; no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gyre::vela::vm {

[[nodiscard]] std::string upper_case(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);
// Of one UTF-8 sequence, or of one byte that is none.
[[nodiscard]] std::uint32_t code_point_of(std::string_view sequence) noexcept;

}  // namespace gyre::vela::vm
