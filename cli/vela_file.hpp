// SPDX-License-Identifier: Apache-2.0
// Reading Vela files and printing their diagnostics, for the commands on Vela. One thread.
#pragma once

#include <expected>
#include <string>

#include "lang/vela/check/check.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::cli {

// Reads imported files from the system.
class SystemSourceFiles final : public vela::SourceFiles {
public:
    [[nodiscard]] std::expected<std::string, std::string> read(const std::string& path) override;
};

// All of standard input, up to the limit on the size of a file.
[[nodiscard]] std::expected<std::string, std::string> read_standard_input();

// To standard error, with colour only on a terminal and without NO_COLOR.
void tell(const vela::Diagnostics& diagnostics);

}  // namespace gyre::cli
