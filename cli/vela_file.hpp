// SPDX-License-Identifier: Apache-2.0
// Reading Vela files, and telling people what is wrong with them: what the commands on Vela share.
// One thread.
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

// To standard error, with colour only where a terminal shows it and NO_COLOR is not set.
void tell(const vela::Diagnostics& diagnostics);

}  // namespace gyre::cli
