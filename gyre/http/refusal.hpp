// SPDX-License-Identifier: Apache-2.0
// Limits, Refusal, MessageRefused: the limits of a message, the reasons to refuse one that exceeds
// them or is malformed, and the exception that carries such a reason.
//
//     http::ServerOptions options;
//     options.limits.body_bytes_max = 1 << 20;
//     try {
//         const std::string body = co_await request.text();
//     } catch (const http::MessageRefused& refused) {
//         log(LogLevel::info, "refused with status %d", http::status_of(refused.why()));
//         throw;  // the server responds with that status
//     }
//
// Thread: plain values and pure functions.
// Lifetime: plain values.
//
// After a refusal the connection is closed: the start of the next message cannot be known.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gyre/base/failure.hpp"

namespace gyre::http {

// A message that exceeds one of these is refused.
struct Limits {
    // A request line, a status line or a field line, without its CRLF.
    std::uint32_t line_bytes_max = 8U << 10U;
    // The whole head, with the empty line at its end.
    std::uint32_t head_bytes_max = 32U << 10U;
    std::uint32_t field_count_max = 100;
    std::uint64_t body_bytes_max = 8U << 20U;
    // The line before a chunk, with its extensions.
    std::uint32_t chunk_line_bytes_max = 256;
    // The fields after the last chunk, with the empty line at their end.
    std::uint32_t trailer_bytes_max = 4U << 10U;
};

// clang-format off
// Name, status of the response, section of RFC 9112.
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
    refusal(malformed_version, 400, "2.3")             \
    refusal(unknown_version, 505, "2.3")               \
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
    refusal(start_line_over_limit, 414, "3")           \
    refusal(field_line_over_limit, 431, "5")           \
    refusal(head_bytes_over_limit, 431, "5")           \
    refusal(field_count_over_limit, 431, "5")          \
    refusal(body_bytes_over_limit, 413, "6")           \
    refusal(chunk_line_over_limit, 400, "7.1.1")       \
    refusal(trailer_bytes_over_limit, 431, "7.1.2")    \
    refusal(memory_over_limit, 503, "")
// clang-format on

enum class Refusal : std::uint8_t {
#define GYRE_HTTP_REFUSAL(name, status, rule) name,
    GYRE_HTTP_REFUSALS(GYRE_HTTP_REFUSAL)
#undef GYRE_HTTP_REFUSAL
};

[[nodiscard]] std::string_view name_of(Refusal refusal) noexcept;
[[nodiscard]] int status_of(Refusal refusal) noexcept;
// The section of RFC 9112 that the message violates.
[[nodiscard]] std::string_view rule_of(Refusal refusal) noexcept;

// Thrown by whatever reads the message. A handler need not catch it: the server responds with its
// status.
class MessageRefused : public Failure {
public:
    explicit MessageRefused(Refusal why)
        : Failure("a message is refused: " + std::string(name_of(why))), why_(why) {}
    [[nodiscard]] Refusal why() const noexcept { return why_; }

private:
    Refusal why_;
};

}  // namespace gyre::http
