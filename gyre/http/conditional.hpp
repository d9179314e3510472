// SPDX-License-Identifier: Apache-2.0
// Conditional requests, RFC 9110 13: whether what the other side has is still what there is. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gyre/http/date.hpp"
#include "gyre/http/message.hpp"

namespace gyre::http {

// What we have now.
struct Validators {
    std::string_view etag;  // with its quotes, and `W/` where it is weak; empty: none
    std::optional<UnixSeconds> modified;
};

enum class Condition : std::uint8_t {
    holds,         // answer as if nothing had been asked
    not_modified,  // 304
    failed,        // 412
};

// By the order of RFC 9110 13.2.2.
[[nodiscard]] Condition check_conditions(Method method, const Fields& fields,
                                         const Validators& current) noexcept;
// Whether a Range is to be followed, by what If-Range says.
[[nodiscard]] bool is_range_current(const Fields& fields, const Validators& current) noexcept;

// `strong` comparison takes no weak tags.
[[nodiscard]] bool is_same_tag(std::string_view a, std::string_view b) noexcept;
[[nodiscard]] bool is_same_tag_strongly(std::string_view a, std::string_view b) noexcept;

}  // namespace gyre::http
