// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/insn_fields.hpp"

namespace gyre::vela::vm {
namespace {

bool is_between(InsnOp op, InsnOp first, InsnOp last) {
    return op >= first && op <= last;
}

Fields fields_of_jump(InsnOp op) {
    using enum InsnOp;
    if (op == jump_if || op == jump_unless) return {Field::boolean};
    if (is_between(op, jump_less_float, jump_not_less_equal_float)) {
        return {Field::real, Field::real};
    }
    const bool has_constant = is_between(op, jump_less_small, jump_not_equal_small) ||
                              is_between(op, loop_less_small, loop_not_equal_small);
    if (has_constant) return {Field::number};
    if (is_between(op, jump_less, loop_not_equal)) return {Field::number, Field::number};
    return {};
}

Fields fields_of_number(InsnOp op) {
    using enum InsnOp;
    if (op == negate_number || is_between(op, add_small, remainder_small)) {
        return {Field::number, Field::number};
    }
    if (is_between(op, add_number, power_number)) {
        return {Field::number, Field::number, Field::number};
    }
    if (op == negate_float) return {Field::real, Field::real};
    if (is_between(op, add_float, power_float)) return {Field::real, Field::real, Field::real};
    if (op == widen) return {Field::real, Field::number};
    if (op == invert) return {Field::boolean, Field::boolean};
    if (op == equal_number) return {Field::boolean, Field::bare, Field::same};
    if (op == equal_real || op == less_float || op == less_equal_float) {
        return {Field::boolean, Field::real, Field::real};
    }
    if (op == less_number || op == less_equal_number) {
        return {Field::boolean, Field::number, Field::number};
    }
    return {Field::boolean, Field::word, Field::word};  // equal_word, less_string and its kin
}

}  // namespace

Fields fields_of(InsnOp op) {
    using enum InsnOp;
    if (is_between(op, negate_number, less_equal_string)) return fields_of_number(op);
    if (is_between(op, jump, loop_not_equal_small)) return fields_of_jump(op);
    switch (op) {
        case load_small:
            return {Field::bare};
        case load_constant:
        case clear:
            return {Field::any};
        case move:
            return {Field::any, Field::same};
        case box_number:
            return {Field::word, Field::number};
        case box_real:
            return {Field::word, Field::real};
        case box_boolean:
            return {Field::word, Field::boolean};
        case unbox_number:
        case length:
            return {Field::number, Field::word};
        case unbox_real:
            return {Field::real, Field::word};
        case unbox_boolean:
        case is_given:
            return {Field::boolean, Field::word};
        case new_cell:
        case get_global:
        case set_global:
        case jump_unless_variant:
        case new_object:
        case caught:
        case throw_value:
        case return_async:
            return {Field::word};
        case copy_struct:
        case get_cell:
        case set_cell:
        case item:
        case payload:
        case get_word:
        case push_item:
        case next_item:
            return {Field::word, Field::word};
        case get_slot:
            return {Field::any, Field::word};
        case set_slot:
            return {Field::word, Field::none, Field::any};
        case get_index:
            return {Field::word, Field::word, Field::number};
        case get_index_number:
            return {Field::number, Field::word, Field::number};
        case set_index:
            return {Field::word, Field::number, Field::word};
        case range_begin:
        case range_next:
        case range_loop:
            return {Field::number, Field::number, Field::number};
        case choose:
            return {Field::number};
        case await:
        case yield:
            return {Field::operand, Field::word};
        case return_value:
            return {Field::result};
        default:
            return {};
    }
}

}  // namespace gyre::vela::vm
