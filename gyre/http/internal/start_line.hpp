// SPDX-License-Identifier: Apache-2.0
// Checks of request lines and status lines, RFC 9112 3 and 4: single spaces and a supported
// version. llhttp checks methods and targets. Pure functions.
#pragma once

#include <string_view>

#include "gyre/http/refusal.hpp"

namespace gyre::http {

[[nodiscard]] Refusal check_request_line(std::string_view line) noexcept;
[[nodiscard]] Refusal check_status_line(std::string_view line) noexcept;
// A valid value of a Host field: `host`, `host:port` or empty.
[[nodiscard]] bool is_authority(std::string_view text) noexcept;

}  // namespace gyre::http
