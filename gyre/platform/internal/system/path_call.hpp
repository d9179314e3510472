// SPDX-License-Identifier: Apache-2.0
// Shared by calls that take a path: a check of the path, and the conversion of the result. Any
// thread.
#pragma once

#include <string>

#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {

// The system would take the part before a NUL byte for the whole path.
inline bool is_path(const std::string& text) noexcept {
    return text.find('\0') == std::string::npos;
}
inline std::unexpected<Error> no_path() noexcept {
    return std::unexpected(Error(std::errc::invalid_argument));
}

// For a call that returns 0, or a negative value and sets errno.
template <class Call>
Result<void> outcome_of(Call call) noexcept {
    if (without_interruption(call) < 0) return last_error();
    return {};
}

}  // namespace gyre::platform
