// SPDX-License-Identifier: Apache-2.0
// Expressions made of others: operators, await, calls, members.
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/internal/characters.hpp"
#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {
namespace {

// The precedence of a binary operator, as in the language reference; 0 for any other token.
int level_of(TokenKind kind) {
    using enum TokenKind;
    switch (kind) {
        case or_or:
            return 2;
        case and_and:
            return 3;
        case double_question:
            return 4;
        case equal:
        case not_equal:
            return 5;
        case less:
        case greater:
        case less_equal:
        case greater_equal:
            return 6;
        case range:
        case range_inclusive:
            return 7;
        case plus:
        case minus:
            return 11;
        case star:
        case slash:
        case percent:
            return 12;
        case star_star:
            return 13;
        default:
            return 0;
    }
}
constexpr int level_range = 7;
constexpr int level_power = 13;

}  // namespace

Expr* Parser::expression() {
    return binary(1);
}

Expr* Parser::head_expression() {
    const WithContext head(*this, {.is_head = true});
    return binary(1);
}

Expr* Parser::binary(int level_min) {
    const std::uint32_t begin = at_;
    Expr* left = unary();
    for (std::uint32_t chain = 0;; ++chain) {
        const int level = level_of(kind());
        if (level == 0 || level < level_min) return left;
        // A line that begins with a minus is a statement of its own.
        const bool is_new_line = peek().is_after_newline && !context_.is_in_brackets;
        if (is_new_line && is(minus)) return left;
        if (chain >= limits_.chain_max) {
            fail_at(peek().span, concat("the limit on one expression is ",
                                        std::to_string(limits_.chain_max), " operators in a row"));
        }
        BinaryExpr node;
        node.left = left;
        node.sign = peek().span;
        node.op = take().kind;
        if (level == level_power) {
            const Nesting nesting(*this);
            node.right = binary(level);
        } else {
            node.right = binary(level + 1);
        }
        left = make_expr(ExprKind::binary, begin, node);
        if (level == level_range && level_of(kind()) == level_range) {
            fail_at(peek().span, "a range of ranges has no meaning; use parentheses");
        }
    }
}

Expr* Parser::unary() {
    const std::uint32_t begin = at_;
    if (is(minus) || is(bang)) {
        const Nesting nesting(*this);
        tokens_[at_].role = TokenRole::prefix;
        UnaryExpr node;
        node.op = take().kind;
        node.operand = unary();
        return make_expr(ExprKind::unary, begin, node);
    }
    if (is(kw_await)) return await();
    Expr* operand = primary();
    if (operand->kind == ExprKind::lambda) return operand;
    return postfix(operand, begin, false);
}

// The first `?` and all that follows it apply to the awaited value, not to the future.
Expr* Parser::await() {
    const Nesting nesting(*this);
    const std::uint32_t begin = at_;
    AwaitExpr node;
    node.keyword = take().span;
    const std::uint32_t operand_begin = at_;
    node.operand = is(kw_await) ? await() : postfix(primary(), operand_begin, true);
    return postfix(make_expr(ExprKind::await, begin, node), begin, false);
}

Expr* Parser::postfix(Expr* operand, std::uint32_t begin, bool stops_at_question) {
    for (std::uint32_t chain = 0;; ++chain) {
        const bool is_near = is_same_line() || context_.is_in_brackets;
        if (chain > limits_.chain_max) {
            fail_at(peek().span,
                    concat("the limit on one expression is ", std::to_string(limits_.chain_max),
                           " calls or members in a row"));
        }
        if (is(paren_open) && is_same_line()) {
            CallExpr node;
            node.callee = operand;
            node.args = arguments();
            operand = make_expr(ExprKind::call, begin, node);
        } else if (is(bracket_open) && is_same_line()) {
            take();
            IndexExpr node;
            node.object = operand;
            {
                const WithContext brackets(*this, {.is_in_brackets = true});
                const Nesting nesting(*this);
                node.position = expression();
            }
            expect(bracket_close, "`]`");
            operand = make_expr(ExprKind::index, begin, node);
        } else if (is(dot) || (is(question_dot) && !stops_at_question) ||
                   (is(double_colon) && is_near)) {
            operand = member_access(operand, begin);
        } else if (is(question) && is_near && !stops_at_question) {
            WrapExpr node;
            node.inner = operand;
            node.sign = take().span;
            operand = make_expr(ExprKind::propagate, begin, node);
        } else {
            return operand;
        }
    }
}

Expr* Parser::member_access(Expr* object, std::uint32_t begin) {
    MemberExpr node;
    node.object = object;
    node.op = take().kind;
    if (node.op == dot && (is(integer) || is(real))) return tuple_items(object, begin);
    node.name = expect_member_name();
    if (is(less) && is_same_line()) {
        const std::uint32_t end = skip_type_args(at_);
        const bool is_type = is_capitalised(text(peek(1)));
        if (end != 0 && tokens_[end].kind == paren_open && is_type) node.type_args = type_args();
    }
    return make_expr(ExprKind::member, begin, node);
}

// `t.0`, and `t.0.1`, whose `0.1` is one token.
Expr* Parser::tuple_items(Expr* object, std::uint32_t begin) {
    const Token& token = peek();
    std::string_view rest = text(token);
    if (rest.find_first_not_of("0123456789.") != rest.npos) fail("the number of an item");
    std::uint32_t offset = token.span.begin;
    take();
    while (!rest.empty()) {
        const std::string_view digits = rest.substr(0, rest.find('.'));
        const auto end = offset + static_cast<std::uint32_t>(digits.size());
        MemberExpr node;
        node.object = object;
        node.name = {digits, {offset, end}};
        MemberExpr* made = make_expr(ExprKind::member, begin, node);
        made->span.end = end;
        object = made;
        offset = end + 1;
        rest.remove_prefix(std::min(rest.size(), digits.size() + 1));
    }
    return object;
}

std::span<const Argument> Parser::arguments() {
    const Nesting nesting(*this);
    const WithContext brackets(*this, {.is_in_brackets = true});
    take();
    Gather<Argument> args(*this);
    comma_list(paren_close, "`,` or `)`", [&] {
        Argument argument;
        if (is(name) && (kind(1) == colon || kind(1) == assign)) {
            argument.name = expect_name("a name");
            take();
        }
        argument.value = expression();
        args.add(argument);
    });
    return args.take();
}

}  // namespace gyre::vela::internal
