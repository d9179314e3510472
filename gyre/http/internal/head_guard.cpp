// SPDX-License-Identifier: Apache-2.0
// Scans from one control character to the next; start lines are checked when they are complete.
#include "gyre/http/internal/head_guard.hpp"

#include <algorithm>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

bool is_known_version(std::string_view text) noexcept {
    return text == "HTTP/1.1" || text == "HTTP/1.0";
}

// Any version in the form of RFC 9112 2.3.
bool is_version(std::string_view text) noexcept {
    return text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5]) && text[6] == '.' &&
           is_digit(text[7]);
}

// RFC 9112 3.2: origin form, absolute form, authority form or `*`.
bool is_target(std::string_view method, std::string_view target) noexcept {
    if (method == "CONNECT") {
        return !target.empty() && target.find(':') != std::string_view::npos &&
               is_authority(target);
    }
    if (target == "*") return method == "OPTIONS";
    if (target.starts_with('/')) return true;
    const std::string_view scheme = target.substr(0, target.find("://"));
    const std::string_view authority = target_authority(target);
    return (same_word(scheme, "http") || same_word(scheme, "https")) && !authority.empty() &&
           is_authority(authority);
}

// The fast path: method, path, version. Anything else is checked word by word.
bool is_plain_request_line(std::string_view line) noexcept {
    constexpr std::size_t version_size = std::string_view("HTTP/1.1").size();
    if (line.size() < version_size) return false;
    const std::string_view words = line.substr(0, line.size() - version_size);
    if (!is_known_version({words.end(), version_size})) return false;
    std::size_t space = 0;
    while (is_token_character(line[space]))
        ++space;  // Ends at the latest at the slash of the version.
    // CONNECT has an authority, no path.
    return space > 0 && line.front() != 'C' && line.substr(space).starts_with(" /") &&
           words.find(' ', space + 1) + 1 == words.size();
}

}  // namespace

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
                return refuse(check_start(line));
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
        return check_start(line);
    }
    if (line.front() == ' ') {
        return field_count_ == 0 ? Refusal::space_before_fields : Refusal::folded_field;
    }
    if (++field_count_ > limits.field_count_max) return Refusal::field_count_over_limit;
    return Refusal::none;
}

Refusal HeadGuard::check_start(std::string_view line) const noexcept {
    return start_ == Start::request_line ? check_request_line(line) : check_status_line(line);
}

Refusal check_request_line(std::string_view line) noexcept {
    if (is_plain_request_line(line)) return Refusal::none;
    const std::size_t first = line.find(' ');
    if (first == std::string_view::npos) return Refusal::malformed_request_line;
    if (first == 0) return Refusal::spaces_in_request_line;
    const std::size_t second = line.find(' ', first + 1);
    if (second == std::string_view::npos) return Refusal::malformed_request_line;
    const std::string_view method = line.substr(0, first);
    const std::string_view target = line.substr(first + 1, second - first - 1);
    const std::string_view version = line.substr(second + 1);
    const bool is_known = is_known_version(version);
    if (target.empty() || (!is_known && version.find(' ') != std::string_view::npos)) {
        return Refusal::spaces_in_request_line;
    }
    if (!is_token(method)) return Refusal::malformed_request_line;
    if (!is_version(version)) return Refusal::malformed_version;
    if (!is_known) return Refusal::unknown_version;
    if (!is_target(method, target)) return Refusal::malformed_target;
    return Refusal::none;
}

Refusal check_status_line(std::string_view line) noexcept {
    const std::size_t first = line.find(' ');
    if (!is_known_version(line.substr(0, first))) {
        return line.starts_with("HTTP/") && first != std::string_view::npos
                   ? Refusal::unknown_version
                   : Refusal::malformed_status_line;
    }
    if (first == std::string_view::npos) return Refusal::malformed_status_line;
    // Three digits, then the end or a space: servers without a reason often omit the space too.
    const std::string_view status = line.substr(first + 1, 3);
    const bool is_number =
        status.size() == 3 && std::all_of(status.begin(), status.end(), is_digit);
    const std::size_t end = first + 4;
    if (!is_number || status.front() == '0' || (end < line.size() && line[end] != ' ')) {
        return Refusal::malformed_status_line;
    }
    return Refusal::none;
}

}  // namespace gyre::http
