// SPDX-License-Identifier: Apache-2.0
// Chooses the platform of a loop at run time, by name or as the best there is. Any thread may ask;
// the platform belongs to whoever asked, and must not outlive the clock.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/base/result.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/platform.hpp"

namespace gyre::platform {

struct PlatformError {
    Error error;
    std::string message;  // says what to do
};

// Without a name: what the environment variable GYRE_PLATFORM names, else the best there is.
[[nodiscard]] std::expected<std::unique_ptr<Platform>, PlatformError> make_platform(
    Clock& clock, std::string_view name = "");

}  // namespace gyre::platform
