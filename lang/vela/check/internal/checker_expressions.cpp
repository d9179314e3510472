// SPDX-License-Identifier: Apache-2.0
// The types of expressions.
#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

void Checker::expect(const Expr& node, const Type* wanted) {
    const Expr& inner = bare(node);
    if (inner.kind == ExprKind::if_else || inner.kind == ExprKind::match) {
        const Type* end = branch(inner, Use::value, wanted);
        fact(node).type = wanted;
        if (Types::is(end, types_.builtins.nothing) && !types_.assign(end, wanted)) {
            mismatch(node, wanted, end);
        }
        return;
    }
    const Type* found = expr(node, wanted);
    if (!types_.assign(found, wanted)) mismatch(node, wanted, found);
}

// The type of an if or match that is a part of an expression.
const Type* Checker::branched(const Expr& node, const Type* wanted) {
    if (wanted == nullptr) wanted = types_.fresh();
    const Type* end = branch(node, Use::value, wanted);
    const bool is_missing = Types::is(end, types_.builtins.nothing);
    return is_missing && !types_.assign(end, wanted) ? mismatch(node, wanted, end) : end;
}

// The type of a value that is stored.
const Type* Checker::infer(const Expr& node) {
    const Type* type = types_.fresh();
    expect(node, type);
    return type;
}

// Of several values that need a common type, the type so far is wanted only of expressions that have
// no type of their own.
bool Checker::takes_wish_of_others(const Expr& node) {
    const ExprKind kind = bare(node).kind;
    return kind == ExprKind::name || kind == ExprKind::member || kind == ExprKind::lambda;
}

// One of several values that need a common type: joins it with the type so far.
const Type* Checker::one_of(const Expr& node, const Type* others) {
    const Type* type = expr(node, takes_wish_of_others(node) ? known(others) : nullptr);
    const Type* both = types_.join(others, type);
    if (both == nullptr) blame(node, others);
    return both == nullptr ? others : both;
}

const Type* Checker::expr(const Expr& node, const Type* wanted) {
    const Type* type = literal_as(node, type_of(node, wanted), wanted);
    fact(node).type = type;
    return type;
}

const Type* Checker::type_of(const Expr& node, const Type* wanted) {
    switch (node.kind) {
        case ExprKind::integer:
            check_fits(as<LiteralExpr>(node), false);
            return types_.number();
        case ExprKind::real:
            return types_.real();
        case ExprKind::boolean:
            return types_.boolean();
        case ExprKind::string:
            for (const StringPart& part : as<StringExpr>(node).parts) {
                if (part.value != nullptr) infer(*part.value);
            }
            return types_.string();
        case ExprKind::left_out:
            return types_.never();
        case ExprKind::this_value:
            if (has_this_) return class_->self;
            error("E0316", node.span, "`this` is only known inside a class or an actor");
            return types_.error();
        case ExprKind::name:
            return name(as<NameExpr>(node), wanted);
        case ExprKind::group:
            return expr(*as<WrapExpr>(node).inner, wanted);
        case ExprKind::tuple:
        case ExprKind::list:
            return items(as<ItemsExpr>(node), wanted);
        case ExprKind::map:
            return map(as<MapExpr>(node), wanted);
        case ExprKind::unary:
            return unary(as<UnaryExpr>(node));
        case ExprKind::binary:
            return binary(as<BinaryExpr>(node));
        case ExprKind::await:
            return await(as<AwaitExpr>(node), wanted);
        case ExprKind::call:
            return call(as<CallExpr>(node), wanted);
        case ExprKind::index:
            return index(as<IndexExpr>(node));
        case ExprKind::member:
            return member(as<MemberExpr>(node), wanted);
        case ExprKind::propagate:
            return propagate(as<WrapExpr>(node));
        case ExprKind::if_else:
        case ExprKind::match:
            return branched(node, wanted);
        case ExprKind::lambda:
            return lambda(as<LambdaExpr>(node), wanted);
        case ExprKind::async_block:
            return async_block(as<AsyncBlockExpr>(node), wanted);
        case ExprKind::struct_literal:
            return struct_literal(as<StructExpr>(node), wanted);
    }
    return types_.error();
}

