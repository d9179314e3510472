// SPDX-License-Identifier: Apache-2.0
#include "gyre/vela/lower/internal/emitter.hpp"

#include "gyre/vela/lower/liveness.hpp"

namespace gyre::vela::internal {

Register Emitter::make_register(const Type* type, std::string_view name, bool is_cell) {
    code_.registers.push_back({type, name, is_cell});
    return static_cast<Register>(code_.registers.size() - 1);
}

Instruction& Emitter::emit(Op op, Register to, std::span<const Register> reads) {
    if (is_dead_) return dropped_ = Instruction{};
    const OpInfo& info = info_of(op);
    Instruction& made = code_.instructions.emplace_back();
    made.op = op;
    made.to = to;
    made.first = static_cast<std::uint32_t>(code_.operands.size());
    made.count = static_cast<std::uint32_t>(reads.size());
    made.place = place_;
    code_.operands.insert(code_.operands.end(), reads.begin(), reads.end());
    if (info.can_throw && handler_ != no_handler) {
        made.handler = handler_;
        use(code_.handlers[handler_]);
    }
    is_dead_ = info.is_end;
    return made;
}

void Emitter::constant(Register to, Constant value) {
    if (is_dead_) return;
    emit(Op::constant, to, {}).number = static_cast<std::uint32_t>(code_.constants.size());
    code_.constants.push_back(std::move(value));
}

void Emitter::move(Register to, Register from) {
    if (to != from) emit(Op::move, to, {from});
}

Emitter::Label Emitter::make_label() {
    labels_.emplace_back();
    return static_cast<Label>(labels_.size() - 1);
}

void Emitter::use(Label label) {
    labels_[label].is_used = true;
}

void Emitter::place(Label label) {
    labels_[label].at = static_cast<std::uint32_t>(code_.instructions.size());
    if (labels_[label].is_used) is_dead_ = false;
}

void Emitter::jump(Label label) {
    if (is_dead_) return;
    use(label);
    emit(Op::jump, no_register, {}).target = label;
}

void Emitter::branch(Register condition, Label yes, Label no) {
    if (is_dead_) return;
    use(yes);
    use(no);
    Instruction& made = emit(Op::branch, no_register, {condition});
    made.target = yes;
    made.other = no;
}

void Emitter::choose(Register number, std::span<const Label> labels) {
    if (is_dead_) return;
    for (const Label label : labels) use(label);
    Instruction& made = emit(Op::choose, no_register, {number});
    made.target = static_cast<std::uint32_t>(code_.targets.size());
    made.other = static_cast<std::uint32_t>(labels.size());
    code_.targets.insert(code_.targets.end(), labels.begin(), labels.end());
}

void Emitter::next_item(Register to, Register iterator, Label end) {
    if (is_dead_) return;
    use(end);
    emit(Op::next_item, to, {iterator}).target = end;
}

std::uint32_t Emitter::open_handler(Label label) {
    const std::uint32_t before = handler_;
    handler_ = static_cast<std::uint32_t>(code_.handlers.size());
    code_.handlers.push_back(label);
    return before;
}

void Emitter::finish() {
    resolve_labels();
    remove_unread_writes();
    if (code_.kind != CodeKind::plain) make_states();
}

void Emitter::resolve_labels() {
    for (Instruction& instruction : code_.instructions) {
        const bool is_jump = instruction.op == Op::jump || instruction.op == Op::branch ||
                             instruction.op == Op::next_item;
        if (is_jump) instruction.target = labels_[instruction.target].at;
        if (instruction.op == Op::branch) instruction.other = labels_[instruction.other].at;
    }
    for (std::uint32_t& target : code_.targets) target = labels_[target].at;
    for (std::uint32_t& handler : code_.handlers) handler = labels_[handler].at;
}

// The ways into a cleanup set everything that its ways out may read; most of them read little.
void Emitter::remove_unread_writes() {
    const Liveness live(code_);
    std::vector<std::uint32_t> moved(code_.instructions.size() + 1);
    std::uint32_t count = 0;
    for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
        const Instruction& instruction = code_.instructions[at];
        const Op op = instruction.op;
        const bool is_bare =
            op == Op::constant || op == Op::clear || op == Op::move || op == Op::actor_self;
        moved[at] = count;
        if (is_bare && !live.is_read(at)) continue;
        code_.instructions[count++] = instruction;
    }
    moved[code_.instructions.size()] = count;
    if (count == code_.instructions.size()) return;
    code_.instructions.resize(count);
    for (Instruction& instruction : code_.instructions) {
        const bool is_jump = instruction.op == Op::jump || instruction.op == Op::branch ||
                             instruction.op == Op::next_item;
        if (is_jump) instruction.target = moved[instruction.target];
        if (instruction.op == Op::branch) instruction.other = moved[instruction.other];
    }
    for (std::uint32_t& target : code_.targets) target = moved[target];
    for (std::uint32_t& handler : code_.handlers) handler = moved[handler];
}

void Emitter::make_states() {
    code_.states.emplace_back();
    for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
        Instruction& instruction = code_.instructions[at];
        if (!can_suspend(instruction.op)) continue;
        instruction.number = static_cast<std::uint32_t>(code_.states.size());
        const StateKind kind = instruction.op == Op::await ? StateKind::await : StateKind::yield;
        code_.states.push_back({kind, at, at + 1, {}});
    }
    const Liveness live(code_);
    for (State& state : code_.states) {
        state.keeps =
            state.kind == StateKind::start ? live.kept_at_start() : live.kept_at(state.at);
    }
}

}  // namespace gyre::vela::internal
