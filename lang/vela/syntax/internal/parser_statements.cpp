// SPDX-License-Identifier: Apache-2.0
// Blocks and statements.
#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {
namespace {

bool is_assignment(TokenKind kind) {
    return kind >= TokenKind::assign && kind <= TokenKind::percent_assign;
}

}  // namespace

BlockStmt* Parser::block() {
    const Nesting nesting(*this);
    const WithContext plain(*this, {});
    const std::uint32_t begin = at_;
    if (!is(brace_open)) fail("`{`");
    take();
    Gather<Stmt*> statements(*this);
    while (!is(brace_close)) {
        if (is(end_of_file)) {
            diagnostics_
                .error("E0201", *tree_.source, peek().span,
                       "expected `}`, found the end of the file")
                .note(*tree_.source, tokens_[begin].span, "this block is not closed");
            throw Failure{};
        }
        if (take_if(semicolon)) continue;
        const std::uint32_t statement_begin = at_;
        mark_item();
        try {
            statements.add(statement());
            end_item("the statement");
        } catch (const Failure&) {
            if (is(end_of_file)) throw;
            recover(statement_begin);
            if (at_ == statement_begin && !is(brace_close)) take();
        }
    }
    take();
    BlockStmt node;
    node.statements = statements.take();
    return make_stmt(StmtKind::block, begin, node);
}

Stmt* Parser::statement() {
    const std::uint32_t begin = at_;
    switch (kind()) {
        case kw_while: {
            take();
            WhileStmt node;
            if (take_if(kw_let)) {
                node.pattern = pattern();
                expect(assign, "`=`");
            }
            node.condition = head_expression();
            node.body = block();
            return make_stmt(StmtKind::while_loop, begin, node);
        }
        case kw_for:
            return for_loop();
        case kw_try:
            return try_catch();
        case brace_open:
            if (begins_map()) return expression_or_assignment();
            return block();
        case kw_async:
            if (kind(1) != kw_fn) return simple_statement();
            [[fallthrough]];
        case kw_fn:
        case kw_enum:
        case at: {
            const Modifiers found_modifiers = modifiers();
            DeclStmt node;
            if (is(kw_enum)) {
                node.declaration = enumeration(found_modifiers);
            } else {
                node.declaration = function(found_modifiers, false);
            }
            node.declaration->span = span_from(begin);
            return make_stmt(StmtKind::declaration, begin, node);
        }
        default:
            break;
    }
    if (is_word("scope") && kind(1) == brace_open && is_same_line(1)) {
        ScopeStmt node;
        node.keyword = take().span;
        node.body = block();
        return make_stmt(StmtKind::scope, begin, node);
    }
    return simple_statement();
}

// Statements that may also be the body of a match arm.
Stmt* Parser::simple_statement() {
    const std::uint32_t begin = at_;
    switch (kind()) {
        case kw_return:
            return value_statement(StmtKind::return_value);
        case kw_throw:
            return value_statement(StmtKind::throw_value);
        case kw_yield:
            return value_statement(StmtKind::yield_value);
        case kw_break:
            take();
            return make_stmt<Stmt>(StmtKind::break_loop, begin);
        case kw_continue:
            take();
            return make_stmt<Stmt>(StmtKind::continue_loop, begin);
        case kw_let:
            return variable();
        case name: {
            const bool is_state = is_word("state") && kind(1) == name && is_same_line(1);
            const bool is_typed = kind(1) == colon && is_same_line(1);
            if (is_state || is_typed) return variable();
            return expression_or_assignment();
        }
        default:
            return expression_or_assignment();
    }
}

Stmt* Parser::variable() {
    const std::uint32_t begin = at_;
    VariableStmt node;
    node.is_state = is_word("state") && kind(1) == name;
    if (node.is_state || is(kw_let)) take();
    node.name = expect_name("a name");
    if (take_if(colon)) node.type = type();
    expect(assign, node.type != nullptr ? "`=`" : "`:` or `=`");
    node.value = expression();
    return make_stmt(StmtKind::variable, begin, node);
}

Stmt* Parser::for_loop() {
    const std::uint32_t begin = at_;
    ForStmt node;
    node.keyword = take().span;
    node.is_await = take_if(kw_await);
    node.pattern = pattern();
    expect(kw_in, "`in`");
    node.sequence = head_expression();
    node.body = block();
    return make_stmt(StmtKind::for_loop, begin, node);
}

Stmt* Parser::try_catch() {
    const std::uint32_t begin = at_;
    take();
    TryStmt node;
    node.body = block();
    Gather<CatchClause> clauses(*this);
    while (is(kw_catch)) {
        CatchClause clause;
        clause.keyword = take().span;
        expect(paren_open, "`(`");
        clause.name = expect_name("a name");
        if (take_if(colon)) clause.type = type();
        expect(paren_close, "`)`");
        clause.body = block();
        clauses.add(clause);
    }
    node.clauses = clauses.take();
    if (take_if(kw_finally)) node.cleanup = block();
    if (node.clauses.empty() && node.cleanup == nullptr) fail("`catch` or `finally`");
    return make_stmt(StmtKind::try_catch, begin, node);
}

Stmt* Parser::value_statement(StmtKind kind) {
    const std::uint32_t begin = at_;
    ValueStmt node;
    node.keyword = take().span;
    const bool is_bare =
        is(brace_close) || is(semicolon) || is(end_of_file) || is(comma) || peek().is_after_newline;
    if (!is_bare || kind != StmtKind::return_value) node.value = expression();
    return make_stmt(kind, begin, node);
}

Stmt* Parser::expression_or_assignment() {
    const std::uint32_t begin = at_;
    Expr* value = expression();
    if (is_assignment(kind())) {
        check_target(*value);
        AssignStmt node;
        node.target = value;
        node.op = take().kind;
        node.value = expression();
        return make_stmt(StmtKind::assign, begin, node);
    }
    ValueStmt node;
    node.value = value;
    return make_stmt(StmtKind::expression, begin, node);
}

void Parser::check_target(const Expr& target) {
    switch (target.kind) {
        case ExprKind::name:
        case ExprKind::index:
            return;
        case ExprKind::member:
            if (as<MemberExpr>(target).op != question_dot) return;
            break;
        case ExprKind::tuple: {
            bool are_names = is(assign);
            for (const Expr* item : as<ItemsExpr>(target).items) {
                are_names = are_names && item->kind == ExprKind::name;
            }
            if (are_names) return;
            break;
        }
        default:
            break;
    }
    fail_at(target.span, "this cannot be assigned to");
}

}  // namespace gyre::vela::internal
