// SPDX-License-Identifier: Apache-2.0
#include "gyre/app/internal/environment.hpp"

#include <charconv>
#include <cstdlib>

#include "gyre/base/log.hpp"

namespace gyre {

const char* environment_value(const char* variable) noexcept {
    const char* value = std::getenv(variable);
    return value == nullptr || *value == '\0' ? nullptr : value;
}

void warn_ignored(const char* variable, std::string_view value, std::string_view advice) {
    log(LogLevel::warn, "%s=%.*s is ignored: %.*s", variable, static_cast<int>(value.size()),
        value.data(), static_cast<int>(advice.size()), advice.data());
}

void check_log_variable() {
    const char* value = environment_value("GYRE_LOG");
    if (value == nullptr || name_of(log_level_of(value)) == std::string_view(value)) return;
    warn_ignored("GYRE_LOG", value, "choose off, error, warn, info, debug or trace");
}

std::string platform_from_environment() {
    const char* value = environment_value("GYRE_PLATFORM");
    if (value == nullptr) return {};
    for (const std::string_view name : {"uring", "epoll", "best", "sim"}) {
        if (name == value) return value;
    }
    warn_ignored("GYRE_PLATFORM", value, "choose uring, epoll, best or sim");
    return {};
}

std::optional<std::uint64_t> seed_from_environment() {
    const char* value = environment_value("GYRE_SEED");
    if (value == nullptr) return std::nullopt;
    const std::string_view text(value);
    std::uint64_t seed = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data(), end, seed);
    if (error == std::errc() && stopped_at == end) return seed;
    warn_ignored("GYRE_SEED", value, "write a number from 0 to 18446744073709551615");
    return std::nullopt;
}

}  // namespace gyre
