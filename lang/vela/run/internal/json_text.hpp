// SPDX-License-Identifier: Apache-2.0
// JSON as text and as values, and code points as UTF-8. One thread: that of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

[[nodiscard]] std::string json_text(Vm& vm, Word value);
// Ok, or Err with a ParseError.
[[nodiscard]] Word json_result(Vm& vm, std::string_view text);
void append_utf8(std::string& to, std::uint32_t code);

}  // namespace gyre::vela::vm
