// SPDX-License-Identifier: Apache-2.0
// Token: a token of a Vela text. Plain data, 16 bytes; made by the lexer, annotated by the parser
// for the formatter.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/vela/syntax/source.hpp"

namespace gyre::vela {

// clang-format off
#define GYRE_VELA_KEYWORDS(word) \
    word(fn) word(async) word(await) word(return) word(if) word(else) word(match) word(struct) \
    word(enum) word(class) word(interface) word(import) word(public) word(private)             \
    word(protected) word(abstract) word(extends) word(implements) word(override)               \
    word(constructor) word(this) word(true) word(false) word(try) word(catch) word(finally)    \
    word(throw) word(for) word(in) word(while) word(break) word(continue) word(yield)          \
    word(let) word(static)
// clang-format on

// Keywords are kw_fn and so on. A string with interpolations is a head, the tokens of the first
// expression, a middle or the tail, and so on: "a${ x }b${ y }c".
enum class TokenKind : std::uint8_t {
    end_of_file,
    name,
    integer,
    real,
    string,
    string_head,
    string_middle,
    string_tail,
#define GYRE_VELA_KEYWORD_KIND(word) kw_##word,
    GYRE_VELA_KEYWORDS(GYRE_VELA_KEYWORD_KIND)
#undef GYRE_VELA_KEYWORD_KIND
        paren_open,
    paren_close,
    bracket_open,
    bracket_close,
    brace_open,
    brace_close,
    comma,
    semicolon,
    colon,
    double_colon,
    dot,
    question_dot,
    question,
    double_question,
    arrow,
    fat_arrow,
    at,
    pipe,
    ellipsis,
    assign,
    plus_assign,
    minus_assign,
    star_assign,
    slash_assign,
    percent_assign,
    or_or,
    and_and,
    equal,
    not_equal,
    less,
    greater,
    less_equal,
    greater_equal,
    range,
    range_inclusive,
    plus,
    minus,
    star,
    slash,
    percent,
    star_star,
    bang,
};

// The role of a token where its neighbours alone do not determine it; set by the parser, for the
// formatter.
enum class TokenRole : std::uint8_t {
    plain,
    prefix,   // a minus or bang before its operand
    generic,  // < and > around types; a = whose span is >=, of which the > closes types
    tight,    // braces of a map: no space inside
};

struct Token {
    static constexpr std::uint32_t no_partner = UINT32_MAX;

    TokenKind kind = TokenKind::end_of_file;
    bool is_after_newline = false;
    TokenRole role = TokenRole::plain;
    // The first of a statement, member, arm, argument or element: a line may begin with it without
    // being the continuation of the line before.
    bool begins_item = false;
    Span span;
    // The index of the bracket that closes this one, or that this one closes.
    std::uint32_t partner = no_partner;
};

// The result of the lexer. The last token is end_of_file.
struct TokenList {
    std::vector<Token> tokens;
    std::vector<Span> comments;
    // Where the lexer reported errors.
    std::vector<std::uint32_t> error_offsets;
};

[[nodiscard]] constexpr bool is_keyword(TokenKind kind) noexcept {
    return kind >= TokenKind::kw_fn && kind <= TokenKind::kw_static;
}

}  // namespace gyre::vela
