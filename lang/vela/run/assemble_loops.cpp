// SPDX-License-Identifier: Apache-2.0
// Comparisons that are one instruction with the branch behind them, and loops: one over a range
// counts in two registers, and the back edge of a loop tests the loop's condition itself.
#include "lang/vela/run/internal/function_assembler.hpp"

namespace gyre::vela::vm {
namespace {

InsnOp moved_by(InsnOp op, int places) {
    return static_cast<InsnOp>(static_cast<int>(op) + places);
}
// From a comparison to the one with a constant, and from a jump to the one that loops.
constexpr int to_small = 6;
constexpr int to_loop = static_cast<int>(InsnOp::loop_less) - static_cast<int>(InsnOp::jump_less);
static_assert(static_cast<int>(InsnOp::jump_less_small) ==
              static_cast<int>(InsnOp::jump_less) + to_small);
static_assert(static_cast<int>(InsnOp::loop_not_equal_small) ==
              static_cast<int>(InsnOp::jump_not_equal_small) + to_loop);

}  // namespace

std::optional<FunctionAssembler::Fusion> FunctionAssembler::fusion_of(std::uint32_t at) const {
    const Instruction& instruction = code_.instructions[at];
    if (!has_short_jumps() || !is_branched_on(at)) return std::nullopt;
    using enum InsnOp;
    switch (instruction.op) {
        case Op::less_number:
            // The constant is held on the right: c < x is not x <= c.
            if (folded_operand(at) == 0) {
                return Fusion{Rep::number, jump_not_less_equal, jump_less_equal};
            }
            return Fusion{Rep::number, jump_less, jump_not_less};
        case Op::less_equal_number:
            if (folded_operand(at) == 0) return Fusion{Rep::number, jump_not_less, jump_less};
            return Fusion{Rep::number, jump_less_equal, jump_not_less_equal};
        case Op::less_float:
            return Fusion{Rep::real, jump_less_float, jump_not_less_float};
        case Op::less_equal_float:
            return Fusion{Rep::real, jump_less_equal_float, jump_not_less_equal_float};
        case Op::equal: {
            const auto reads = code_.reads(instruction);
            if (reps_[reads[0]] != Rep::number || reps_[reads[1]] != Rep::number) {
                return std::nullopt;
            }
            return Fusion{Rep::number, jump_equal, jump_not_equal};
        }
        default:
            return std::nullopt;
    }
}

// The jump if the comparison is `truth`; its offset is left to the caller.
std::size_t FunctionAssembler::emit_compared(std::uint32_t at, const Fusion& fusion, bool truth) {
    const auto reads = code_.reads(code_.instructions[at]);
    const InsnOp op = truth ? fusion.when_true : fusion.when_false;
    const std::size_t operand = folded_operand(at);
    if (operand < 2) {
        return emit(moved_by(op, to_small), numbers_[reads[1 - operand]],
                    static_cast<std::uint16_t>(*small_constant(reads[operand])));
    }
    const std::uint16_t left = in(reads[0], fusion.rep);
    const std::uint16_t right = in(reads[1], fusion.rep);
    return emit(op, left, right);
}

void FunctionAssembler::emit_fused(std::uint32_t at, const Fusion& fusion) {
    const Instruction& next = code_.instructions[at + 1];
    is_done_[at + 1] = true;
    // Falls through to the instruction that follows in the code.
    const bool jumps_if_false = next.target == at + 2;
    const std::uint32_t target = jumps_if_false ? next.other : next.target;
    const std::uint32_t rest = jumps_if_false ? next.target : next.other;
    if (target > at) {
        fix_up(emit_compared(at, fusion, !jumps_if_false), target, true);
    } else {
        // A back edge is a jump of its own, which counts.
        const std::size_t skip = emit_compared(at, fusion, jumps_if_false);
        jump_to(target, at);
        function_.insns[skip].c = static_cast<std::uint16_t>(function_.insns.size() - skip);
    }
    if (rest != at + 2) jump_to(rest, at + 1);
}

bool FunctionAssembler::fused_branch(std::uint32_t at) {
    const auto fusion = fusion_of(at);
    if (!fusion) return false;
    emit_fused(at, *fusion);
    return true;
}

bool FunctionAssembler::fused_variant(std::uint32_t at) {
    const Instruction& instruction = code_.instructions[at];
    if (instruction.op != Op::is_variant || !is_branched_on(at)) return false;
    const Instruction& next = code_.instructions[at + 1];
    if (next.target != at + 2 || next.other <= at) return false;
    const std::uint16_t value = in(code_.reads(instruction)[0], Rep::word);
    is_done_[at + 1] = true;
    fix_up(emit_wide(InsnOp::jump_unless_variant, value, 0), next.other);
    extend(instruction.variant);
    return true;
}

bool FunctionAssembler::comparisons(std::uint32_t at) {
    return fused_branch(at) || fused_variant(at);
}

bool FunctionAssembler::is_range_loop_at(std::uint32_t at) const {
    const Instruction& instruction = code_.instructions[at];
    return instruction.op == Op::next_item && is_range_loop_[code_.reads(instruction)[0]];
}

bool FunctionAssembler::loops(const Instruction& instruction, std::uint32_t at) {
    if (instruction.op == Op::range || instruction.op == Op::range_inclusive) {
        if (at + 1 >= code_.instructions.size()) return false;
        const Instruction& next = code_.instructions[at + 1];
        if (next.op != Op::iterate || !is_range_loop_[next.to] ||
            code_.reads(next)[0] != instruction.to) {
            return false;
        }
        const auto reads = code_.reads(instruction);
        const std::uint16_t first = in(reads[0], Rep::number);
        const std::uint16_t last = in(reads[1], Rep::number);
        emit(InsnOp::range_begin, numbers_[next.to], first, last);
        emit(InsnOp::range_begin, counts_[next.to], instruction.op == Op::range_inclusive ? 1 : 0);
        is_done_[at + 1] = true;
        return true;
    }
    if (instruction.op != Op::next_item) return false;
    const Register loop = code_.reads(instruction)[0];
    const bool counts = is_range_loop_[loop];
    const Rep rep = counts ? Rep::number : Rep::word;
    emit(counts ? InsnOp::range_next : InsnOp::next_item, out(instruction.to, rep), numbers_[loop],
         counts ? counts_[loop] : std::uint16_t{0});
    const std::size_t offset = function_.insns.size();
    extend(nullptr);
    if (instruction.target > at) {
        fix_up(offset, instruction.target);
    } else {
        exits_back_.push_back({offset, at});
    }
    finish_out(instruction.to, rep);
    return true;
}

// A loop at the end of another one ends with the back edge of that: a jump of its own, which counts.
// It stands behind the code, so that the loop itself does not pass it.
void FunctionAssembler::emit_exits_back() {
    for (const ExitBack& exit : exits_back_) {
        at_ = exit.loop;
        const auto offset = static_cast<std::uint32_t>(function_.insns.size() - exit.at);
        function_.insns[exit.at].b = static_cast<std::uint16_t>(offset & 0xFFFFU);
        function_.insns[exit.at].c = static_cast<std::uint16_t>(offset >> 16U);
        plain_jump_to(code_.instructions[exit.loop].target, exit.loop);
    }
}

// Behind the head of the loop the body begins with its next lowered instruction.
bool FunctionAssembler::counted_loop_to(std::uint32_t target, std::uint32_t from) {
    const Instruction& head = code_.instructions[target];
    const Register loop = code_.reads(head)[0];
    const Register to = is_moved_on(target) ? code_.instructions[target + 1].to : head.to;
    if (reps_[to] != Rep::number) return false;
    emit(InsnOp::range_loop, numbers_[to], numbers_[loop], counts_[loop]);
    const std::size_t offset = function_.insns.size();
    extend(nullptr);
    fix_up(offset, target + 1);
    if (head.target != from + 1) plain_jump_to(head.target, from);
    return true;
}

bool FunctionAssembler::loop_to(std::uint32_t target, std::uint32_t from) {
    if (is_range_loop_at(target)) return counted_loop_to(target, from);
    std::uint32_t head = target;
    const auto is_skipped = [&](std::uint32_t at) {
        const Instruction& instruction = code_.instructions[at];
        if (instruction.op != Op::constant) return false;
        return is_folded_[instruction.to] || is_done_[at];
    };
    while (head < from && is_skipped(head)) ++head;
    const auto fusion = fusion_of(head);
    if (!fusion || fusion->rep != Rep::number) return false;
    const Instruction& branch = code_.instructions[head + 1];
    const bool enters_if_true = branch.target == head + 2;
    const std::uint32_t exit = enters_if_true ? branch.other : branch.target;
    const bool enters = enters_if_true || branch.other == head + 2;
    if (!enters || exit <= from) return false;
    const std::size_t jump = emit_compared(head, *fusion, enters_if_true);
    function_.insns[jump].op = moved_by(function_.insns[jump].op, to_loop);
    fix_up(jump, head + 2, true);
    if (exit != from + 1) plain_jump_to(exit, from);
    return true;
}

}  // namespace gyre::vela::vm
