// SPDX-License-Identifier: Apache-2.0
// The types of operators: arithmetic, comparisons, `await` and `?`.
#include <charconv>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

bool Checker::is_numeric(const Type* type) const {
    return Types::is(type, types_.builtins.number) || Types::is(type, types_.builtins.real) ||
           is_sort(type, TypeSort::error) || is_sort(type, TypeSort::never);
}

// A Number has 64 bits; the least one has no positive counterpart.
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
    if (is_sort(type, TypeSort::error)) return type;
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
            const Type* awaited = types_.future_value(left);
            const bool is_left = awaited != nullptr && types_.join(awaited, right) != nullptr;
            is_left ? mismatch(*node.left, right, left) : mismatch(*node.right, left, right);
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
    // An undetermined side gets the type of the other.
    const bool is_left_open = is_sort(left, TypeSort::variable);
    if (is_left_open) types_.assign(left, is_numeric(right) ? right : types_.number());
    if (is_sort(right, TypeSort::variable)) {
        types_.assign(right, is_numeric(left) ? left : types_.number());
    }
    // A Future<String> is a string with a missing await.
    const bool allows_text = node.op != TokenKind::minus && node.op != TokenKind::star &&
                             node.op != TokenKind::slash && node.op != TokenKind::percent &&
                             node.op != TokenKind::star_star;
    const auto is_late_text = [&](const Type* type) {
        const Type* awaited = types_.future_value(type);
        return allows_text && awaited != nullptr && Types::is(awaited, types_.builtins.string);
    };
    if (is_sort(left, TypeSort::error) || is_sort(right, TypeSort::error)) return types_.error();
    if (is_late_text(left)) return mismatch(*node.left, types_.string(), left);
    if (is_late_text(right)) return mismatch(*node.right, types_.string(), right);
    if (!is_numeric(left)) return wrong_operand(node, *node.left, types_.number(), left);
    if (!is_numeric(right)) return wrong_operand(node, *node.right, left, right);
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
        if (type->sort == TypeSort::error) return type;
        if (type->sort == TypeSort::variable) return not_known(*node.inner);
        std::string text = concat("`?` needs a Result or an Option, found ", type_text(type));
        const Type* awaited = types_.future_value(type);
        const bool forgot_await =
            awaited != nullptr && (Types::is(awaited, types_.builtins.option) ||
                                   Types::is(awaited, types_.builtins.result));
        if (forgot_await) text += " (forgot `await`?)";
        error("E0303", node.inner->span, std::move(text));
        return types_.error();
    }
    const bool is_open = !frames_.empty() && frames_.back().is_lambda &&
                         is_sort(frames_.back().result, TypeSort::variable);
    if (is_open) {
        frames_.back().undecided.push_back(&node);
    } else {
        decide(node);
    }
    return type->args[0];
}

// Whether `?` returns or throws: decided by the result type of the function.
void Checker::decide(const WrapExpr& node) {
    const Type* type = known(fact(*node.inner).type);
    const bool is_option = Types::is(type, types_.builtins.option);
    const bool is_result = Types::is(type, types_.builtins.result);
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
}

}  // namespace gyre::vela::internal
