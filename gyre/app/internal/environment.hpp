// SPDX-License-Identifier: Apache-2.0
// The environment variables of a program. A value that cannot be used is ignored, with one warning
// that names the variable, the value, and what is allowed. Called while the program is set up, by
// one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gyre {

// Null if the variable is not set, or empty.
[[nodiscard]] const char* environment_value(const char* variable) noexcept;

// Logs `variable=value is ignored: advice`.
void warn_ignored(const char* variable, std::string_view value, std::string_view advice);

// GYRE_LOG is read by the log itself; this warns if its value is no level.
void check_log_variable();

// GYRE_PLATFORM: uring, epoll, best or sim; else empty.
[[nodiscard]] std::string platform_from_environment();

// GYRE_SEED: a number.
[[nodiscard]] std::optional<std::uint64_t> seed_from_environment();

}  // namespace gyre
