// SPDX-License-Identifier: Apache-2.0
// The parts of a node: the expressions and statements directly inside of it, in the order of the text.
// What the walks over a tree share. Patterns, types and the members of inner types are not among them.
// Pure; the visitor is called with a `const Expr&` or a `const Stmt&`, during the call only.
#pragma once

#include "lang/vela/syntax/detail/tree.hpp"

namespace gyre::vela {

template <class Visitor>
void visit_parts(const FunctionDecl& node, const Visitor& visit) {
    for (const Param& param : node.params) {
        if (param.value != nullptr) visit(*param.value);
    }
    if (node.body != nullptr) visit(*node.body);
}

template <class Visitor>
void visit_parts(const Stmt& node, const Visitor& visit) {
    const auto each = [&visit](const auto* part) {
        if (part != nullptr) visit(*part);
    };
    switch (node.kind) {
        case StmtKind::variable:
            return each(as<VariableStmt>(node).value);
        case StmtKind::assign:
            each(as<AssignStmt>(node).target);
            return each(as<AssignStmt>(node).value);
        case StmtKind::expression:
        case StmtKind::return_value:
        case StmtKind::throw_value:
        case StmtKind::yield_value:
            return each(as<ValueStmt>(node).value);
        case StmtKind::break_loop:
        case StmtKind::continue_loop:
            return;
        case StmtKind::while_loop:
            each(as<WhileStmt>(node).condition);
            return each(as<WhileStmt>(node).body);
        case StmtKind::for_loop:
            each(as<ForStmt>(node).sequence);
            return each(as<ForStmt>(node).body);
        case StmtKind::try_catch:
            each(as<TryStmt>(node).body);
            for (const CatchClause& clause : as<TryStmt>(node).clauses) each(clause.body);
            return each(as<TryStmt>(node).cleanup);
        case StmtKind::scope:
            return each(as<ScopeStmt>(node).body);
        case StmtKind::declaration: {
            const Decl& decl = *as<DeclStmt>(node).declaration;
            if (decl.kind == DeclKind::function) visit_parts(as<FunctionDecl>(decl), visit);
            return;
        }
        case StmtKind::block:
            for (const Stmt* inner : as<BlockStmt>(node).statements) each(inner);
            return;
    }
}

template <class Visitor>
void visit_parts(const Expr& node, const Visitor& visit) {
    const auto each = [&visit](const auto* part) {
        if (part != nullptr) visit(*part);
    };
    switch (node.kind) {
        case ExprKind::string:
            for (const StringPart& part : as<StringExpr>(node).parts) each(part.value);
            return;
        case ExprKind::group:
        case ExprKind::propagate:
            return each(as<WrapExpr>(node).inner);
        case ExprKind::tuple:
        case ExprKind::list:
            for (const Expr* item : as<ItemsExpr>(node).items) each(item);
            return;
        case ExprKind::map:
            for (const MapEntry& entry : as<MapExpr>(node).entries) {
                each(entry.key);
                each(entry.value);
            }
            return;
        case ExprKind::unary:
            return each(as<UnaryExpr>(node).operand);
        case ExprKind::binary:
            each(as<BinaryExpr>(node).left);
            return each(as<BinaryExpr>(node).right);
        case ExprKind::await:
            return each(as<AwaitExpr>(node).operand);
        case ExprKind::call:
            each(as<CallExpr>(node).callee);
            for (const Argument& argument : as<CallExpr>(node).args) each(argument.value);
            return;
        case ExprKind::index:
            each(as<IndexExpr>(node).object);
            return each(as<IndexExpr>(node).position);
        case ExprKind::member:
            return each(as<MemberExpr>(node).object);
        case ExprKind::if_else:
            each(as<IfExpr>(node).condition);
            each(as<IfExpr>(node).then_block);
            return each(as<IfExpr>(node).else_branch);
        case ExprKind::match:
            each(as<MatchExpr>(node).subject);
            for (const MatchArm& arm : as<MatchExpr>(node).arms) {
                each(arm.guard);
                each(arm.body);
            }
            return;
        case ExprKind::lambda:
            return each(as<LambdaExpr>(node).body);
        case ExprKind::async_block:
            return each(as<AsyncBlockExpr>(node).body);
        case ExprKind::struct_literal:
            for (const FieldValue& field : as<StructExpr>(node).fields) each(field.value);
            return;
        default:
            return;
    }
}

}  // namespace gyre::vela
