// SPDX-License-Identifier: Apache-2.0
// How a head is looked at: from one control character to the next.
#include "gyre/http/internal/head_guard.hpp"

#include <algorithm>

namespace gyre::http {

ParseState HeadGuard::scan(std::string_view text, const Limits& limits) noexcept {
    for (std::size_t at = scanned_;;) {
        at = find_control(text, at);
        scanned_ = at;
        if (const Refusal why = over_limit(at, limits); why != Refusal::none) return refuse(why);
        if (at == text.size()) return ParseState::more;
        if (text[at] == '\t') {
            if (const Refusal why = check_tab(at); why != Refusal::none) return refuse(why);
            ++at;
            continue;
        }
        if (text[at] == '\n') return refuse(Refusal::bare_line_feed);
        if (text[at] != '\r') return refuse(Refusal::control_character);
        if (at + 1 == text.size()) return ParseState::more;
        if (text[at + 1] != '\n') return refuse(Refusal::bare_carriage_return);

        const std::string_view line = text.substr(line_begin_, at - line_begin_);
        at += 2;
        line_begin_ = at;
        scanned_ = at;
        if (line.empty()) {
            if (!is_in_start_line()) {
                const bool is_over =
                    at - begin_ >
                    (start_ == Start::nothing ? limits.trailer_bytes_max : limits.head_bytes_max);
                return is_over ? refuse(over_limit(at, limits)) : ParseState::complete;
            }
            // RFC 9112 2.2: one empty line before a request line is to be ignored.
            if (begin_ != 0 || start_ != Start::request_line) {
                return refuse(check_start_(line));
            }
            begin_ = at;
            continue;
        }
        if (const Refusal why = check_line(line, limits); why != Refusal::none) return refuse(why);
    }
}

Refusal HeadGuard::over_limit(std::size_t at, const Limits& limits) const noexcept {
    const bool is_trailer = start_ == Start::nothing;
    const std::size_t line_end_max = line_begin_ + limits.line_bytes_max;
    const std::size_t end_max =
        begin_ + (is_trailer ? limits.trailer_bytes_max : limits.head_bytes_max);
    // The one that a byte more at a time would have met first.
    if (at <= std::min(line_end_max, end_max)) return Refusal::none;
    if (end_max < line_end_max) {
        return is_trailer ? Refusal::trailer_bytes_over_limit : Refusal::head_bytes_over_limit;
    }
    return is_in_start_line() ? Refusal::start_line_over_limit : Refusal::field_line_over_limit;
}

Refusal HeadGuard::check_tab(std::size_t at) const noexcept {
    if (is_in_start_line()) return Refusal::control_character;
    if (at != line_begin_) return Refusal::none;
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
