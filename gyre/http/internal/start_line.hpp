// SPDX-License-Identifier: Apache-2.0
// The first line of a head, by the letter of RFC 9112 3 and 4: single spaces, and a version that we
// speak. What a method or a target may be is llhttp's to say. Pure functions.
#pragma once

#include <string_view>

#include "gyre/http/refusal.hpp"

namespace gyre::http {

[[nodiscard]] Refusal check_request_line(std::string_view line) noexcept;
[[nodiscard]] Refusal check_status_line(std::string_view line) noexcept;
// `host` or `host:port`, or nothing: what a Host field may hold.
[[nodiscard]] bool is_authority(std::string_view text) noexcept;

}  // namespace gyre::http
