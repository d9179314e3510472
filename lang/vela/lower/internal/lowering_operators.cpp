// SPDX-License-Identifier: Apache-2.0
// Operators, short circuits and `?`.
#include "lang/vela/lower/internal/literals.hpp"
#include "lang/vela/lower/internal/lowering.hpp"

namespace gyre::vela::internal {

bool Lowering::is_float(Register reg) const {
    return Types::is(code_.registers[reg].type, builtins().real);
}

Register Lowering::widened(Register given, bool is_wanted) {
    const bool is_number = Types::is(code_.registers[given].type, builtins().number);
    if (!is_wanted || !is_number) return given;
    const Register wide = emitter_.make_register(types().real());
    emitter_.emit(Op::widen, wide, {given});
    return wide;
}

Register Lowering::unary(const UnaryExpr& node, Register to) {
    if (node.op == TokenKind::bang) {
        const Register operand = value(*node.operand);
        to = out(to, types().boolean());
        emitter_.emit(Op::invert, to, {operand});
        return to;
    }
    if (node.operand->kind == ExprKind::integer) {
        const std::string_view text = as<LiteralExpr>(*node.operand).text;
        return constant(integer_value(text, true), types().number(), to);
    }
    const Register operand = value(*node.operand);
    to = out(to, code_.registers[operand].type);
    emitter_.emit(is_float(operand) ? Op::negate_float : Op::negate_number, to, {operand});
    return to;
}

Register Lowering::binary(const BinaryExpr& node, Register to) {
    using enum TokenKind;
    if (node.op == and_and || node.op == or_or) return short_circuit(node, to);
    if (node.op == double_question) return otherwise(node, to);
    const Register left = stable(*node.left, may_assign(*node.right));
    const Register right = value(*node.right);
    emitter_.set_place(node.sign);
    if (node.op == range || node.op == range_inclusive) {
        to = out(to, type_of(node));
        emitter_.emit(node.op == range ? Op::range : Op::range_inclusive, to, {left, right});
        return to;
    }
    const bool is_arithmetic = node.op == plus || node.op == minus || node.op == star ||
                               node.op == slash || node.op == percent || node.op == star_star;
    return is_arithmetic ? arithmetic(node.op, left, right, to)
                         : comparison(node.op, left, right, to);
}

Register Lowering::arithmetic(TokenKind op, Register left, Register right, Register to) {
    using enum TokenKind;
    const Type* left_type = code_.registers[left].type;
    const Type* right_type = code_.registers[right].type;
    const bool is_text = op == plus && (types().as_base(left_type, builtins().string) != nullptr ||
                                        types().as_base(right_type, builtins().string) != nullptr);
    if (is_text) {
        to = out(to, types().string());
        emitter_.emit(Op::text, to, {left, right});
        return to;
    }
    const bool is_real = is_float(left) || is_float(right);
    left = widened(left, is_real);
    right = widened(right, is_real);
    Op made = is_real ? Op::add_float : Op::add_number;
    if (op == minus) made = is_real ? Op::subtract_float : Op::subtract_number;
    if (op == star) made = is_real ? Op::multiply_float : Op::multiply_number;
    if (op == slash) made = is_real ? Op::divide_float : Op::divide_number;
    if (op == percent) made = is_real ? Op::remainder_float : Op::remainder_number;
    if (op == star_star) made = is_real ? Op::power_float : Op::power_number;
    to = out(to, is_real ? types().real() : types().number());
    emitter_.emit(made, to, {left, right});
    return to;
}

Register Lowering::comparison(TokenKind op, Register left, Register right, Register to) {
    using enum TokenKind;
    const bool is_real = is_float(left) || is_float(right);
    const bool is_text = types().as_base(code_.registers[left].type, builtins().string) != nullptr;
    left = widened(left, is_real);
    right = widened(right, is_real);
    to = out(to, types().boolean());
    if (op == equal) {
        emitter_.emit(Op::equal, to, {left, right});
        return to;
    }
    if (op == not_equal) {
        const Register same = emitter_.make_register(types().boolean());
        emitter_.emit(Op::equal, same, {left, right});
        emitter_.emit(Op::invert, to, {same});
        return to;
    }
    if (op == greater || op == greater_equal) std::swap(left, right);
    const bool is_strict = op == less || op == greater;
    Op made = is_strict ? Op::less_number : Op::less_equal_number;
    if (is_real) made = is_strict ? Op::less_float : Op::less_equal_float;
    if (is_text) made = is_strict ? Op::less_string : Op::less_equal_string;
    emitter_.emit(made, to, {left, right});
    return to;
}

// Writes `to` once on each path, at its end: it may be a variable that the right side reads.
Register Lowering::short_circuit(const BinaryExpr& node, Register to) {
    const bool is_and = node.op == TokenKind::and_and;
    const Label right = emitter_.make_label();
    const Label decided = emitter_.make_label();
    const Label after = emitter_.make_label();
    const Register left = value(*node.left);
    emitter_.branch(left, is_and ? right : decided, is_and ? decided : right);
    to = out(to, types().boolean());
    emitter_.place(decided);
    emitter_.constant(to, !is_and);
    emitter_.jump(after);
    emitter_.place(right);
    value(*node.right, to);
    emitter_.place(after);
    return to;
}

const VariantInfo* Lowering::good_variant(const Type* type) const {
    const TypeInfo* info =
        Types::is(type, builtins().result) ? builtins().result : builtins().option;
    return &info->variants[0];
}

Register Lowering::otherwise(const BinaryExpr& node, Register to) {
    const VariantInfo* good = good_variant(type_of(*node.left));
    const Label none = emitter_.make_label();
    const Label after = emitter_.make_label();
    const Register left = value(*node.left);
    const Register is_good = emitter_.make_register(types().boolean());
    emitter_.emit(Op::is_variant, is_good, {left}).variant = good;
    test(is_good, none);
    to = out(to, type_of(node));
    emitter_.emit(Op::payload, to, {left}).variant = good;
    emitter_.jump(after);
    emitter_.place(none);
    value(*node.right, to);
    emitter_.jump(after);
    emitter_.place(after);
    return to;
}

// `?` on an empty Option or a failed Result: returns it to the caller if the result type allows,
// and throws it otherwise.
Register Lowering::propagate(const WrapExpr& node, Register to) {
    const Type* type = type_of(*node.inner);
    const VariantInfo* good = good_variant(type);
    const Label bad = emitter_.make_label();
    const Label after = emitter_.make_label();
    const Register inner = value(*node.inner);
    const Register is_good = emitter_.make_register(types().boolean());
    emitter_.set_place(node.sign);
    emitter_.emit(Op::is_variant, is_good, {inner}).variant = good;
    test(is_good, bad);
    to = out(to, type_of(node));
    emitter_.emit(Op::payload, to, {inner}).variant = good;
    emitter_.jump(after);
    emitter_.place(bad);
    if (meaning_of(node).kind == MeaningKind::passes_on) {
        // Makes a new variant, because the success type of the result may differ.
        const VariantInfo* other = &good->owner->variants[1];
        std::vector<Register> payload;
        if (!other->args.empty()) {
            payload.push_back(emitter_.make_register(types().seen_from(other->args[0].type, type)));
            emitter_.emit(Op::payload, payload[0], {inner}).variant = other;
        }
        const Register given = emitter_.make_register(code_.result);
        emitter_.emit(Op::variant, given, payload).variant = other;
        give_back(given);
    } else {
        const Register error = emitter_.make_register(types().error());
        emitter_.emit(Op::failure, error, {inner});
        emitter_.emit(Op::throw_value, no_register, {error});
    }
    emitter_.place(after);
    return to;
}

}  // namespace gyre::vela::internal
