// SPDX-License-Identifier: Apache-2.0
// Which expressions may change a variable while they are evaluated.
#include <algorithm>

#include "lang/vela/lower/internal/lowering.hpp"

namespace gyre::vela::internal {

bool may_assign(const Expr& node) {
    const auto any = [](std::span<Expr* const> items) {
        return std::any_of(items.begin(), items.end(),
                           [](const Expr* item) { return may_assign(*item); });
    };
    switch (node.kind) {
        case ExprKind::if_else:
        case ExprKind::match:
            return true;
        case ExprKind::string: {
            const auto& parts = as<StringExpr>(node).parts;
            return std::any_of(parts.begin(), parts.end(), [](const StringPart& part) {
                return part.value != nullptr && may_assign(*part.value);
            });
        }
        case ExprKind::group:
        case ExprKind::propagate:
            return may_assign(*as<WrapExpr>(node).inner);
        case ExprKind::tuple:
        case ExprKind::list:
            return any(as<ItemsExpr>(node).items);
        case ExprKind::map: {
            const auto& entries = as<MapExpr>(node).entries;
            return std::any_of(entries.begin(), entries.end(), [](const MapEntry& entry) {
                return may_assign(*entry.key) || may_assign(*entry.value);
            });
        }
        case ExprKind::unary:
            return may_assign(*as<UnaryExpr>(node).operand);
        case ExprKind::binary:
            return may_assign(*as<BinaryExpr>(node).left) ||
                   may_assign(*as<BinaryExpr>(node).right);
        case ExprKind::await:
            return may_assign(*as<AwaitExpr>(node).operand);
        case ExprKind::call: {
            const auto& args = as<CallExpr>(node).args;
            return may_assign(*as<CallExpr>(node).callee) ||
                   std::any_of(args.begin(), args.end(),
                               [](const Argument& arg) { return may_assign(*arg.value); });
        }
        case ExprKind::index:
            return may_assign(*as<IndexExpr>(node).object) ||
                   may_assign(*as<IndexExpr>(node).position);
        case ExprKind::member:
            return may_assign(*as<MemberExpr>(node).object);
        case ExprKind::struct_literal: {
            const auto& fields = as<StructExpr>(node).fields;
            return std::any_of(fields.begin(), fields.end(),
                               [](const FieldValue& field) { return may_assign(*field.value); });
        }
        default:
            // Lambdas and async blocks share variables through cells.
            return false;
    }
}

}  // namespace gyre::vela::internal
