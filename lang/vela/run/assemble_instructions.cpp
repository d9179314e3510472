// SPDX-License-Identifier: Apache-2.0
// The instructions of the machine for each lowered instruction.
#include <limits>

#include "gyre/base/assert.hpp"
#include "lang/vela/run/internal/function_assembler.hpp"

namespace gyre::vela::vm {

void FunctionAssembler::one(std::uint32_t at) {
    Instruction instruction = code_.instructions[at];
    if (is_awaited_call(at)) {
        awaited_call(at);
        return;
    }
    if (spawned_count(at) > 0) {
        spawned_call(at);
        return;
    }
    if (is_moved_on(at)) {
        is_done_[at + 1] = true;
        instruction.to = code_.instructions[at + 1].to;
    }
    if (loops(instruction, at) || comparisons(at)) return;
    const bool is_known = variables(instruction) || numbers(instruction) || objects(instruction) ||
                          fields(instruction) || calls(instruction) || tasks(instruction) ||
                          control(instruction, at);
    GYRE_ASSERT(is_known, "no instruction of the machine for a lowered one");
}

void FunctionAssembler::load(Register to, Slot slot, Rep given) {
    emit(InsnOp::load_constant, out(to, given));
    extend(std::bit_cast<const void*>(slot));
    finish_out(to, given);
}

void FunctionAssembler::constant(const Instruction& instruction) {
    if (is_folded_[instruction.to]) return;
    const Constant& value = code_.constants[instruction.number];
    const Register to = instruction.to;
    Slot slot{};
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        if (*number >= -most && *number <= most) {
            emit_wide(InsnOp::load_small, out(to, Rep::number), static_cast<std::int32_t>(*number));
            finish_out(to, Rep::number);
            return;
        }
        slot.number = *number;
        load(to, slot, Rep::number);
    } else if (const auto* real = std::get_if<double>(&value)) {
        slot.real = *real;
        load(to, slot, Rep::real);
    } else if (const auto* truth = std::get_if<bool>(&value)) {
        emit_wide(InsnOp::load_small, out(to, Rep::boolean), *truth ? 1 : 0);
        finish_out(to, Rep::boolean);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        slot.set(linker_.text(*text));
        function_.texts.insert(slot.bits);
        load(to, slot, Rep::word);
    } else {
        slot.set(Word::nothing());
        load(to, slot, Rep::word);
    }
}

bool FunctionAssembler::variables(const Instruction& instruction) {
    const auto reads = code_.reads(instruction);
    const Register to = instruction.to;
    switch (instruction.op) {
        case Op::constant:
            constant(instruction);
            return true;
        case Op::move:
            convert(numbers_[to], reps_[to], numbers_[reads[0]], reps_[reads[0]]);
            return true;
        case Op::copy: {
            const bool is_bare = reps_[reads[0]] != Rep::word;
            if (is_bare) {
                convert(numbers_[to], reps_[to], numbers_[reads[0]], reps_[reads[0]]);
                return true;
            }
            emit(InsnOp::copy_struct, out(to, Rep::word), numbers_[reads[0]]);
            finish_out(to, Rep::word);
            return true;
        }
        case Op::clear:
            emit(InsnOp::clear, numbers_[to]);
            return true;
        case Op::is_given:
            emit(InsnOp::is_given, out(to, Rep::boolean), in(reads[0], Rep::word));
            finish_out(to, Rep::boolean);
            return true;
        case Op::cell:
            emit(InsnOp::new_cell, numbers_[to]);
            return true;
        case Op::get_cell:
            emit(InsnOp::get_cell, out(to, Rep::word), numbers_[reads[0]]);
            finish_out(to, Rep::word);
            return true;
        case Op::set_cell:
            emit(InsnOp::set_cell, numbers_[reads[0]], in(reads[1], Rep::word));
            return true;
        case Op::get_global:
            emit_wide(InsnOp::get_global, out(to, Rep::word),
                      static_cast<std::int32_t>(program_.globals.at(instruction.symbol)));
            finish_out(to, Rep::word);
            return true;
        case Op::set_global:
            emit_wide(InsnOp::set_global, in(reads[0], Rep::word),
                      static_cast<std::int32_t>(program_.globals.at(instruction.symbol)));
            return true;
        default:
            return false;
    }
}

void FunctionAssembler::arithmetic(const Instruction& instruction, InsnOp op, Rep rep) {
    const auto reads = code_.reads(instruction);
    const std::uint16_t left = in(reads[0], rep);
    const std::uint16_t right = reads.size() > 1 ? in(reads[1], rep) : std::uint16_t{0};
    emit(op, out(instruction.to, rep), left, right);
    finish_out(instruction.to, rep);
}

void FunctionAssembler::compare(const Instruction& instruction, InsnOp op, Rep rep) {
    const auto reads = code_.reads(instruction);
    const std::uint16_t left = in(reads[0], rep);
    const std::uint16_t right = in(reads[1], rep);
    emit(op, out(instruction.to, Rep::boolean), left, right);
    finish_out(instruction.to, Rep::boolean);
}

bool FunctionAssembler::numbers(const Instruction& instruction) {
    const Op op = instruction.op;
    const auto same = [&](Op first, InsnOp as) {
        return static_cast<InsnOp>(static_cast<int>(as) + static_cast<int>(op) -
                                   static_cast<int>(first));
    };
    const auto reads = code_.reads(instruction);
    if (op >= Op::add_number && op <= Op::remainder_number && folds(at_)) {
        const std::size_t operand = folded_operand(at_);
        emit(same(Op::add_number, InsnOp::add_small), out(instruction.to, Rep::number),
             numbers_[reads[1 - operand]],
             static_cast<std::uint16_t>(*small_constant(reads[operand])));
        finish_out(instruction.to, Rep::number);
    } else if (op >= Op::negate_number && op <= Op::power_number) {
        arithmetic(instruction, same(Op::negate_number, InsnOp::negate_number), Rep::number);
    } else if (op >= Op::negate_float && op <= Op::power_float) {
        arithmetic(instruction, same(Op::negate_float, InsnOp::negate_float), Rep::real);
    } else if (op == Op::widen) {
        emit(InsnOp::widen, out(instruction.to, Rep::real), in(reads[0], Rep::number));
        finish_out(instruction.to, Rep::real);
    } else if (op == Op::invert) {
        emit(InsnOp::invert, out(instruction.to, Rep::boolean), in(reads[0], Rep::boolean));
        finish_out(instruction.to, Rep::boolean);
    } else if (op == Op::equal) {
        const Rep left = reps_[reads[0]];
        const Rep right = reps_[reads[1]];
        const bool is_bare = left != Rep::word && right != Rep::word;
        if (is_bare && left == right && left != Rep::real) {
            compare(instruction, InsnOp::equal_number, left);
        } else if (is_bare && left != Rep::boolean && right != Rep::boolean) {
            compare(instruction, InsnOp::equal_real, Rep::real);
        } else {
            compare(instruction, InsnOp::equal_word, Rep::word);
        }
    } else if (op == Op::less_number || op == Op::less_equal_number) {
        compare(instruction, same(Op::less_number, InsnOp::less_number), Rep::number);
    } else if (op == Op::less_float || op == Op::less_equal_float) {
        compare(instruction, same(Op::less_float, InsnOp::less_float), Rep::real);
    } else if (op == Op::less_string || op == Op::less_equal_string) {
        compare(instruction, same(Op::less_string, InsnOp::less_string), Rep::word);
    } else {
        return false;
    }
    return true;
}

}  // namespace gyre::vela::vm
