// SPDX-License-Identifier: Apache-2.0
// Conditional requests, RFC 9110 13. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gyre/http/message.hpp"

namespace gyre::http {

// The validators of the current content.
struct Validators {
    std::string_view etag;  // with quotes, and `W/` if weak; empty: none
    std::optional<UnixSeconds> modified;
};

enum class Condition : std::uint8_t {
    holds,         // process the request normally
    not_modified,  // 304
    failed,        // 412
};

// Evaluates the conditions in the order of RFC 9110 13.2.2.
[[nodiscard]] Condition check_conditions(Method method, const Fields& fields,
                                         const Validators& current) noexcept;
// Whether If-Range allows the Range field.
[[nodiscard]] bool is_range_current(const Fields& fields, const Validators& current) noexcept;

// A `strong` comparison never matches a weak tag.
[[nodiscard]] bool is_same_tag(std::string_view a, std::string_view b) noexcept;
[[nodiscard]] bool is_same_tag_strongly(std::string_view a, std::string_view b) noexcept;

}  // namespace gyre::http
