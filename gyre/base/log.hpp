// SPDX-License-Identifier: Apache-2.0
// One log for the library: a line goes to the sink if its level is on. GYRE_LOG=error|warn|info|
// debug|trace|off sets the level (default warn). Any thread may log; set the sink before loops run.
#pragma once

#include <string_view>

namespace gyre {

enum class LogLevel { off, error, warn, info, debug, trace };

// Gets one line without its end. It may be called by several threads at once.
using LogSink = void (*)(LogLevel level, std::string_view line);

// The default sink writes `gyre: warn: …` to standard error, one write a line.
void set_log_sink(LogSink sink) noexcept;
void set_log_level(LogLevel level) noexcept;
[[nodiscard]] LogLevel log_level() noexcept;

// The level a name stands for, as GYRE_LOG has it; an unknown name is `warn`.
[[nodiscard]] LogLevel log_level_of(std::string_view name) noexcept;
[[nodiscard]] const char* name_of(LogLevel level) noexcept;

[[gnu::format(printf, 2, 3)]] void log(LogLevel level, const char* message, ...);

}  // namespace gyre
