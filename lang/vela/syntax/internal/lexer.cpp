// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/internal/lexer.hpp"

#include <algorithm>

#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/internal/characters.hpp"
#include "lang/vela/syntax/internal/signs.hpp"

namespace gyre::vela {

TokenList lex(const Source& source, Diagnostics& diagnostics, const Limits& limits) {
    return internal::Lexer(source, diagnostics, limits).run();
}

}  // namespace gyre::vela

namespace gyre::vela::internal {

TokenList Lexer::run() {
    if (text_.size() > limits_.file_bytes_max) {
        error({0, 0},
              concat("the file has ", std::to_string(text_.size()),
                     " bytes; the limit on file size is ", std::to_string(limits_.file_bytes_max)));
        text_ = {};
    }
    list_.tokens.reserve(text_.size() / 4 + 1);
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (!diagnostics_.is_full() && skip_blanks()) read_token();
    at_ = size();
    add(TokenKind::end_of_file, at_);
    return std::move(list_);
}

Diagnostic& Lexer::error(Span span, std::string message) {
    list_.error_offsets.push_back(span.begin);
    return diagnostics_.error("E0101", source_, span, std::move(message));
}

void Lexer::add(TokenKind kind, std::uint32_t begin) {
    Token token;
    token.kind = kind;
    token.is_after_newline = is_after_newline_;
    token.span = {begin, at_};
    list_.tokens.push_back(token);
    is_after_newline_ = false;
    if (at_ - begin > limits_.token_bytes_max) {
        error({begin, begin + 1}, concat("a token of ", std::to_string(at_ - begin),
                                         " bytes; the limit on token length is ",
                                         std::to_string(limits_.token_bytes_max)));
    }
}

// Skips blanks and comments. False at the end of the text.
bool Lexer::skip_blanks() {
    while (at_ < size()) {
        const char c = text_[at_];
        if (is_in(c, blank)) {
            is_after_newline_ |= c == '\n';
            ++at_;
        } else if (c == '#' || (c == '/' && peek(1) == '/')) {
            const std::uint32_t begin = at_;
            at_ = std::min(size(), static_cast<std::uint32_t>(text_.find('\n', at_)));
            std::uint32_t end = at_;
            while (is_in(text_[end - 1], blank)) --end;
            check_utf8({begin, end});
            list_.comments.push_back({begin, end});
        } else if (c == '/' && peek(1) == '*') {
            block_comment();
        } else {
            return true;
        }
    }
    return false;
}

void Lexer::block_comment() {
    const std::uint32_t begin = at_;
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) {
        error({begin, begin + 2}, "this comment is not closed with `*/`");
        at_ = size();
    } else {
        at_ = static_cast<std::uint32_t>(end) + 2;
    }
    check_utf8({begin, at_});
    list_.comments.push_back({begin, at_});
    const bool has_newline = text_.substr(begin, at_ - begin).find('\n') != text_.npos;
    is_after_newline_ |= has_newline;
}

void Lexer::read_token() {
    const char c = text_[at_];
    if (is_in(c, letter)) return word();
    if (is_in(c, digit)) return number();
    if (c == '"' || c == '\'') return string();
    if (static_cast<unsigned char>(c) >= 0x80) return wide_word();
    punctuation();
}

void Lexer::skip_word() {
    for (;;) {
        while (at_ < size() && is_in(text_[at_], letter | digit)) ++at_;
        if (at_ == size() || static_cast<unsigned char>(text_[at_]) < 0x80) return;
        const std::uint32_t length = utf8_length(text_.substr(at_));
        if (length == 0) return;
        if (!is_name_code_point(code_point(text_.substr(at_, length)))) return;
        at_ += length;
    }
}

void Lexer::word() {
    const std::uint32_t begin = at_;
    skip_word();
    add(keyword(text_.substr(begin, at_ - begin)), begin);
}

// A word that begins with a character above ASCII.
void Lexer::wide_word() {
    const std::uint32_t begin = at_;
    skip_word();
    if (at_ > begin) return add(TokenKind::name, begin);
    unknown_character();
}

// Characters that editors and other languages bring along.
static std::string_view hint_of(std::string_view character) {
    if (character == "\u201c" || character == "\u201d" || character == "\u201e") {
        return "strings stand in straight quotes: \"..\"";
    }
    if (character == "\u2018" || character == "\u2019" || character == "`") {
        return "strings stand in straight quotes: \"..\" or '..'";
    }
    if (character == "\u2013" || character == "\u2014" || character == "\u2212") {
        return "the minus sign is `-`";
    }
    if (character == "&") return "the logical operators are `&&` and `||`; bits have none";
    if (character == "^" || character == "~") return "Vela has no operators on bits";
    if (character == "\u00a0") return "this is a blank that does not break; write a plain one";
    return {};
}

