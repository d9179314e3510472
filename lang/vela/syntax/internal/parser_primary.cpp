// SPDX-License-Identifier: Apache-2.0
// Primary expressions: literals, names, brackets.
#include "lang/vela/syntax/internal/characters.hpp"
#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {
Expr* Parser::primary() {
    const std::uint32_t begin = at_;
    const auto literal = [&](ExprKind kind) {
        LiteralExpr node;
        node.text = text(take());
        return make_expr(kind, begin, node);
    };
    switch (kind()) {
        case integer:
            return literal(ExprKind::integer);
        case real:
            return literal(ExprKind::real);
        case kw_true:
        case kw_false:
            return literal(ExprKind::boolean);
        case kw_this:
            return literal(ExprKind::this_value);
        case ellipsis:
            return literal(ExprKind::left_out);
        case TokenKind::string:
        case string_head:
            return string_literal();
        case name:
            if (begins_lambda()) return lambda(false, begin);
            return name_or_struct();
        case paren_open:
            if (begins_lambda()) return lambda(false, begin);
            return parenthesised();
        case bracket_open:
            return list();
        case brace_open:
            return map();
        case kw_if:
            return if_else();
        case kw_match:
            return match();
        case kw_async: {
            take();
            if (is(brace_open)) {
                AsyncBlockExpr node;
                node.body = block();
                return make_expr(ExprKind::async_block, begin, node);
            }
            if (!begins_lambda()) fail("`fn`, a block or a lambda after `async`");
            return lambda(true, begin);
        }
        default:
            fail("an expression");
    }
}

// `Name<Types>` reads as type arguments where `(`, `::`, `.` or a struct literal follows.
Expr* Parser::name_or_struct() {
    const std::uint32_t begin = at_;
    const bool is_type = is_capitalised(text(peek()));
    std::uint32_t args_end = 0;
    if (kind(1) == less && (is_type || is_capitalised(text(peek(2)))))
        args_end = skip_type_args(at_ + 1);
    if (args_end != 0) {
        const TokenKind next = tokens_[args_end].kind;
        const bool is_kept =
            next == paren_open ||
            (is_type && (next == double_colon || next == dot ||
                         (next == brace_open && begins_struct_literal(args_end - at_))));
        if (!is_kept) args_end = 0;
    }
    const bool has_module =
        kind(1) == double_colon && kind(2) == name && is_capitalised(text(peek(2)));
    if (has_module && begins_struct_literal(3)) return struct_literal(type(), begin);
    const std::uint32_t behind = args_end == 0 ? 1 : args_end - at_;
    if (is_type && begins_struct_literal(behind)) return struct_literal(type(), begin);

    NameExpr node;
    node.text = text(take());
    if (args_end != 0) node.type_args = type_args();
    return make_expr(ExprKind::name, begin, node);
}

bool Parser::begins_struct_literal(std::uint32_t ahead) const {
    if (context_.is_head || kind(ahead) != brace_open || !is_same_line(ahead)) return false;
    if (kind(ahead + 1) == brace_close) return true;
    const TokenKind next = kind(ahead + 2);
    return kind(ahead + 1) == name && (next == colon || next == comma || next == brace_close);
}

Expr* Parser::struct_literal(TypeNode* type, std::uint32_t begin) {
    const Nesting nesting(*this);
    const WithContext brackets(*this, {.is_in_brackets = true});
    StructExpr node;
    node.type = type;
    expect(brace_open, "`{`");
    Gather<FieldValue> fields(*this);
    comma_list(brace_close, "`,` or `}`", [&] {
        FieldValue field;
        const std::uint32_t begin_field = at_;
        field.name = expect_name("a field");
        NameExpr variable;
        variable.text = field.name.text;
        field.value =
            take_if(colon) ? expression() : make_expr(ExprKind::name, begin_field, variable);
        fields.add(field);
    });
    node.fields = fields.take();
    return make_expr(ExprKind::struct_literal, begin, node);
}

