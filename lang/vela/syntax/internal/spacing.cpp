// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/internal/spacing.hpp"

#include <string_view>

#include "lang/vela/syntax/internal/signs.hpp"

namespace gyre::vela::internal {
namespace {

bool is_operand_end(const Token& token) {
    using enum TokenKind;
    switch (token.kind) {
        case name:
        case paren_close:
        case bracket_close:
        case string:
        case string_tail:
        case kw_this:
        case question:
            return true;
        case greater:
            return token.role == TokenRole::generic;
        default:
            return false;
    }
}

// After these tokens `(` begins a call, a parameter list or a payload.
bool is_called(const std::vector<Token>& tokens, std::size_t before) {
    using enum TokenKind;
    const Token& token = tokens[before];
    if (is_operand_end(token) || token.kind == kw_constructor) return true;
    if (!is_keyword(token.kind) || before == 0) return false;
    // `future.catch(..)`, `fn catch(..)`: a keyword as a name.
    const TokenKind earlier = tokens[before - 1].kind;
    return earlier == dot || earlier == double_colon || earlier == question_dot ||
           earlier == kw_fn || earlier == at;
}

std::string_view text_of(TokenKind kind) {
    for (const Sign& sign : signs) {
        if (sign.kind == kind) return sign.text;
    }
    return {};
}

// Two signs that would lex as another one without a blank: `a? .b` is not `a?.b`. The lexer takes
// the longest match.
bool would_merge(TokenKind before, TokenKind kind) {
    const std::string_view first = text_of(before);
    const std::string_view second = text_of(kind);
    if (first.empty() || second.empty()) return false;
    for (const Sign& sign : signs) {
        if (sign.text.size() <= first.size() || !sign.text.starts_with(first)) continue;
        const std::string_view rest = sign.text.substr(first.size());
        if (second.starts_with(rest)) return true;
    }
    return false;
}

bool clings_to_next(const Token& token) {
    using enum TokenKind;
    switch (token.kind) {
        case paren_open:
        case bracket_open:
        case dot:
        case question_dot:
        case double_colon:
        case at:
        case string_head:
        case string_middle:
        case range:
        case range_inclusive:
            return true;
        case brace_open:
            return token.role == TokenRole::tight;
        case minus:
        case bang:
            return token.role == TokenRole::prefix;
        case less:
            return token.role == TokenRole::generic;
        default:
            return false;
    }
}

bool wants_blank(const std::vector<Token>& tokens, std::size_t before, std::size_t index) {
    using enum TokenKind;
    const Token& last = tokens[before];
    const Token& token = tokens[index];
    if (clings_to_next(last)) return false;
    switch (token.kind) {
        case paren_close:
        case bracket_close:
        case comma:
        case semicolon:
        case colon:
        case dot:
        case question_dot:
        case double_colon:
        case question:
        case string_middle:
        case string_tail:
        case range:
        case range_inclusive:
            return false;
        case brace_close:
            return token.role != TokenRole::tight && last.kind != brace_open;
        case less:
        case greater:
        case assign:
            return token.role != TokenRole::generic;
        case paren_open:
            return !is_called(tokens, before);
        case bracket_open:
            return !is_operand_end(last);
        default:
            return true;
    }
}

}  // namespace

bool is_split(const Token& token) {
    return token.kind == TokenKind::assign && token.role == TokenRole::generic;
}

bool has_blank(const std::vector<Token>& tokens, std::size_t before, std::size_t index) {
    const TokenKind first = is_split(tokens[index]) ? TokenKind::greater : tokens[index].kind;
    return wants_blank(tokens, before, index) || would_merge(tokens[before].kind, first);
}

}  // namespace gyre::vela::internal
