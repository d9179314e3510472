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
            create(instruction);
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

void FunctionAssembler::create(const Instruction& instruction) {
    const auto shape = program_.shapes.find(instruction.type);
    const bool is_plain = shape != program_.shapes.end() && !shape->second->has_standard_fields;
    if (!is_plain) {
        listed(InsnOp::create, instruction, instruction.type);
        return;
    }
    emit(InsnOp::new_object, out(instruction.to, Rep::word));
    extend(shape->second.get());
    finish_out(instruction.to, Rep::word);
}

bool FunctionAssembler::fields(const Instruction& instruction) {
    if (instruction.op != Op::get_field && instruction.op != Op::set_field) return false;
    const auto reads = code_.reads(instruction);
    const FieldInfo& field = *instruction.field;
    const TypeInfo* owner = field.owner;
    const auto place = program_.places.find(&field);
    const bool is_native = owner != nullptr && owner->is_standard;
    const bool is_length = owner == types_.list || owner == types_.sequence ||
                           owner == types_.string || owner == types_.map || owner == types_.set;
    if (instruction.op == Op::get_field && is_length && field.name.text == "length") {
        const std::uint16_t sequence = in(reads[0], Rep::word);
        emit(InsnOp::length, out(instruction.to, Rep::number), sequence);
        finish_out(instruction.to, Rep::number);
        return true;
    }
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

InsnOp FunctionAssembler::call_of(const Instruction& instruction, const Function& callee) const {
    if (callee.code->kind != CodeKind::plain) return InsnOp::call_async;
    const auto reads = code_.reads(instruction);
    constexpr std::size_t direct_count_max = 3;
    const bool has_form = reads.size() <= direct_count_max && reads.size() == callee.param_count;
    if (!has_form || reps_[instruction.to] != callee.result) return InsnOp::call;
    for (std::size_t i = 0; i < reads.size(); ++i) {
        if (reps_[reads[i]] != callee.reps[i]) return InsnOp::call;
    }
    return static_cast<InsnOp>(static_cast<std::size_t>(InsnOp::call_0) + reads.size());
}

const Code* FunctionAssembler::callee_of(const Instruction& instruction) const {
    if (instruction.op == Op::call) return instruction.code;
    if (instruction.op != Op::call_method) return nullptr;
    const FunctionInfo* method = instruction.function;
    const bool has_objects =
        method->owner != nullptr &&
        (method->owner->kind == DeclKind::klass || method->owner->kind == DeclKind::structure);
    const bool may_be_other = program_.may_grow || program_.overridden.contains(method);
    if (!has_objects || method->is_static || may_be_other) return nullptr;
    const auto code = program_.lowered->functions.find(method);
    return code == program_.lowered->functions.end() ? nullptr : code->second;
}

void FunctionAssembler::call(const Instruction& instruction, const Code& code) {
    const Function& callee = *program_.function_of(&code);
    listed(call_of(instruction, callee), instruction, &callee);
}

// `list.push(value)` is an instruction.
bool FunctionAssembler::pushes(const Instruction& instruction) {
    const FunctionInfo& function = *instruction.function;
    const auto reads = code_.reads(instruction);
    if (function.owner != types_.list || function.name.text != "push" || reads.size() != 2) {
        return false;
    }
    const std::uint16_t list = in(reads[0], Rep::word);
    emit(InsnOp::push_item, list, in(reads[1], Rep::word));
    if (instruction.to != no_register && read_counts_[instruction.to] > 0) {
        Slot nothing{};
        nothing.set(Word::nothing());
        load(instruction.to, nothing, Rep::word);
    }
    return true;
}

// With the place of the await, which is where it waits and throws.
void FunctionAssembler::awaited_call(std::uint32_t at) {
    Instruction instruction = code_.instructions[at];
    instruction.to = code_.instructions[at + 1].to;
    is_done_[at + 1] = true;
    if (is_moved_on(at + 1)) {
        instruction.to = code_.instructions[at + 2].to;
        is_done_[at + 2] = true;
    }
    at_ = at + 1;
    listed(InsnOp::call_await, instruction, program_.function_of(callee_of(instruction)));
    at_ = at;
}

// Its result may be written where an operand was: the operands are read first.
void FunctionAssembler::spawned_call(std::uint32_t at) {
    const Instruction& call = code_.instructions[at];
    const bool is_block = call.op == Op::closure;
    const std::uint32_t spawn = at + spawned_count(at);
    std::vector<Operand> operands;
    for (const Register reg : code_.reads(call)) operands.push_back(operand(reg));
    const auto spawned = code_.reads(code_.instructions[spawn]);
    if (spawned.size() > 1) operands.push_back(operand(spawned[1]));
    Register to = code_.instructions[spawn].to;
    for (std::uint32_t i = at + 1; i <= spawn; ++i) is_done_[i] = true;
    if (is_moved_on(spawn)) {
        to = code_.instructions[spawn + 1].to;
        is_done_[spawn + 1] = true;
    }
    emit(is_block ? InsnOp::spawn_block : InsnOp::spawn_call, operand(to),
         static_cast<std::uint16_t>(operands.size()), spawned.size() > 1 ? 1 : 0);
    extend(program_.function_of(is_block ? call.code : callee_of(call)));
    extend_list(operands);
}

bool FunctionAssembler::calls(const Instruction& instruction) {
    switch (instruction.op) {
        case Op::closure:
            listed(InsnOp::closure, instruction, program_.function_of(instruction.code));
            return true;
        case Op::call:
            call(instruction, *instruction.code);
            return true;
        case Op::call_native:
            if (pushes(instruction)) return true;
            listed(InsnOp::call_native, instruction,
                   reinterpret_cast<const void*>(linker_.native(*instruction.function)));
            return true;
        case Op::call_method:
            if (const Code* code = callee_of(instruction)) {
                call(instruction, *code);
                return true;
            }
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
    const std::size_t skip = emit(jumps_if_false ? InsnOp::jump_if : InsnOp::jump_unless, truth);
    jump_to(target, at);
    function_.insns[skip].b = static_cast<std::uint16_t>(function_.insns.size() - skip);
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
        const std::uint16_t value = scratch(Rep::word);
        emit(InsnOp::load_constant, value);
        extend(std::bit_cast<const void*>(nothing));
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
