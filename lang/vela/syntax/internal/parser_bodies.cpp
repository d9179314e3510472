// SPDX-License-Identifier: Apache-2.0
// Expressions with bodies: if, match, lambdas.
#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {

Expr* Parser::if_else() {
    const Nesting nesting(*this);
    const std::uint32_t begin = at_;
    IfExpr node;
    node.keyword = take().span;
    if (take_if(kw_let)) {
        node.pattern = pattern();
        expect(assign, "`=`");
    }
    node.condition = head_expression();
    node.then_block = block();
    if (take_if(kw_else)) {
        const std::uint32_t else_begin = at_;
        if (is(kw_if)) {
            ValueStmt branch;
            branch.value = if_else();
            node.else_branch = make_stmt(StmtKind::expression, else_begin, branch);
        } else {
            if (!is(brace_open)) fail("`if` or `{` after `else`");
            node.else_branch = block();
        }
    }
    return make_expr(ExprKind::if_else, begin, node);
}

Expr* Parser::match() {
    const Nesting nesting(*this);
    const std::uint32_t begin = at_;
    MatchExpr node;
    node.keyword = take().span;
    node.subject = head_expression();
    const WithContext plain(*this, {});
    expect(brace_open, "`{`");
    Gather<MatchArm> arms(*this);
    while (!is(brace_close)) {
        if (take_if(semicolon)) continue;
        if (is(end_of_file)) fail("`}`");
        const std::uint32_t arm_begin = at_;
        mark_item();
        try {
            const MatchArm made = arm();
            arms.add(made);
            const bool is_closed = made.body->kind == StmtKind::block;
            if (!take_if(comma) && !is_closed && !begins_arm()) end_item("the arm");
        } catch (const Failure&) {
            if (is(end_of_file)) throw;
            recover(arm_begin);
            if (at_ == arm_begin && !is(brace_close)) take();
        }
    }
    take();
    node.arms = arms.take();
    return make_expr(ExprKind::match, begin, node);
}

MatchArm Parser::arm() {
    const std::uint32_t begin = at_;
    MatchArm result;
    result.pattern = pattern();
    if (take_if(kw_if)) {
        const WithContext guard(*this, {.is_guard = true});
        result.guard = expression();
    }
    expect(fat_arrow, "`=>`");
    result.body = is(brace_open) && !begins_map() ? block() : simple_statement();
    result.span = span_from(begin);
    return result;
}

// An arm may follow another one in the same line without a comma between them.
bool Parser::begins_arm() const {
    for (std::size_t index = at_; index < tokens_.size();) {
        const Token& token = tokens_[index];
        switch (token.kind) {
            case fat_arrow:
            case kw_if:
                return index > at_;
            case name:
            case integer:
            case real:
            case TokenKind::string:
            case kw_true:
            case kw_false:
            case minus:
            case dot:
            case double_colon:
            case pipe:
                ++index;
                break;
            case paren_open:
                if (token.partner == Token::no_partner) return false;
                index = token.partner + 1;
                break;
            default:
                return false;
        }
    }
    return false;
}

bool Parser::begins_lambda() const {
    if (context_.is_guard) return false;
    if (is(name)) return kind(1) == fat_arrow;
    if (!is(paren_open) || peek().partner == Token::no_partner) return false;
    return tokens_[peek().partner + 1].kind == fat_arrow;
}

Expr* Parser::lambda(bool is_async, std::uint32_t begin) {
    const Nesting nesting(*this);
    LambdaExpr node;
    node.is_async = is_async;
    Gather<Param> params(*this);
    if (is(name)) {
        Param param;
        param.name = expect_name("a parameter");
        params.add(param);
    } else {
        take();
        comma_list(paren_close, "`,` or `)`", [&] {
            Param param;
            param.name = expect_name("a parameter");
            if (take_if(colon)) param.type = type();
            params.add(param);
        });
    }
    node.params = params.take();
    expect(fat_arrow, "`=>`");
    node.body = is(brace_open) && !begins_map() ? block() : expression_or_assignment();
    return make_expr(ExprKind::lambda, begin, node);
}

}  // namespace gyre::vela::internal