// One error for adjacent unknown characters.
void Lexer::unknown_character() {
    const std::uint32_t begin = at_;
    const std::uint32_t length = utf8_length(text_.substr(at_));
    at_ += std::max(1U, length);
    if (length == 0) {
        while (at_ < size() && utf8_length(text_.substr(at_)) == 0) ++at_;
        error({begin, at_}, "this is not UTF-8");
    } else if (begin != after_unknown_) {
        const auto byte = static_cast<unsigned char>(text_[begin]);
        const bool is_control = byte < 0x20 || byte == 0x7F;
        const std::string_view character = text_.substr(begin, length);
        Diagnostic& diagnostic =
            error({begin, at_}, is_control ? std::string("a control character has no meaning here")
                                           : concat("`", character, "` has no meaning in Vela"));
        if (const std::string_view hint = hint_of(character); !hint.empty()) {
            diagnostic.note(std::string(hint));
        }
    }
    after_unknown_ = at_;
}

void Lexer::number() {
    const std::uint32_t begin = at_;
    const auto skip_digits = [this] {
        while (is_in(peek(), digit)) ++at_;
    };
    bool is_real = false;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'b')) {
        at_ += 2;
        while (is_in(peek(), letter | digit)) ++at_;
        return add_based_integer(begin);
    }
    skip_digits();
    if (peek() == '.' && is_in(peek(1), digit)) {
        is_real = true;
        ++at_;
        skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
        const std::uint32_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
        if (is_in(peek(1 + sign), digit)) {
            is_real = true;
            at_ += 1 + sign;
            skip_digits();
        }
    }
    if (is_in(peek(), letter)) {
        skip_word();
        error({begin, at_}, concat("`", shortened(begin), "` is not a number"));
    }
    add(is_real ? TokenKind::real : TokenKind::integer, begin);
}

void Lexer::add_based_integer(std::uint32_t begin) {
    const std::string_view digits = text_.substr(begin + 2, at_ - begin - 2);
    const std::string_view allowed = text_[begin + 1] == 'x' ? "0123456789abcdefABCDEF" : "01";
    if (digits.empty() || digits.find_first_not_of(allowed) != digits.npos) {
        error({begin, at_}, concat("`", shortened(begin), "` is not a number"));
    }
    add(TokenKind::integer, begin);
}

std::string Lexer::shortened(std::uint32_t begin) const {
    const std::string_view word = text_.substr(begin, at_ - begin);
    return word.size() <= 40 ? std::string(word) : std::string(word.substr(0, 40)) + "...";
}

void Lexer::punctuation() {
    const auto first = static_cast<unsigned char>(text_[at_]);
    for (std::size_t i = sign_begins[first]; i < std::size(signs); ++i) {
        const Sign& sign = signs[i];
        if (static_cast<unsigned char>(sign.text[0]) != first) break;
        if (!looking_at(sign.text)) continue;
        if (sign.kind == TokenKind::brace_close && closes_interpolation()) return;
        const std::uint32_t begin = at_;
        at_ += static_cast<std::uint32_t>(sign.text.size());
        add(sign.kind, begin);
        return note_bracket(sign.kind);
    }
    unknown_character();
}

void Lexer::note_bracket(TokenKind kind) {
    using enum TokenKind;
    const auto index = static_cast<std::uint32_t>(list_.tokens.size() - 1);
    TokenKind open = end_of_file;
    switch (kind) {
        case brace_open:
            if (!interpolations_.empty()) ++interpolations_.back().brace_count;
            [[fallthrough]];
        case paren_open:
        case bracket_open:
            brackets_.push_back(index);
            return;
        case paren_close:
            open = paren_open;
            break;
        case bracket_close:
            open = bracket_open;
            break;
        case brace_close:
            open = brace_open;
            break;
        default:
            return;
    }
    // Opening brackets skipped on the way have no partner, and neither has an unmatched closing
    // one. The search is bounded by the nesting limit.
    const std::size_t floor = interpolations_.empty() ? 0 : interpolations_.back().bracket_count;
    const std::size_t depth_max = limits_.nesting_max;
    for (std::size_t i = brackets_.size(); i > floor && brackets_.size() - i <= depth_max; --i) {
        const std::uint32_t candidate = brackets_[i - 1];
        if (list_.tokens[candidate].kind != open) continue;
        list_.tokens[candidate].partner = index;
        list_.tokens[index].partner = candidate;
        brackets_.resize(i - 1);
        return;
    }
}

}  // namespace gyre::vela::internal
