// SPDX-License-Identifier: Apache-2.0
// log: one log for the library. A line goes to the sink if its level is enabled;
// GYRE_LOG=error|warn|info|debug|trace|off sets the level (default: warn).
//
//     log(LogLevel::warn, "retrying in %d ms", delay_ms);
//
// Thread: any may log. Set the sink before loops run.
// Lifetime: the sink outlives every thread that logs.
#pragma once

#include "gyre/base/detail/compiler.hpp"  // first: checks the compiler

#include <string_view>

namespace gyre {

enum class LogLevel { off, error, warn, info, debug, trace };

// Receives one line without its newline. Several threads may call it at once.
using LogSink = void (*)(LogLevel level, std::string_view line);

// The default sink writes `gyre: warn: …` to standard error, one write a line.
void set_log_sink(LogSink sink) noexcept;
void set_log_level(LogLevel level) noexcept;
[[nodiscard]] LogLevel log_level() noexcept;

// Parses a level as in GYRE_LOG; an unknown name gives `warn`.
[[nodiscard]] LogLevel log_level_of(std::string_view name) noexcept;
[[nodiscard]] const char* name_of(LogLevel level) noexcept;

[[gnu::format(printf, 2, 3)]] void log(LogLevel level, const char* message, ...);

}  // namespace gyre
