// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/internal/emitter.hpp"

#include <optional>

#include "lang/vela/lower/internal/liveness.hpp"

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
    shorten_jumps();
    if (code_.kind != CodeKind::plain) make_states();
}

template <class Change>
void Emitter::change_targets(const Change& change) {
    for (Instruction& instruction : code_.instructions) {
        const bool is_jump = instruction.op == Op::jump || instruction.op == Op::branch ||
                             instruction.op == Op::next_item;
        if (is_jump) instruction.target = change(instruction.target);
        if (instruction.op == Op::branch) instruction.other = change(instruction.other);
    }
    for (std::uint32_t& target : code_.targets) target = change(target);
    for (std::uint32_t& handler : code_.handlers) handler = change(handler);
}

void Emitter::resolve_labels() {
    change_targets([&](std::uint32_t label) { return labels_[label].at; });
}

// Redirects jumps to jumps to their final target, and removes jumps that are unreachable or lead to
// the next instruction.
void Emitter::shorten_jumps() {
    constexpr int hop_count_max = 64;
    const auto count = static_cast<std::uint32_t>(code_.instructions.size());
    std::vector<bool> is_target(count);
    change_targets([&](std::uint32_t at) {
        for (int hop = 0; hop < hop_count_max && code_.instructions[at].op == Op::jump; ++hop) {
            at = code_.instructions[at].target;
        }
        is_target[at] = true;
        return at;
    });
    std::vector<bool> is_kept(count, true);
    for (std::uint32_t at = 1; at < count; ++at) {
        const bool is_reached = is_target[at] || !info_of(code_.instructions[at - 1].op).is_end;
        if (code_.instructions[at].op == Op::jump) is_kept[at] = is_reached;
    }
    std::uint32_t next = count;
    for (std::uint32_t at = count; at-- > 0;) {
        const Instruction& instruction = code_.instructions[at];
        if (instruction.op == Op::jump && instruction.target == next) is_kept[at] = false;
        if (is_kept[at]) next = at;
    }
    keep(is_kept);
}

// Every entry of a cleanup writes all registers that any exit may read, so many of these writes are
// dead. Without cleanups it is enough to look for registers that are never read.
void Emitter::remove_unread_writes() {
    std::vector<bool> is_read(code_.registers.size());
    for (const Register reg : code_.operands) is_read[reg] = true;
    std::optional<Liveness> live;
    if (has_cleanups_) live.emplace(code_);
    std::vector<bool> is_kept(code_.instructions.size(), true);
    for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
        const Instruction& instruction = code_.instructions[at];
        const Op op = instruction.op;
        const bool is_bare =
            op == Op::constant || op == Op::clear || op == Op::move || op == Op::actor_self;
        if (is_bare) is_kept[at] = live ? live->is_read(at) : is_read[instruction.to];
    }
    keep(is_kept);
}

void Emitter::keep(const std::vector<bool>& is_kept) {
    std::vector<std::uint32_t> moved(is_kept.size() + 1);
    std::uint32_t count = 0;
    for (std::uint32_t at = 0; at < is_kept.size(); ++at) {
        moved[at] = count;
        if (is_kept[at]) code_.instructions[count++] = code_.instructions[at];
    }
    moved[is_kept.size()] = count;
    code_.instructions.resize(count);
    change_targets([&](std::uint32_t at) { return moved[at]; });
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
    code_.has_all_keeps = live.has_all_kept();
    if (!code_.has_all_keeps) return;
    for (State& state : code_.states) {
        state.keeps =
            state.kind == StateKind::start ? live.kept_at_start() : live.kept_at(state.at);
    }
}

}  // namespace gyre::vela::internal
