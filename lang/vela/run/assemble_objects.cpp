// SPDX-License-Identifier: Apache-2.0
// The instructions on objects, calls, tasks and control.
#include "lang/vela/run/internal/function_assembler.hpp"

namespace gyre::vela::vm {

bool FunctionAssembler::objects(const Instruction& instruction) {
    const auto reads = code_.reads(instruction);
    const Register to = instruction.to;
    const auto number = static_cast<std::uint16_t>(instruction.number);
    switch (instruction.op) {
        case Op::text:
            listed(InsnOp::text, instruction, nullptr);
            return true;
        case Op::range:
        case Op::range_inclusive:
            listed(InsnOp::range, instruction, nullptr, instruction.op == Op::range ? 0 : 1);
            return true;
        case Op::tuple:
            listed(InsnOp::tuple, instruction, nullptr);
            return true;
        case Op::item:
        case Op::payload:
            emit(instruction.op == Op::item ? InsnOp::item : InsnOp::payload, out(to, Rep::word),
                 in(reads[0], Rep::word), number);
            finish_out(to, Rep::word);
            return true;
        case Op::list:
            listed(InsnOp::list, instruction, instruction.type);
            return true;
        case Op::map: {
            const Type* type = known(code_.registers[to].type);
            listed(InsnOp::map, instruction,
                   type->sort == TypeSort::nominal ? type->info : nullptr);
            return true;
        }
        case Op::get_index:
            if (reps_[to] == Rep::number) {
                const std::uint16_t list = in(reads[0], Rep::word);
                emit(InsnOp::get_index_number, numbers_[to], list, in(reads[1], Rep::number));
                return true;
            } else {
                const std::uint16_t list = in(reads[0], Rep::word);
                const std::uint16_t index = in(reads[1], Rep::number);
                emit(InsnOp::get_index, out(to, Rep::word), list, index);
                finish_out(to, Rep::word);
                return true;
            }
        case Op::set_index: {
            const std::uint16_t list = in(reads[0], Rep::word);
            const std::uint16_t index = in(reads[1], Rep::number);
            emit(InsnOp::set_index, list, index, in(reads[2], Rep::word));
            return true;
        }
        case Op::variant:
            listed(InsnOp::variant, instruction, instruction.variant);
            return true;
        case Op::is_variant:
            listed(InsnOp::is_variant, instruction, instruction.variant);
            return true;
        case Op::matches_route:
            listed(InsnOp::matches_route, instruction, nullptr);
            return true;
        case Op::create:
            listed(InsnOp::create, instruction, instruction.type);
            return true;
        case Op::is_class:
            listed(InsnOp::is_class, instruction, instruction.type);
            return true;
        case Op::failure:
            listed(InsnOp::failure, instruction, nullptr);
            return true;
        default:
            return false;
    }
}

bool FunctionAssembler::fields(const Instruction& instruction) {
    if (instruction.op != Op::get_field && instruction.op != Op::set_field) return false;
    const auto reads = code_.reads(instruction);
    const FieldInfo& field = *instruction.field;
    const TypeInfo* owner = field.owner;
    const auto place = program_.places.find(&field);
    const bool is_native = owner != nullptr && owner->is_standard;
    if (instruction.op == Op::get_field && (is_native || place == program_.places.end())) {
        listed(InsnOp::native_field, instruction, &field);
        return true;
    }
    const FieldPlace at = place->second;
    if (instruction.op == Op::set_field) {
        const std::uint16_t object = in(reads[0], Rep::word);
        emit(InsnOp::set_slot, object, at.slot, in(reads[1], at.rep));
        return true;
    }
    const std::uint16_t object = in(reads[0], Rep::word);
    emit(at.rep == Rep::word ? InsnOp::get_word : InsnOp::get_slot, out(instruction.to, at.rep),
         object, at.slot);
    finish_out(instruction.to, at.rep);
    return true;
}

bool FunctionAssembler::calls(const Instruction& instruction) {
    switch (instruction.op) {
        case Op::closure:
            listed(InsnOp::closure, instruction, program_.function_of(instruction.code));
            return true;
        case Op::call: {
            const bool is_plain = instruction.code->kind == CodeKind::plain;
            listed(is_plain ? InsnOp::call : InsnOp::call_async, instruction,
                   program_.function_of(instruction.code));
            return true;
        }
        case Op::call_native:
            listed(InsnOp::call_native, instruction,
                   reinterpret_cast<const void*>(linker_.native(*instruction.function)));
            return true;
        case Op::call_method:
            listed(InsnOp::call_method, instruction, instruction.function);
            return true;
        case Op::call_value:
            listed(InsnOp::call_value, instruction, nullptr);
            return true;
        default:
            return false;
    }
}

bool FunctionAssembler::tasks(const Instruction& instruction) {
    const auto list_as = [&](InsnOp op) {
        listed(op, instruction, nullptr);
        return true;
    };
    const auto reads = code_.reads(instruction);
    switch (instruction.op) {
        case Op::spawn_task:
            return list_as(InsnOp::spawn_task);
        case Op::spawn_actor:
            return list_as(InsnOp::spawn_actor);
        case Op::actor_self:
            return list_as(InsnOp::actor_self);
        case Op::send:
            return list_as(InsnOp::send);
        case Op::dead_letter:
            return list_as(InsnOp::dead_letter);
        case Op::open_scope:
            return list_as(InsnOp::open_scope);
        case Op::join_scope:
            return list_as(InsnOp::join_scope);
        case Op::cancel_scope:
            return list_as(InsnOp::cancel_scope);
        case Op::close_stream:
            return list_as(InsnOp::close_stream);
        case Op::iterate:
            return list_as(InsnOp::iterate);
        case Op::await:
        case Op::yield:
            emit(instruction.op == Op::await ? InsnOp::await : InsnOp::yield,
                 operand(instruction.to), in(reads[0], Rep::word));
            return true;
        default:
            return false;
    }
}

void FunctionAssembler::branch(const Instruction& instruction, std::uint32_t at) {
    const std::uint16_t truth = in(code_.reads(instruction)[0], Rep::boolean);
    const bool jumps_if_false = instruction.target == at + 1;
    const std::uint32_t target = jumps_if_false ? instruction.other : instruction.target;
    const std::uint32_t rest = jumps_if_false ? instruction.target : instruction.other;
    if (target > at) {
        fix_up(emit_wide(jumps_if_false ? InsnOp::jump_unless : InsnOp::jump_if, truth, 0), target);
        if (rest != at + 1) jump_to(rest, at);
        return;
    }
    // A back edge is a jump of its own, which counts.
    emit_wide(jumps_if_false ? InsnOp::jump_if : InsnOp::jump_unless, truth, 2);
    jump_to(target, at);
    if (rest != at + 1) jump_to(rest, at);
}

void FunctionAssembler::return_value(const Instruction& instruction) {
    const Register reg = code_.reads(instruction)[0];
    if (code_.kind != CodeKind::plain) {
        emit(InsnOp::return_async, in(reg, Rep::word));
        return;
    }
    // The result of a lambda whose type has no result is dropped.
    if (Types::is(code_.result, types_.nothing)) {
        Slot nothing{};
        nothing.set(Word::nothing());
        function_.constants.push_back(nothing);
        const std::uint16_t value = scratch(Rep::word);
        emit_wide(InsnOp::load_constant, value,
                  static_cast<std::int32_t>(function_.constants.size() - 1));
        emit(InsnOp::return_value, value);
        return;
    }
    emit(InsnOp::return_value, in(reg, function_.result));
}

bool FunctionAssembler::control(const Instruction& instruction, std::uint32_t at) {
    switch (instruction.op) {
        case Op::jump:
            if (instruction.target != at + 1) jump_to(instruction.target, at);
            return true;
        case Op::branch:
            branch(instruction, at);
            return true;
        case Op::choose: {
            const std::uint16_t number = in(code_.reads(instruction)[0], Rep::number);
            emit(InsnOp::choose, number, static_cast<std::uint16_t>(instruction.other));
            for (std::uint32_t i = 0; i < instruction.other; ++i) {
                const std::size_t offset = function_.insns.size();
                extend(nullptr);
                fix_up(offset, code_.targets[instruction.target + i]);
            }
            return true;
        }
        default:
            return ends(instruction);
    }
}

bool FunctionAssembler::ends(const Instruction& instruction) {
    switch (instruction.op) {
        case Op::caught:
            emit(InsnOp::caught, out(instruction.to, Rep::word));
            finish_out(instruction.to, Rep::word);
            return true;
        case Op::throw_value:
            emit(InsnOp::throw_value, in(code_.reads(instruction)[0], Rep::word));
            return true;
        case Op::return_value:
            return_value(instruction);
            return true;
        case Op::left_out:
            emit(InsnOp::left_out);
            return true;
        default:
            return false;
    }
}

}  // namespace gyre::vela::vm
