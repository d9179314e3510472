// SPDX-License-Identifier: Apache-2.0
// Sections: the custom sections of a binary module, found without an engine. Reads hostile bytes: every
// length is checked before it is used. Any thread; the result refers to the module's bytes.
#pragma once

#include <optional>
#include <string_view>

namespace gyre::wasm {

// The content of the first custom section of that name; none: there is no such section. Throws a
// CompileError where a length leads out of the module.
[[nodiscard]] std::optional<std::string_view> find_section(std::string_view module,
                                                           std::string_view name);

}  // namespace gyre::wasm