const Type* Checker::items(const ItemsExpr& node, const Type* wanted) {
    const Type* goal = wanted == nullptr ? nullptr : known(wanted);
    if (goal != nullptr && Types::is(goal, types_.builtins.json)) goal = types_.list(goal);
    const bool has_goal = goal != nullptr && goal->sort == TypeSort::nominal;
    if (node.kind == ExprKind::tuple) {
        if (node.items.empty()) return types_.nothing();
        const bool is_tuple = goal != nullptr && goal->sort == TypeSort::tuple &&
                              goal->args.size() == node.items.size();
        std::vector<const Type*> parts;
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            const Type* part = is_tuple ? goal->args[i] : types_.fresh();
            expect(*node.items[i], part);
            parts.push_back(part);
        }
        return types_.tuple(std::move(parts));
    }
    // A list literal also makes a queue or a set if one is wanted.
    const TypeInfo* info = types_.builtins.list;
    if (has_goal && (goal->info == types_.builtins.queue || goal->info == types_.builtins.set)) {
        info = goal->info;
    }
    const bool is_goal = has_goal && (goal->info == info || goal->info == types_.builtins.sequence);
    if (is_goal && !goal->args.empty() && !is_sort(goal->args[0], TypeSort::variable)) {
        for (const Expr* item : node.items) expect(*item, goal->args[0]);
        return types_.nominal(info, {goal->args[0]});
    }
    const Type* item_type = types_.fresh();
    for (const Expr* item : node.items) {
        item_type = one_of(*item, item_type);
    }
    return types_.nominal(info, {item_type});
}

const Type* Checker::map(const MapExpr& node, const Type* wanted) {
    const Type* goal = wanted == nullptr ? nullptr : known(wanted);
    if (goal != nullptr && Types::is(goal, types_.builtins.json)) {
        goal = types_.nominal(types_.builtins.map, {types_.string(), goal});
    }
    if (node.entries.empty() && goal != nullptr && Types::is(goal, types_.builtins.set)) {
        return goal;
    }
    const bool is_goal = goal != nullptr && Types::is(goal, types_.builtins.map);
    const Type* key = is_goal ? goal->args[0] : types_.fresh();
    const Type* value = is_goal ? goal->args[1] : types_.fresh();
    // As in a list, later entries may widen the type.
    const auto widened = [&](const Expr& part, const Type* so_far) {
        if (is_goal) {
            expect(part, so_far);
            return so_far;
        }
        return one_of(part, so_far);
    };
    for (const MapEntry& entry : node.entries) {
        key = widened(*entry.key, key);
        value = widened(*entry.value, value);
    }
    if (!is_goal) {
        const Span place = node.entries.empty() ? node.span : node.entries[0].key->span;
        declarations_.keyed.push_back({module_, place, key});
    }
    return types_.nominal(types_.builtins.map, {key, value});
}

const Type* Checker::index(const IndexExpr& node) {
    const Type* object = expr(*node.object);
    const Type* sequence = types_.as_base(object, types_.builtins.sequence);
    if (sequence == nullptr && is_sort(object, TypeSort::variable)) {
        sequence = types_.list(types_.fresh());
        types_.assign(object, sequence);
    }
    if (sequence == nullptr) {
        const Type* awaited = types_.future_value(object);
        const bool is_told = awaited != nullptr &&
                             types_.as_base(awaited, types_.builtins.sequence) != nullptr &&
                             misses_await(*node.object, object, "a List");
        if (!is_told && !is_sort(object, TypeSort::error)) {
            Diagnostic& diagnostic = error("E0303", node.object->span,
                                           concat("expected a List, found ", type_text(object)));
            if (Types::is(object, types_.builtins.map)) {
                diagnostic.note("`get` gives the value of a key as an Option");
            } else if (Types::is(object, types_.builtins.string)) {
                diagnostic.note("`slice(i, i + 1)` is a character, `chars()` is the list of all");
            } else if (is_sort(object, TypeSort::tuple)) {
                diagnostic.note("the items of a tuple are `.0`, `.1` and so on");
            }
        }
        expr(*node.position);
        return types_.error();
    }
    expect(*node.position, types_.number());
    return sequence->args[0];
}

}  // namespace gyre::vela::internal
