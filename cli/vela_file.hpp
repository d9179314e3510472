// SPDX-License-Identifier: Apache-2.0
// Reading Vela files, and telling people what is wrong with them: what the commands on Vela share.
// One thread.
#pragma once

#include <expected>
#include <string>

#include "gyre/vela/syntax/diagnostic.hpp"

namespace gyre::cli {

// The text of a file; otherwise one line that says why there is none.
[[nodiscard]] std::expected<std::string, std::string> read_vela_file(const std::string& path);

// To standard error, with colour only where a terminal shows it and NO_COLOR is not set.
void tell(const vela::Diagnostics& diagnostics);

}  // namespace gyre::cli
