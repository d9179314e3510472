// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/log.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/internal/line_output.hpp"

namespace gyre {
namespace {

constexpr std::array<const char*, 6> level_names = {"off",  "error", "warn",
                                                    "info", "debug", "trace"};

void write_to_stderr(LogLevel level, std::string_view line) {
    std::array<char, 1100> text{};
    const int size = std::snprintf(text.data(), text.size(), "gyre: %s: %.*s\n", name_of(level),
                                   static_cast<int>(line.size()), line.data());
    if (size <= 0) return;
    const auto length = std::min(static_cast<std::size_t>(size), text.size() - 1);
    static_cast<void>(standard_error().write(std::string_view(text.data(), length)));
}

LogLevel level_from_environment() noexcept {
    const char* name = std::getenv("GYRE_LOG");
    return name == nullptr ? LogLevel::warn : log_level_of(name);
}

Atomic<LogSink>& sink() noexcept {
    static Atomic<LogSink> value{write_to_stderr};
    return value;
}

Atomic<LogLevel>& level_in_force() noexcept {
    static Atomic<LogLevel> value{level_from_environment()};
    return value;
}

}  // namespace

void set_log_sink(LogSink new_sink) noexcept {
    sink().store(new_sink == nullptr ? write_to_stderr : new_sink);
}

void set_log_level(LogLevel level) noexcept {
    level_in_force().store(level);
}

LogLevel log_level() noexcept {
    // Relaxed: a level guards no data; a line logged or dropped just after a change does no harm.
    return level_in_force().load(std::memory_order_relaxed);
}

LogLevel log_level_of(std::string_view name) noexcept {
    const auto* found = std::find(level_names.begin(), level_names.end(), name);
    return found == level_names.end() ? LogLevel::warn
                                      : static_cast<LogLevel>(found - level_names.begin());
}

const char* name_of(LogLevel level) noexcept {
    return level_names[static_cast<std::size_t>(level)];
}

Printed print_line(std::string_view line) noexcept {
    return standard_output().write(line);
}

std::uint64_t dropped_line_count() noexcept {
    return standard_error().dropped_count() + standard_output().dropped_count();
}

void log(LogLevel level, const char* message, ...) {
    if (level == LogLevel::off || level > log_level()) return;
    std::array<char, 1024> text{};
    std::va_list arguments;
    va_start(arguments, message);
    const int wanted = std::vsnprintf(text.data(), text.size(), message, arguments);
    va_end(arguments);
    if (wanted < 0) return;
    const auto length = std::min(static_cast<std::size_t>(wanted), text.size() - 1);
    // A log line is no place for a failure to begin, and functions that may not throw log too.
    try {
        sink().load()(level, std::string_view(text.data(), length));
    } catch (...) {
        return;
    }
}

}  // namespace gyre
