// SPDX-License-Identifier: Apache-2.0
// Literals where a value of a database is wanted: `[1, "Ana", 2.5]` is a List<DbValue>.
#include "lang/vela/check/internal/checker.hpp"

namespace gyre::vela::internal {
namespace {

bool is_literal(const Expr& node) {
    if (node.kind == ExprKind::unary) {
        const auto& of = as<UnaryExpr>(node);
        return of.op == TokenKind::minus && is_literal(*of.operand) &&
               of.operand->kind != ExprKind::string;
    }
    return node.kind == ExprKind::integer || node.kind == ExprKind::real ||
           node.kind == ExprKind::string;
}

}  // namespace

const VariantInfo* Checker::variant_of_value(const Type* wanted, const Type* found) {
    const Type* goal = known(wanted);
    if (goal->sort != TypeSort::nominal || !goal->info->is_standard) return nullptr;
    if (goal->info->kind != DeclKind::enumeration || goal->info->name.text != "DbValue") {
        return nullptr;
    }
    for (const VariantInfo& variant : goal->info->variants) {
        if (variant.args.size() == 1 && Types::is(found, known(variant.args[0].type)->info)) {
            return &variant;
        }
    }
    return nullptr;
}

// Its meaning is the variant that the value is put into. An expression may be checked several times.
const Type* Checker::literal_as(const Expr& node, const Type* type, const Type* wanted) {
    if (!is_literal(node)) return type;
    fact(node).meaning = {};
    if (wanted == nullptr) return type;
    const VariantInfo* variant = variant_of_value(wanted, type);
    if (variant == nullptr) return type;
    fact(node).meaning = Meaning::of(variant);
    return known(wanted);
}

}  // namespace gyre::vela::internal
