// SPDX-License-Identifier: Apache-2.0
// The types of expressions.
#include <charconv>

#include "gyre/vela/check/internal/checker.hpp"
#include "gyre/vela/syntax/concat.hpp"

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

// The type of a value that is kept, whatever it is.
const Type* Checker::infer(const Expr& node) {
    const Type* type = types_.fresh();
    expect(node, type);
    return type;
}

const Type* Checker::expr(const Expr& node, const Type* wanted) {
    const Type* type = type_of(node, wanted);
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
                if (part.value != nullptr) expr(*part.value);
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
            return branch(node, Use::value, wanted == nullptr ? types_.fresh() : wanted);
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
    // A list fills a queue or a set too, where one is wanted.
    const TypeInfo* info = types_.builtins.list;
    if (has_goal && (goal->info == types_.builtins.queue || goal->info == types_.builtins.set)) {
        info = goal->info;
    }
    const bool is_goal = has_goal && (goal->info == info || goal->info == types_.builtins.sequence);
    if (is_goal && !goal->args.empty() && !is_sort(goal->args[0], TypeSort::variable)) {
        for (const Expr* item : node.items) expect(*item, goal->args[0]);
        return types_.nominal(info, {goal->args[0]});
    }
    const Type* item_type = nullptr;
    for (const Expr* item : node.items) {
        const Type* type = expr(*item, item_type);
        const Type* both = item_type == nullptr ? type : types_.join(item_type, type);
        if (both == nullptr) mismatch(*item, item_type, type);
        if (both != nullptr) item_type = both;
    }
    return types_.nominal(info, {item_type == nullptr ? types_.fresh() : item_type});
}

const Type* Checker::map(const MapExpr& node, const Type* wanted) {
    const Type* goal = wanted == nullptr ? nullptr : known(wanted);
    if (node.entries.empty() && goal != nullptr && Types::is(goal, types_.builtins.set)) {
        return goal;
    }
    const bool is_goal = goal != nullptr && Types::is(goal, types_.builtins.map);
    const Type* key = is_goal ? goal->args[0] : types_.fresh();
    const Type* value = is_goal ? goal->args[1] : types_.fresh();
    for (const MapEntry& entry : node.entries) {
        expect(*entry.key, key);
        expect(*entry.value, value);
    }
    return types_.nominal(types_.builtins.map, {key, value});
}

bool Checker::is_numeric(const Type* type) const {
    return Types::is(type, types_.builtins.number) || Types::is(type, types_.builtins.real) ||
           is_sort(type, TypeSort::error) || is_sort(type, TypeSort::never);
}

// A Number has 64 bits; the least one has no positive partner.
void Checker::check_fits(const LiteralExpr& node, bool is_negative) {
    std::string_view digits = node.text;
    int base = 10;
    if (digits.starts_with("0x")) base = 16;
    if (digits.starts_with("0b")) base = 2;
    if (base != 10) digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto result = std::from_chars(digits.begin(), digits.end(), value, base);
    const std::uint64_t value_max = (std::uint64_t{1} << 63U) - (is_negative ? 0 : 1);
    if (result.ec == std::errc() && value <= value_max) return;
    error("E0101", node.span, "this does not fit a Number, which has 64 bits");
}

const Type* Checker::unary(const UnaryExpr& node) {
    if (node.op == TokenKind::bang) {
        expect(*node.operand, types_.boolean());
        return types_.boolean();
    }
    if (node.operand->kind == ExprKind::integer) {
        check_fits(as<LiteralExpr>(*node.operand), true);
        return types_.number();
    }
    const Type* type = expr(*node.operand);
    if (is_numeric(type) || types_.assign(type, types_.number())) return type;
    return mismatch(*node.operand, types_.number(), type);
}

const Type* Checker::binary(const BinaryExpr& node) {
    using enum TokenKind;
    if (node.op == and_and || node.op == or_or) {
        expect(*node.left, types_.boolean());
        expect(*node.right, types_.boolean());
        return types_.boolean();
    }
    if (node.op == range || node.op == range_inclusive) {
        expect(*node.left, types_.number());
        expect(*node.right, types_.number());
        return types_.nominal(types_.builtins.range);
    }
    const Type* left = expr(*node.left);
    if (node.op == double_question) {
        const Type* choice = known(left);
        const bool has_value =
            Types::is(choice, types_.builtins.option) || Types::is(choice, types_.builtins.result);
        if (has_value) {
            expect(*node.right, choice->args[0]);
            return choice->args[0];
        }
        const Type* value = types_.fresh();
        if (!types_.assign(left, types_.option(value))) {
            mismatch(*node.left, types_.option(types_.fresh()), left);
            return expr(*node.right);
        }
        expect(*node.right, value);
        return value;
    }
    const Type* right =
        expr(*node.right, node.op == equal || node.op == not_equal ? left : nullptr);
    if (node.op == equal || node.op == not_equal) {
        const bool are_numbers = is_numeric(left) && is_numeric(right);
        if (!are_numbers && types_.join(left, right) == nullptr) {
            mismatch(*node.right, left, right);
        }
        return types_.boolean();
    }
    const bool is_comparison =
        node.op == less || node.op == greater || node.op == less_equal || node.op == greater_equal;
    if (is_comparison && Types::is(left, types_.builtins.string)) {
        if (!types_.assign(right, left)) mismatch(*node.right, left, right);
        return types_.boolean();
    }
    const Type* result = arithmetic(node, left, right);
    return is_comparison ? types_.boolean() : result;
}

