// SPDX-License-Identifier: Apache-2.0
// log, print_line: one log for the library, and lines for standard output. Neither waits for a reader.
// A line of the log goes to the sink if its level is enabled;
// GYRE_LOG=error|warn|info|debug|trace|off sets the level (default: warn).
//
//     log(LogLevel::warn, "retrying in %d ms", delay_ms);
//
// Thread: any may log. Set the sink before loops run.
// Lifetime: the sink outlives every thread that logs.
#pragma once

#include "gyre/base/detail/compiler.hpp"  // first: checks the compiler

#include <cstdint>
#include <string_view>

namespace gyre {

enum class LogLevel { off, error, warn, info, debug, trace };

// Receives one line without its newline. Several threads may call it at once.
using LogSink = void (*)(LogLevel level, std::string_view line);

// The default sink writes `gyre: warn: …` to standard error, one write a line. A line for which it would
// have to wait, because a pipe or a terminal is full, is dropped and counted; the next one says so. An
// exception of a sink loses its line.
void set_log_sink(LogSink sink) noexcept;
void set_log_level(LogLevel level) noexcept;
[[nodiscard]] LogLevel log_level() noexcept;

// Parses a level as in GYRE_LOG; an unknown name gives `warn`.
[[nodiscard]] LogLevel log_level_of(std::string_view name) noexcept;
[[nodiscard]] const char* name_of(LogLevel level) noexcept;

enum class Printed { yes, dropped, failed };
// Writes a line with its newline to standard output, as the default sink does to standard error; at
// most 4096 bytes. It fails if nobody can read it any more, or the disk is full.
Printed print_line(std::string_view line) noexcept;
// Of standard error and standard output together.
[[nodiscard]] std::uint64_t dropped_line_count() noexcept;

[[gnu::format(printf, 2, 3)]] void log(LogLevel level, const char* message, ...);

}  // namespace gyre