Expr* Parser::parenthesised() {
    const Nesting nesting(*this);
    const WithContext brackets(*this, {.is_in_brackets = true});
    const std::uint32_t begin = at_;
    take();
    Gather<Expr*> items(*this);
    bool has_comma = false;
    while (!is(paren_close)) {
        mark_item();
        items.add(expression());
        limit_items(items.size(), "the items of a tuple");
        if (!take_if(comma)) break;
        has_comma = true;
    }
    expect(paren_close, "`)`");
    if (items.size() == 1 && !has_comma) {
        WrapExpr node;
        node.inner = items.take()[0];
        return make_expr(ExprKind::group, begin, node);
    }
    ItemsExpr node;
    node.items = items.take();
    return make_expr(ExprKind::tuple, begin, node);
}

Expr* Parser::list() {
    const Nesting nesting(*this);
    const WithContext brackets(*this, {.is_in_brackets = true});
    const std::uint32_t begin = at_;
    take();
    Gather<Expr*> items(*this);
    comma_list(bracket_close, "`,` or `]`", [&] { items.add(expression()); });
    ItemsExpr node;
    node.items = items.take();
    return make_expr(ExprKind::list, begin, node);
}

Expr* Parser::map() {
    const Nesting nesting(*this);
    const WithContext brackets(*this, {.is_in_brackets = true});
    const std::uint32_t begin = at_;
    tokens_[at_].role = TokenRole::tight;
    take();
    Gather<MapEntry> entries(*this);
    comma_list(brace_close, "`,` or `}`", [&] {
        MapEntry entry;
        entry.key = expression();
        expect(colon, "`:`");
        entry.value = expression();
        entries.add(entry);
    });
    tokens_[at_ - 1].role = TokenRole::tight;
    MapExpr node;
    node.entries = entries.take();
    return make_expr(ExprKind::map, begin, node);
}

// Distinguishes a map from a block: in a map `:` follows the first key, without a later `=` as in
// `{ x: Map<A, B> = {} }`.
bool Parser::begins_map() const {
    const std::uint32_t end = peek().partner;
    if (end == Token::no_partner) return kind(2) == colon && kind(1) != name;
    bool has_colon = false;
    for (std::uint32_t index = at_ + 1; index < end; ++index) {
        const Token& token = tokens_[index];
        const bool goes_on = index == at_ + 1 || tokens_[index - 1].kind == comma;
        if ((token.is_after_newline && !goes_on) || token.kind == fat_arrow) return has_colon;
        if (token.kind == assign || token.kind == semicolon || token.kind == kw_fn) return false;
        if (token.kind == colon && has_colon) return true;
        has_colon = has_colon || token.kind == colon;
        const bool opens = token.partner != Token::no_partner && token.partner > index;
        if (opens) index = token.partner;
    }
    return has_colon;
}

Expr* Parser::string_literal() {
    const Nesting nesting(*this);
    const std::uint32_t begin = at_;
    StringExpr node;
    std::string_view quotes = text(peek()).substr(0, 1);
    if (text(peek()).starts_with("\"\"\"")) quotes = "\"\"\"";
    node.is_raw = quotes == "'";
    Gather<StringPart> parts(*this);
    const auto add_text = [&](const Token& token) {
        std::string_view raw = text(token);
        std::uint32_t offset = token.span.begin;
        const bool is_first = token.kind == TokenKind::string || token.kind == string_head;
        const std::size_t open_bytes = is_first ? quotes.size() : 1;
        raw.remove_prefix(std::min(open_bytes, raw.size()));
        offset += static_cast<std::uint32_t>(open_bytes);
        const bool is_last = token.kind == TokenKind::string || token.kind == string_tail;
        raw.remove_suffix(std::min(is_last ? quotes.size() : 2, raw.size()));
        if (raw.empty()) return;
        const auto end = offset + static_cast<std::uint32_t>(raw.size());
        parts.add({raw, {offset, end}, nullptr});
    };
    if (is(TokenKind::string)) {
        add_text(take());
    } else {
        const WithContext brackets(*this, {.is_in_brackets = true});
        add_text(take());
        for (;;) {
            Expr* value = expression();
            parts.add({{}, value->span, value});
            if (!is(string_middle) && !is(string_tail)) fail("`}`");
            const Token& next = take();
            add_text(next);
            if (next.kind == string_tail) break;
        }
    }
    node.parts = parts.take();
    return make_expr(ExprKind::string, begin, node);
}

}  // namespace gyre::vela::internal
