// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/internal/walk.hpp"

namespace gyre::vela::internal {

void Walk::expr(const Expr* node) const {
    if (node == nullptr) return;
    on_expr(*node);
    parts(*node);
}

void Walk::statement(const Stmt* node) const {
    if (node == nullptr) return;
    on_stmt(*node);
    parts(*node);
}

void Walk::function(const FunctionDecl& node) const {
    for (const Param& param : node.params) expr(param.value);
    statement(node.body);
}

void Walk::parts(const Stmt& node) const {
    switch (node.kind) {
        case StmtKind::variable:
            return expr(as<VariableStmt>(node).value);
        case StmtKind::assign:
            expr(as<AssignStmt>(node).target);
            return expr(as<AssignStmt>(node).value);
        case StmtKind::expression:
        case StmtKind::return_value:
        case StmtKind::throw_value:
        case StmtKind::yield_value:
            return expr(as<ValueStmt>(node).value);
        case StmtKind::break_loop:
        case StmtKind::continue_loop:
            return;
        case StmtKind::while_loop:
            expr(as<WhileStmt>(node).condition);
            return statement(as<WhileStmt>(node).body);
        case StmtKind::for_loop:
            expr(as<ForStmt>(node).sequence);
            return statement(as<ForStmt>(node).body);
        case StmtKind::try_catch:
            statement(as<TryStmt>(node).body);
            for (const CatchClause& clause : as<TryStmt>(node).clauses) statement(clause.body);
            return statement(as<TryStmt>(node).cleanup);
        case StmtKind::scope:
            return statement(as<ScopeStmt>(node).body);
        case StmtKind::declaration: {
            const Decl& decl = *as<DeclStmt>(node).declaration;
            if (decl.kind == DeclKind::function) function(as<FunctionDecl>(decl));
            return;
        }
        case StmtKind::block:
            for (const Stmt* inner : as<BlockStmt>(node).statements) statement(inner);
            return;
    }
}

void Walk::parts(const Expr& node) const {
    switch (node.kind) {
        case ExprKind::string:
            for (const StringPart& part : as<StringExpr>(node).parts) expr(part.value);
            return;
        case ExprKind::group:
        case ExprKind::propagate:
            return expr(as<WrapExpr>(node).inner);
        case ExprKind::tuple:
        case ExprKind::list:
            for (const Expr* item : as<ItemsExpr>(node).items) expr(item);
            return;
        case ExprKind::map:
            for (const MapEntry& entry : as<MapExpr>(node).entries) {
                expr(entry.key);
                expr(entry.value);
            }
            return;
        case ExprKind::unary:
            return expr(as<UnaryExpr>(node).operand);
        case ExprKind::binary:
            expr(as<BinaryExpr>(node).left);
            return expr(as<BinaryExpr>(node).right);
        case ExprKind::await:
            return expr(as<AwaitExpr>(node).operand);
        case ExprKind::call:
            expr(as<CallExpr>(node).callee);
            for (const Argument& argument : as<CallExpr>(node).args) expr(argument.value);
            return;
        case ExprKind::index:
            expr(as<IndexExpr>(node).object);
            return expr(as<IndexExpr>(node).position);
        case ExprKind::member:
            return expr(as<MemberExpr>(node).object);
        case ExprKind::if_else:
            expr(as<IfExpr>(node).condition);
            statement(as<IfExpr>(node).then_block);
            return statement(as<IfExpr>(node).else_branch);
        case ExprKind::match:
            expr(as<MatchExpr>(node).subject);
            for (const MatchArm& arm : as<MatchExpr>(node).arms) {
                expr(arm.guard);
                statement(arm.body);
            }
            return;
        case ExprKind::lambda:
            return statement(as<LambdaExpr>(node).body);
        case ExprKind::async_block:
            return statement(as<AsyncBlockExpr>(node).body);
        case ExprKind::struct_literal:
            for (const FieldValue& field : as<StructExpr>(node).fields) expr(field.value);
            return;
        default:
            return;
    }
}

}  // namespace gyre::vela::internal
