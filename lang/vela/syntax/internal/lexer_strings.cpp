// SPDX-License-Identifier: Apache-2.0
// Strings and interpolations.
#include <algorithm>

#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/internal/lexer.hpp"

namespace gyre::vela::internal {

void Lexer::string() {
    const std::uint32_t begin = at_;
    if (text_[at_] == '\'') {
        const std::size_t end = text_.find_first_of("'\n", at_ + 1);
        if (end == text_.npos || text_[end] == '\n') return unclosed(begin, begin);
        at_ = static_cast<std::uint32_t>(end) + 1;
        check_utf8({begin, at_});
        return add(TokenKind::string, begin);
    }
    const bool is_multi_line = looking_at("\"\"\"");
    if (is_multi_line && list_.tokens.empty()) return doc_comment();
    at_ += is_multi_line ? 3 : 1;
    string_text({is_multi_line, begin}, begin, true);
}

// A `"""` at the top of a file is a doc comment: nothing in it is interpolated.
void Lexer::doc_comment() {
    const std::uint32_t begin = at_;
    const std::size_t end = text_.find("\"\"\"", begin + 3);
    if (end == text_.npos) return unclosed(begin, begin);
    at_ = static_cast<std::uint32_t>(end) + 3;
    check_utf8({begin, at_});
    add(TokenKind::string, begin);
}

// From the opening quote, or the end of an interpolation, to the next `${` or the closing quote.
void Lexer::string_text(Interpolation in, std::uint32_t begin, bool is_first) {
    while (at_ < size()) {
        const char c = text_[at_];
        if (c == '\\') {
            escape();
        } else if (c == '$' && peek(1) == '{') {
            at_ += 2;
            check_utf8({begin, at_});
            add(is_first ? TokenKind::string_head : TokenKind::string_middle, begin);
            return open_interpolation(in);
        } else if (in.is_multi_line ? looking_at("\"\"\"") : c == '"') {
            at_ += in.is_multi_line ? 3 : 1;
            check_utf8({begin, at_});
            return add(is_first ? TokenKind::string : TokenKind::string_tail, begin);
        } else if (c == '\n' && !in.is_multi_line) {
            break;
        } else {
            ++at_;
        }
    }
    unclosed(in.begin, begin);
}

void Lexer::open_interpolation(Interpolation in) {
    in.bracket_count = brackets_.size();
    in.brace_count = 0;
    if (interpolations_.size() >= limits_.nesting_max) {
        error({at_ - 2, at_},
              concat("the limit on nesting is ", std::to_string(limits_.nesting_max),
                     " strings inside one another"));
        at_ = size();
        return;
    }
    interpolations_.push_back(in);
}

bool Lexer::closes_interpolation() {
    if (interpolations_.empty()) return false;
    if (interpolations_.back().brace_count > 0) {
        --interpolations_.back().brace_count;
        return false;
    }
    const Interpolation in = interpolations_.back();
    brackets_.resize(in.bracket_count);
    interpolations_.pop_back();
    const std::uint32_t begin = at_++;
    string_text(in, begin, false);
    return true;
}

// A missing quote is assumed on this line, so everything open there ends with the line. A brace on
// a later line then closes a block, not an interpolation.
void Lexer::unclosed(std::uint32_t string_begin, std::uint32_t token_begin) {
    const bool is_multi_line = text_.substr(string_begin).starts_with("\"\"\"");
    const std::string_view before = text_.substr(string_begin, token_begin - string_begin);
    const bool is_brace = !is_multi_line && before.find('\n') != before.npos;
    if (is_multi_line) {
        at_ = size();
    } else if (is_brace) {
        at_ = token_begin + 1;
    } else {
        at_ = std::min(size(),
                       static_cast<std::uint32_t>(text_.find('\n', std::max(at_, token_begin))));
    }
    while (!interpolations_.empty() && !interpolations_.back().is_multi_line) {
        string_begin = interpolations_.back().begin;
        interpolations_.pop_back();
    }
    error({string_begin, string_begin + 1}, is_multi_line
                                                ? "this string is not closed with `\"\"\"`"
                                                : "this string is not closed on its line");
    add(is_brace ? TokenKind::brace_close : TokenKind::string, token_begin);
    if (is_brace) note_bracket(TokenKind::brace_close);
}

void Lexer::escape() {
    const std::uint32_t begin = at_++;
    if (at_ == size() || peek() == '\n') return;
    if (std::string_view("ntr\"\\$0").find(peek()) == std::string_view::npos) {
        const std::uint32_t length = std::max(1U, utf8_length(text_.substr(at_)));
        error({begin, at_ + length}, concat("unknown escape `\\", text_.substr(at_, length), "`"))
            .note("known are \\n \\t \\r \\\" \\\\ \\$ \\0");
    }
    ++at_;
}

void Lexer::check_utf8(Span span) {
    std::string_view rest = text_.substr(span.begin, span.end - span.begin);
    std::uint32_t offset = span.begin;
    while (!rest.empty()) {
        const std::uint32_t length =
            static_cast<unsigned char>(rest[0]) < 0x80 ? 1 : utf8_length(rest);
        if (length == 0) {
            error({offset, offset + 1}, "this is not UTF-8");
            return;
        }
        rest.remove_prefix(length);
        offset += length;
    }
}

}  // namespace gyre::vela::internal
