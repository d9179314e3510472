// SPDX-License-Identifier: Apache-2.0
// What the calls that take a path share: a look at the path, and a result. Any thread.
#pragma once

#include <string>

#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {

// The system would take the part before a 0 byte for the whole path.
inline bool is_path(const std::string& text) noexcept {
    return text.find('\0') == std::string::npos;
}
inline std::unexpected<Error> no_path() noexcept {
    return std::unexpected(Error(std::errc::invalid_argument));
}

// Of a call that gives 0, or below 0 and errno.
template <class Call>
Result<void> outcome_of(Call call) noexcept {
    if (without_interruption(call) < 0) return last_error();
    return {};
}

}  // namespace gyre::platform
