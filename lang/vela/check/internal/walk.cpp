// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/internal/walk.hpp"

#include "lang/vela/syntax/detail/tree_parts.hpp"

namespace gyre::vela::internal {

void Walk::visit(const Expr& node) const {
    on_expr(node);
    visit_parts(node, [this](const auto& part) { this->visit(part); });
}

void Walk::visit(const Stmt& node) const {
    on_stmt(node);
    visit_parts(node, [this](const auto& part) { this->visit(part); });
}

void Walk::expr(const Expr* node) const {
    if (node != nullptr) visit(*node);
}

void Walk::statement(const Stmt* node) const {
    if (node != nullptr) visit(*node);
}

void Walk::function(const FunctionDecl& node) const {
    visit_parts(node, [this](const auto& part) { this->visit(part); });
}

}  // namespace gyre::vela::internal