const Type* Checker::arithmetic(const BinaryExpr& node, const Type* left, const Type* right) {
    if (node.op == TokenKind::plus) {
        const Type* text = types_.string();
        if (types_.as_base(left, types_.builtins.string) != nullptr) return text;
        if (types_.as_base(right, types_.builtins.string) != nullptr) return text;
    }
    // What is not known yet becomes what the other side is.
    const bool is_left_open = is_sort(left, TypeSort::variable);
    if (is_left_open) types_.assign(left, is_numeric(right) ? right : types_.number());
    if (is_sort(right, TypeSort::variable)) {
        types_.assign(right, is_numeric(left) ? left : types_.number());
    }
    if (!is_numeric(left)) return mismatch(*node.left, types_.number(), left);
    if (!is_numeric(right)) return mismatch(*node.right, left, right);
    const bool is_real =
        Types::is(left, types_.builtins.real) || Types::is(right, types_.builtins.real);
    return is_real ? types_.real() : types_.number();
}

const Type* Checker::await(const AwaitExpr& node, const Type* wanted) {
    const bool is_async = !frames_.empty() && frames_.back().is_async;
    require_async("E0301", node.keyword, "await");
    const Type* type =
        known(expr(*node.operand, wanted == nullptr ? nullptr : types_.future(wanted)));
    if (const Type* value = types_.future_value(type)) return value;
    const Type* value = types_.fresh();
    if (is_sort(type, TypeSort::never)) return types_.never();
    if (types_.assign(type, types_.future(value))) return value;
    if (is_async) {
        error("E0302", node.keyword, concat("`await` needs a Future<T>, found ", type_text(type)));
    }
    return is_async ? type : types_.error();
}

const Type* Checker::propagate(const WrapExpr& node) {
    const Type* type = known(expr(*node.inner));
    const bool is_option = Types::is(type, types_.builtins.option);
    const bool is_result = Types::is(type, types_.builtins.result);
    if (!is_option && !is_result) {
        if (type->sort == TypeSort::error || type->sort == TypeSort::variable)
            return types_.fresh();
        std::string text = concat("`?` needs a Result or an Option, found ", type_text(type));
        const Type* awaited = types_.future_value(type);
        const bool forgot_await =
            awaited != nullptr && (Types::is(awaited, types_.builtins.option) ||
                                   Types::is(awaited, types_.builtins.result));
        if (forgot_await) text += " (forgot `await`?)";
        error("E0303", node.inner->span, std::move(text));
        return types_.error();
    }
    const Frame* frame = frames_.empty() ? nullptr : &frames_.back();
    const Type* result = frame == nullptr ? nullptr : known(frame->result);
    const bool passes_on =
        result != nullptr && (is_option ? Types::is(result, types_.builtins.option)
                                        : Types::is(result, types_.builtins.result));
    if (passes_on && is_result && !types_.assign(type->args[1], result->args[1])) {
        error("E0303", node.inner->span,
              concat("`?` passes on ", type_text(type->args[1]), ", but the function returns ",
                     type_text(result)));
    }
    if (passes_on) fact(node).meaning = Meaning::of(MeaningKind::passes_on);
    if (!passes_on && (frame == nullptr || !frame->is_async)) {
        error("E0304", node.sign,
              "`?` needs a function that returns Result or Option, or an `async fn`");
    }
    return type->args[0];
}

const Type* Checker::index(const IndexExpr& node) {
    const Type* object = expr(*node.object);
    const Type* sequence = types_.as_base(object, types_.builtins.sequence);
    if (sequence == nullptr && is_sort(object, TypeSort::variable)) {
        sequence = types_.list(types_.fresh());
        types_.assign(object, sequence);
    }
    if (sequence == nullptr) {
        if (!is_sort(object, TypeSort::error)) {
            Diagnostic& diagnostic = error("E0303", node.object->span,
                                           concat("expected a List, found ", type_text(object)));
            if (Types::is(object, types_.builtins.map)) {
                diagnostic.note("`get` gives the value of a key as an Option");
            }
        }
        expr(*node.position);
        return types_.error();
    }
    expect(*node.position, types_.number());
    return sequence->args[0];
}

}  // namespace gyre::vela::internal
