// SPDX-License-Identifier: Apache-2.0
// HeadGuard: checks the bytes of a head, or of trailers, line by line as they arrive, before they
// are parsed. Refuses input that parsers are known to interpret differently (request smuggling):
// line ends other than CRLF, control characters, folded fields, start lines with more than single
// spaces. Finds the end and enforces the limits. The verdict depends on the bytes alone, not on how
// they were split. One per connection, reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

class HeadGuard {
public:
    // The line before the fields.
    enum class Start : std::uint8_t { request_line, status_line, nothing };

    explicit HeadGuard(Start start) noexcept : start_(start) {}

    // `text`: all bytes of the message so far, including those of earlier calls.
    [[nodiscard]] ParseState scan(std::string_view text, const Limits& limits) noexcept;
    // The begin of the first line: an empty line before a request line is skipped.
    [[nodiscard]] std::size_t begin() const noexcept { return begin_; }
    // When complete: the end of the empty line.
    [[nodiscard]] std::size_t end() const noexcept { return scanned_; }
    [[nodiscard]] std::size_t field_count() const noexcept { return field_count_; }
    [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }
    void reset() noexcept { *this = HeadGuard(start_); }

private:
    [[nodiscard]] bool is_in_start_line() const noexcept {
        return start_ != Start::nothing && !has_start_line_;
    }
    [[nodiscard]] ParseState refuse(Refusal why) noexcept {
        refusal_ = why;
        return ParseState::refused;
    }
    [[nodiscard]] std::size_t bytes_max_of(const Limits& limits) const noexcept {
        return start_ == Start::nothing ? limits.trailer_bytes_max : limits.head_bytes_max;
    }
    // Which limit is reached first: that of the line, or that of the head.
    [[nodiscard]] Refusal limit_met(const Limits& limits) const noexcept;
    // Checks the control character that was scanned last.
    [[nodiscard]] Refusal check_control(char c) const noexcept;
    [[nodiscard]] Refusal check_line(std::string_view line, const Limits& limits) noexcept;
    [[nodiscard]] Refusal check_start(std::string_view line) const noexcept;

    Start start_;
    bool has_start_line_ = false;
    Refusal refusal_ = Refusal::none;
    std::uint32_t field_count_ = 0;
    std::size_t begin_ = 0;
    std::size_t line_begin_ = 0;
    std::size_t scanned_ = 0;
};

// The start lines of RFC 9112 3 and 4, without their line end: single spaces and a supported
// version. llhttp checks the method and the characters of the target.
[[nodiscard]] Refusal check_request_line(std::string_view line) noexcept;
[[nodiscard]] Refusal check_status_line(std::string_view line) noexcept;

}  // namespace gyre::http
