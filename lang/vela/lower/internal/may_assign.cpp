// SPDX-License-Identifier: Apache-2.0
// Which expressions may change a variable while they are evaluated.
#include "lang/vela/lower/internal/lowering.hpp"
#include "lang/vela/syntax/detail/tree_parts.hpp"

namespace gyre::vela::internal {
namespace {

struct PartMayAssign {
    void operator()(const Expr& part) const { is_found = is_found || may_assign(part); }
    void operator()(const Stmt& /*part*/) const { is_found = true; }
    bool& is_found;
};

}  // namespace

bool may_assign(const Expr& node) {
    // These share variables with their surroundings through cells.
    if (node.kind == ExprKind::lambda || node.kind == ExprKind::async_block) return false;
    // Their patterns and blocks set variables.
    if (node.kind == ExprKind::if_else || node.kind == ExprKind::match) return true;
    bool is_found = false;
    visit_parts(node, PartMayAssign{is_found});
    return is_found;
}

}  // namespace gyre::vela::internal
