// SPDX-License-Identifier: Apache-2.0
// Scans from one control character to the next.
#include "gyre/http/internal/head_guard.hpp"

#include <algorithm>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/characters.hpp"

namespace gyre::http {

ParseState HeadGuard::scan(std::string_view text, const Limits& limits) noexcept {
    GYRE_ASSERT(scanned_ <= text.size(), "a scan got %zu bytes after %zu: pass all bytes so far",
                text.size(), scanned_);
    const std::size_t bytes_max = bytes_max_of(limits);
    for (std::size_t at = scanned_;;) {
        at = find_control(text, at);
        scanned_ = at;
        // The limit that a byte-by-byte scan would reach first.
        if (at > std::min(line_begin_ + limits.line_bytes_max, begin_ + bytes_max)) {
            return refuse(limit_met(limits));
        }
        const std::string_view rest(text.data() + at, text.size() - at);
        if (!rest.starts_with("\r\n")) {
            if (rest.empty() || rest == "\r") return ParseState::more;
            if (const Refusal why = check_control(text[at]); why != Refusal::none) {
                return refuse(why);
            }
            ++at;
            continue;
        }
        const std::string_view line(text.data() + line_begin_, at - line_begin_);
        at += 2;
        line_begin_ = at;
        scanned_ = at;
        if (line.empty()) {
            if (!is_in_start_line()) {
                return at - begin_ > bytes_max ? refuse(limit_met(limits)) : ParseState::complete;
            }
            // RFC 9112 2.2: one empty line before a request line is ignored.
            if (begin_ != 0 || start_ != Start::request_line) {
                return refuse(check_start_(line));
            }
            begin_ = at;
            continue;
        }
        if (const Refusal why = check_line(line, limits); why != Refusal::none) return refuse(why);
    }
}

Refusal HeadGuard::limit_met(const Limits& limits) const noexcept {
    if (begin_ + bytes_max_of(limits) < line_begin_ + limits.line_bytes_max) {
        return start_ == Start::nothing ? Refusal::trailer_bytes_over_limit
                                        : Refusal::head_bytes_over_limit;
    }
    return is_in_start_line() ? Refusal::start_line_over_limit : Refusal::field_line_over_limit;
}

// A control character inside of a line: only a tab is allowed, and only in some places.
Refusal HeadGuard::check_control(char c) const noexcept {
    if (c == '\n') return Refusal::bare_line_feed;
    if (c == '\r') return Refusal::bare_carriage_return;
    if (c != '\t' || is_in_start_line()) return Refusal::control_character;
    if (scanned_ != line_begin_) return Refusal::none;
    return field_count_ == 0 ? Refusal::space_before_fields : Refusal::folded_field;
}

Refusal HeadGuard::check_line(std::string_view line, const Limits& limits) noexcept {
    if (is_in_start_line()) {
        has_start_line_ = true;
        return check_start_(line);
    }
    if (line.front() == ' ') {
        return field_count_ == 0 ? Refusal::space_before_fields : Refusal::folded_field;
    }
    if (++field_count_ > limits.field_count_max) return Refusal::field_count_over_limit;
    return Refusal::none;
}

}  // namespace gyre::http
