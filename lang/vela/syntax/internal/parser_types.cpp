// SPDX-License-Identifier: Apache-2.0
// Types and patterns.
#include "lang/vela/syntax/internal/characters.hpp"
#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {
TypeNode* Parser::type() {
    const Nesting nesting(*this);
    const std::uint32_t begin = at_;
    TypeNode node;
    if (take_if(paren_open)) {
        const WithContext brackets(*this, {.is_in_brackets = true});
        Gather<TypeNode*> parts(*this);
        comma_list(paren_close, "`)`", [&] {
            parts.add(type());
            limit_items(parts.size(), "the items of a tuple");
        });
        node.parts = parts.take();
        node.kind = TypeKind::tuple;
        if (take_if(arrow)) {
            node.kind = TypeKind::function;
            node.result = type();
        } else if (node.parts.size() == 1) {
            node = *node.parts[0];
        }
    } else if (take_if(bracket_open)) {
        Gather<TypeNode*> parts(*this);
        parts.add(type());
        expect(bracket_close, "`]`");
        node.kind = TypeKind::list;
        node.parts = parts.take();
    } else if (is_word("_")) {
        take();
    } else {
        Gather<Name> path(*this);
        path.add(expect_name("a type"));
        while (take_if(double_colon)) path.add(expect_name("a type"));
        node.kind = TypeKind::name;
        node.path = path.take();
        if (is(less)) node.parts = type_args();
    }
    node.span = span_from(begin);
    TypeNode* result = tree_.arena.make(node);
    std::uint32_t option_count = 0;
    while (is(question) && is_same_line()) {
        if (++option_count > limits_.nesting_max) fail("less of them");
        take();
        TypeNode option;
        option.kind = TypeKind::option;
        Gather<TypeNode*> parts(*this);
        parts.add(result);
        option.parts = parts.take();
        option.span = span_from(begin);
        result = tree_.arena.make(option);
    }
    return result;
}

std::span<TypeNode* const> Parser::type_args() {
    const WithContext brackets(*this, {.is_in_brackets = true});
    tokens_[at_].role = TokenRole::generic;
    expect(less, "`<`");
    Gather<TypeNode*> parts(*this);
    do {
        mark_item();
        parts.add(type());
    } while (take_if(comma));
    close_types();
    return parts.take();
}

// The lexer reads `>=` as one token: takes the `>` and leaves the `=`.
void Parser::close_types() {
    if (!is(greater) && !is(greater_equal)) fail("`>`");
    Token& sign = tokens_[at_];
    sign.role = TokenRole::generic;
    if (sign.kind == greater_equal) {
        sign.kind = assign;
    } else {
        take();
    }
}

std::uint32_t Parser::skip_type_args(std::uint32_t index) const {
    // Accepts only tokens of types, with balanced brackets; the parser checks the rest.
    std::uint32_t depth = 0;
    for (;; ++index) {
        switch (tokens_[index].kind) {
            case less:
                ++depth;
                break;
            case greater:
                if (--depth == 0) return index + 1;
                break;
            case name:
            case double_colon:
            case comma:
            case question:
            case arrow:
            case paren_open:
            case paren_close:
            case bracket_open:
            case bracket_close:
                break;
            default:
                return 0;
        }
    }
}

Pattern* Parser::pattern() {
    const std::uint32_t begin = at_;
    Pattern* first = single_pattern();
    if (!is(pipe)) return first;
    Gather<Pattern*> parts(*this);
    parts.add(first);
    while (take_if(pipe)) parts.add(single_pattern());
    Pattern node;
    node.kind = PatternKind::alternatives;
    node.parts = parts.take();
    node.span = span_from(begin);
    return tree_.arena.make(node);
}

Pattern* Parser::single_pattern() {
    const Nesting nesting(*this);
    const std::uint32_t begin = at_;
    Pattern node;
    const auto parts_in_parens = [&] {
        take();
        const WithContext brackets(*this, {.is_in_brackets = true});
        Gather<Pattern*> parts(*this);
        comma_list(paren_close, "`)`", [&] { parts.add(pattern()); });
        node.has_parens = true;
        node.parts = parts.take();
    };
    switch (kind()) {
        case integer:
        case real:
        case TokenKind::string:
        case minus:
        case kw_true:
        case kw_false:
            node.kind = PatternKind::literal;
            if (is(minus) && kind(1) != integer && kind(1) != real) {
                take();
                fail("a number");
            }
            node.value = is(minus) ? unary() : primary();
            break;
        case paren_open:
            node.kind = PatternKind::tuple;
            parts_in_parens();
            if (node.parts.size() == 1) node = *node.parts[0];
            break;
        case name: {
            if (is_word("_")) {
                take();
                break;
            }
            Gather<Name> path(*this);
            path.add(expect_name("a pattern"));
            while (is(double_colon) || is(dot)) {
                take();
                path.add(expect_member_name());
            }
            const bool is_variant =
                path.size() > 1 || is(paren_open) || is_capitalised(text(tokens_[begin]));
            node.path = path.take();
            node.kind = is_variant ? PatternKind::variant : PatternKind::bind;
            if (is(paren_open) && is_same_line()) parts_in_parens();
            break;
        }
        default:
            fail("a pattern");
    }
    node.span = span_from(begin);
    return tree_.arena.make(node);
}

}  // namespace gyre::vela::internal
