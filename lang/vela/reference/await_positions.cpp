// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/reference/await_positions.hpp"

#include <vector>

namespace gyre::vela {
namespace {

class Finder {
public:
    explicit Finder(std::set<std::string>& found) : found_(found) {}

    void declaration(const Decl& node) {
        switch (node.kind) {
            case DeclKind::function:
            case DeclKind::constructor:
                function(as<FunctionDecl>(node), "async function");
                break;
            case DeclKind::structure:
            case DeclKind::klass:
            case DeclKind::actor:
                for (const Decl* member : as<TypeDecl>(node).members) declaration(*member);
                break;
            default:
                break;
        }
    }

private:
    void function(const FunctionDecl& node, const char* what) {
        const bool is_stream = node.result != nullptr && !node.result->path.empty() &&
                               node.result->path[0].text == "AsyncIterator";
        // Constructs around a function do not count for its awaits.
        const std::vector<std::string> outer = std::exchange(around_, {});
        if (node.body != nullptr) inside(is_stream ? "generator" : what, *node.body);
        around_ = outer;
    }

    void inside(const char* what, const Stmt& node) {
        around_.emplace_back(what);
        statement(node);
        around_.pop_back();
    }

    void value(const Expr* node, const char* part) {
        if (node != nullptr) expr(*node, part);
    }

    void statement(const Stmt& node) {
        switch (node.kind) {
            case StmtKind::variable:
                value(as<VariableStmt>(node).value, "assigned value");
                break;
            case StmtKind::assign: {
                const auto& of = as<AssignStmt>(node);
                value(of.target, "target");
                value(of.value, of.op == TokenKind::assign ? "assigned value" : "compound value");
                break;
            }
            case StmtKind::expression:
                value(as<ValueStmt>(node).value, "statement");
                break;
            case StmtKind::return_value:
                value(as<ValueStmt>(node).value, "return");
                break;
            case StmtKind::throw_value:
                value(as<ValueStmt>(node).value, "throw");
                break;
            case StmtKind::yield_value:
                value(as<ValueStmt>(node).value, "yield");
                break;
            case StmtKind::while_loop:
                value(as<WhileStmt>(node).condition, "while head");
                inside("loop", *as<WhileStmt>(node).body);
                break;
            case StmtKind::for_loop: {
                const auto& of = as<ForStmt>(node);
                value(of.sequence, of.is_await ? "for await head" : "for head");
                inside("loop", *of.body);
                break;
            }
            case StmtKind::try_catch: {
                const auto& of = as<TryStmt>(node);
                inside("try", *of.body);
                for (const CatchClause& clause : of.clauses) inside("catch", *clause.body);
                if (of.cleanup != nullptr) inside("finally", *of.cleanup);
                break;
            }
            case StmtKind::scope:
                inside("scope", *as<ScopeStmt>(node).body);
                break;
            case StmtKind::declaration: {
                const Decl& decl = *as<DeclStmt>(node).declaration;
                if (decl.kind == DeclKind::function) {
                    function(as<FunctionDecl>(decl), "local function");
                }
                break;
            }
            case StmtKind::block:
                for (const Stmt* inner : as<BlockStmt>(node).statements) statement(*inner);
                break;
            default:
                break;
        }
    }

    void expr(const Expr& node, const char* part) {
        switch (node.kind) {
            case ExprKind::await:
                found_.insert(part);
                found_.insert(around_.begin(), around_.end());
                expr(*as<AwaitExpr>(node).operand, "inner await");
                break;
            case ExprKind::string:
                for (const StringPart& piece : as<StringExpr>(node).parts) {
                    value(piece.value, "interpolation");
                }
                break;
            case ExprKind::group:
                expr(*as<WrapExpr>(node).inner, part);
                break;
            case ExprKind::propagate:
                expr(*as<WrapExpr>(node).inner, "operand of ?");
                break;
            case ExprKind::tuple:
            case ExprKind::list:
                for (const Expr* item : as<ItemsExpr>(node).items) expr(*item, "element");
                break;
            case ExprKind::map:
                for (const MapEntry& entry : as<MapExpr>(node).entries) {
                    expr(*entry.key, "key of a map");
                    expr(*entry.value, "entry of a map");
                }
                break;
            case ExprKind::unary:
                expr(*as<UnaryExpr>(node).operand, "unary operand");
                break;
            case ExprKind::binary:
                binary(as<BinaryExpr>(node));
                break;
            case ExprKind::call:
                call(as<CallExpr>(node));
                break;
            case ExprKind::index:
                expr(*as<IndexExpr>(node).object, "receiver");
                expr(*as<IndexExpr>(node).position, "index");
                break;
            case ExprKind::member:
                expr(*as<MemberExpr>(node).object, "receiver");
                break;
            case ExprKind::if_else: {
                const auto& of = as<IfExpr>(node);
                expr(*of.condition, of.pattern != nullptr ? "if let subject" : "condition");
                inside("branch of an if", *of.then_block);
                if (of.else_branch != nullptr) inside("branch of an if", *of.else_branch);
                break;
            }
            case ExprKind::match:
                expr(*as<MatchExpr>(node).subject, "match subject");
                for (const MatchArm& arm : as<MatchExpr>(node).arms) {
                    value(arm.guard, "guard");
                    inside("match arm", *arm.body);
                }
                break;
            case ExprKind::lambda: {
                const std::vector<std::string> outer = std::exchange(around_, {});
                inside("async lambda", *as<LambdaExpr>(node).body);
                around_ = outer;
                break;
            }
            case ExprKind::async_block: {
                const std::vector<std::string> outer = std::exchange(around_, {});
                inside("async block", *as<AsyncBlockExpr>(node).body);
                around_ = outer;
                break;
            }
            case ExprKind::struct_literal:
                for (const FieldValue& field : as<StructExpr>(node).fields) {
                    value(field.value, "field value");
                }
                break;
            default:
                break;
        }
    }

    void binary(const BinaryExpr& node) {
        const char* right = "right operand";
        if (node.op == TokenKind::and_and) right = "right of &&";
        if (node.op == TokenKind::or_or) right = "right of ||";
        if (node.op == TokenKind::double_question) right = "right of ??";
        expr(*node.left, "left operand");
        expr(*node.right, right);
    }

    void call(const CallExpr& node) {
        if (node.callee->kind == ExprKind::member) {
            expr(*as<MemberExpr>(*node.callee).object, "receiver");
        } else {
            expr(*node.callee, "callee");
        }
        for (const Argument& argument : node.args) {
            expr(*argument.value, argument.name.text.empty() ? "argument" : "named argument");
        }
    }

    std::set<std::string>& found_;
    std::vector<std::string> around_;
};

}  // namespace

void add_await_positions(const Tree& tree, std::set<std::string>& found) {
    Finder finder(found);
    for (const Decl* node : tree.declarations) finder.declaration(*node);
}

}  // namespace gyre::vela
