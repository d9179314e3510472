// SPDX-License-Identifier: Apache-2.0
// Refusal: why a message is not taken. After one the connection is closed: what follows in it
// cannot be trusted to begin where we think. Plain values.
#pragma once

#include <cstdint>
#include <string_view>

namespace gyre::http {

// clang-format off
// The name, the status a server answers with, the rule of RFC 9112 it stands on.
#define GYRE_HTTP_REFUSALS(refusal)                    \
    refusal(none, 200, "")                             \
    refusal(bare_line_feed, 400, "2.2")                \
    refusal(bare_carriage_return, 400, "2.2")          \
    refusal(control_character, 400, "2.2")             \
    refusal(space_before_fields, 400, "2.2")           \
    refusal(folded_field, 400, "5.2")                  \
    refusal(malformed_request_line, 400, "3")          \
    refusal(spaces_in_request_line, 400, "3")          \
    refusal(unknown_method, 501, "3.1")                \
    refusal(malformed_target, 400, "3.2")              \
    refusal(unknown_version, 400, "2.3")               \
    refusal(malformed_status_line, 400, "4")           \
    refusal(malformed_field, 400, "5.1")               \
    refusal(missing_host, 400, "3.2")                  \
    refusal(repeated_host, 400, "3.2")                 \
    refusal(malformed_host, 400, "3.2")                \
    refusal(repeated_content_length, 400, "6.3")       \
    refusal(malformed_content_length, 400, "6.3")      \
    refusal(length_and_coding, 400, "6.1")             \
    refusal(unknown_coding, 400, "6.1")                \
    refusal(coding_in_old_version, 400, "6.1")         \
    refusal(malformed_chunk, 400, "7.1")               \
    refusal(malformed_trailer, 400, "7.1.2")           \
    refusal(framing_in_trailer, 400, "7.1.2")          \
    refusal(early_end, 400, "8")                       \
    refusal(start_line_over_limit, 414, "3")         \
    refusal(field_line_over_limit, 431, "5")           \
    refusal(head_bytes_over_limit, 431, "5")           \
    refusal(field_count_over_limit, 431, "5")          \
    refusal(body_bytes_over_limit, 413, "6")           \
    refusal(chunk_line_over_limit, 400, "7.1.1")       \
    refusal(trailer_bytes_over_limit, 431, "7.1.2")
// clang-format on

enum class Refusal : std::uint8_t {
#define GYRE_HTTP_REFUSAL(name, status, rule) name,
    GYRE_HTTP_REFUSALS(GYRE_HTTP_REFUSAL)
#undef GYRE_HTTP_REFUSAL
};

[[nodiscard]] std::string_view name_of(Refusal refusal) noexcept;
[[nodiscard]] int status_of(Refusal refusal) noexcept;
// The section of RFC 9112.
[[nodiscard]] std::string_view rule_of(Refusal refusal) noexcept;

}  // namespace gyre::http
