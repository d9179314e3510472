// SPDX-License-Identifier: Apache-2.0
// Dates as HTTP writes them, RFC 9110 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`. Times are seconds
// since 1970 in UTC; the clock is the caller's. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gyre::http {

using UnixSeconds = std::int64_t;

[[nodiscard]] std::string date_text(UnixSeconds time);
// All three forms that the RFC knows; nothing where it is none of them.
[[nodiscard]] std::optional<UnixSeconds> parse_date(std::string_view text) noexcept;

}  // namespace gyre::http
