// SPDX-License-Identifier: Apache-2.0
// Standard output as the result of a command: what could not be written makes the command fail.
// Called by main, on its thread.
#pragma once

#include <optional>
#include <string>

namespace gyre::cli {

// Call it before anything is opened: a descriptor 0, 1 or 2 that the caller closed would go to the
// next file or socket, and the command's text into that.
void prepare_standard_streams();

// Writes the rest of standard output. Why that, or an earlier write, failed; nullopt if none did.
[[nodiscard]] std::optional<std::string> finish_output();

// Why standard output cannot be written, after a write that failed: another one fails likewise.
[[nodiscard]] std::string output_failure();

// Writes the line, with its newline, to standard error if that takes it at once: a pipe that nobody
// reads must not stop a server, nor its end.
void print_error_line(const std::string& line) noexcept;

}  // namespace gyre::cli
