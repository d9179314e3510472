// SPDX-License-Identifier: Apache-2.0
// What an assembler knows of the lowered registers, and how it emits instructions.
#include "lang/vela/run/internal/function_assembler.hpp"

#include <algorithm>

#include "gyre/base/assert.hpp"

namespace gyre::vela::vm {

namespace {

std::string_view future_name_of(const Code& code) {
    if (code.function != nullptr) return code.function->name.text;
    const std::size_t dot = code.name.rfind('.');
    return code.name.compare(dot + 1, 5, "async") == 0 ? "block" : "lambda";
}

}  // namespace

void prepare(Function& function, const Code& code, const Builtins& types) {
    function.future_name = future_name_of(code);
    function.param_count = static_cast<std::uint16_t>(code.param_count);
    function.result = code.kind == CodeKind::plain ? rep_of(code.result, types) : Rep::word;
    function.reps.clear();
    std::vector<bool> may_be_missing(code.registers.size());
    for (const Instruction& instruction : code.instructions) {
        if (instruction.op == Op::is_given) may_be_missing[code.reads(instruction)[0]] = true;
        if (instruction.op == Op::open_scope) function.needs_frame = true;
    }
    for (std::size_t i = 0; i < code.param_count; ++i) {
        const RegisterInfo& info = code.registers[i];
        const bool is_word = info.is_cell || may_be_missing[i];
        function.reps.push_back(is_word ? Rep::word : rep_of(info.type, types));
    }
}

bool FunctionAssembler::run() {
    if (!fits()) return false;
    count_uses();
    choose_reps();
    find_range_loops();
    find_folded();
    find_moves();
    find_hoisted();
    number_registers();
    // What remains is for scratch registers.
    constexpr std::size_t scratch_count_max = 64;
    if (function_.reps.size() + scratch_count_max > register_count_max) return false;
    const auto count = static_cast<std::uint32_t>(code_.instructions.size());
    function_.starts.resize(count + 1);
    emit_hoisted();
    for (at_ = 0; at_ < count; ++at_) {
        function_.starts[at_] = static_cast<std::uint32_t>(function_.insns.size());
        if (!is_done_[at_]) one(at_);
        release_scratch();
    }
    function_.starts[count] = static_cast<std::uint32_t>(function_.insns.size());
    emit_exits_back();
    patch();
    function_.entry = function_.insns.data();
    function_.slot_count = static_cast<std::uint32_t>(function_.reps.size());
    return function_.reps.size() < register_count_max;
}

bool FunctionAssembler::fits() {
    // The most words that an instruction without its operands becomes.
    constexpr std::size_t words_max = 12;
    std::size_t word_count = 0;
    for (const Instruction& instruction : code_.instructions) {
        if (instruction.count > UINT16_MAX) return false;
        word_count += words_max + instruction.count / 4;
        if (instruction.op == Op::choose) word_count += instruction.other;
    }
    has_short_jumps_ = word_count < INT16_MAX;
    return true;
}

void FunctionAssembler::count_uses() {
    const std::size_t count = code_.registers.size();
    read_counts_.resize(count);
    write_counts_.resize(count);
    writers_.resize(count);
    is_target_.resize(code_.instructions.size() + 1);
    is_done_.resize(code_.instructions.size());
    is_range_loop_.resize(count);
    is_folded_.resize(count);
    counts_.resize(count);
    for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
        const Instruction& instruction = code_.instructions[at];
        for (const Register reg : code_.reads(instruction)) ++read_counts_[reg];
        if (instruction.to != no_register) {
            ++write_counts_[instruction.to];
            writers_[instruction.to] = at;
        }
        if (instruction.op == Op::jump || instruction.op == Op::branch ||
            instruction.op == Op::next_item) {
            is_target_[instruction.target] = true;
        }
        if (instruction.op == Op::branch) is_target_[instruction.other] = true;
    }
    for (const std::uint32_t target : code_.targets) is_target_[target] = true;
    for (const std::uint32_t handler : code_.handlers) is_target_[handler] = true;
    for (const Register reg : code_.captures) ++write_counts_[reg];
    for (std::size_t i = 0; i < code_.param_count; ++i) ++write_counts_[i];
}

// A register that may hold "no argument" is a word, as is each cell.
void FunctionAssembler::choose_reps() {
    reps_.resize(code_.registers.size());
    for (std::size_t i = 0; i < reps_.size(); ++i) {
        const RegisterInfo& info = code_.registers[i];
        reps_[i] = info.is_cell ? Rep::word : vm::rep_of(info.type, types_);
    }
    std::vector<bool> is_cleared(reps_.size());
    for (const Instruction& instruction : code_.instructions) {
        if (instruction.op == Op::clear) is_cleared[instruction.to] = true;
    }
    for (const Instruction& instruction : code_.instructions) {
        if (instruction.op < Op::call || instruction.op > Op::call_value) continue;
        for (const Register reg : code_.reads(instruction)) {
            if (is_cleared[reg]) reps_[reg] = Rep::word;
        }
    }
    std::copy(function_.reps.begin(), function_.reps.end(), reps_.begin());
}

// `range` and the `iterate` behind it, where nothing else uses either of the two results.
void FunctionAssembler::find_range_loops() {
    for (std::uint32_t at = 0; at + 1 < code_.instructions.size(); ++at) {
        const Instruction& range = code_.instructions[at];
        const Instruction& iterate = code_.instructions[at + 1];
        if (range.op != Op::range && range.op != Op::range_inclusive) continue;
        if (iterate.op != Op::iterate || is_target_[at + 1]) continue;
        const Register made = range.to;
        const Register loop = iterate.to;
        if (code_.reads(iterate)[0] != made || read_counts_[made] != 1) continue;
        if (write_counts_[made] != 1 || write_counts_[loop] != 1) continue;
        bool is_only_counted = true;
        for (const Instruction& instruction : code_.instructions) {
            for (const Register reg : code_.reads(instruction)) {
                if (reg == loop && instruction.op != Op::next_item) is_only_counted = false;
            }
        }
        is_range_loop_[loop] = is_only_counted;
    }
}

std::optional<std::int16_t> FunctionAssembler::small_constant(Register reg) const {
    if (write_counts_[reg] != 1 || reps_[reg] != Rep::number) return std::nullopt;
    const Instruction& writer = code_.instructions[writers_[reg]];
    if (writer.op != Op::constant || writer.to != reg) return std::nullopt;
    const auto* number = std::get_if<std::int64_t>(&code_.constants[writer.number]);
    if (number == nullptr || *number < INT16_MIN || *number > INT16_MAX) return std::nullopt;
    return static_cast<std::int16_t>(*number);
}

bool FunctionAssembler::is_branched_on(std::uint32_t at) const {
    if (at + 1 >= code_.instructions.size() || is_target_[at + 1]) return false;
    const Instruction& next = code_.instructions[at + 1];
    const Register made = code_.instructions[at].to;
    return next.op == Op::branch && code_.reads(next)[0] == made && read_counts_[made] == 1 &&
           reps_[made] == Rep::boolean;
}

void FunctionAssembler::find_moves() {
    moves_on_.resize(code_.instructions.size());
    for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
        // A move that the instruction before it has taken over moves nothing on itself.
        const bool is_taken = at > 0 && moves_on_[at - 1];
        moves_on_[at] = !is_taken && can_move_on(at);
    }
}

bool FunctionAssembler::can_move_on(std::uint32_t at) const {
    const Register made = code_.instructions[at].to;
    if (made == no_register || at + 1 >= code_.instructions.size() || is_target_[at + 1]) {
        return false;
    }
    const Instruction& next = code_.instructions[at + 1];
    return next.op == Op::move && code_.reads(next)[0] == made && read_counts_[made] == 1 &&
           write_counts_[made] == 1 && reps_[made] == reps_[next.to] && !is_range_loop_[made] &&
           code_.registers[made].is_cell == code_.registers[next.to].is_cell;
}

bool FunctionAssembler::is_awaited_call(std::uint32_t at) const {
    if (!linker_.joins_calls_and_awaits()) return false;
    const Instruction& call = code_.instructions[at];
    const Code* code = callee_of(call);
    if (code == nullptr || code->kind != CodeKind::async) return false;
    if (program_.function_of(code)->needs_frame) return false;
    return is_only_for_next(at, Op::await, 1);
}

bool FunctionAssembler::is_only_for_next(std::uint32_t at, Op next, std::size_t read_count) const {
    const Register made = code_.instructions[at].to;
    if (at + 1 >= code_.instructions.size() || is_target_[at + 1]) return false;
    const auto reads = code_.reads(code_.instructions[at + 1]);
    return code_.instructions[at + 1].op == next && reads[0] == made &&
           reads.size() <= read_count && read_counts_[made] == 1 && write_counts_[made] == 1;
}

std::uint32_t FunctionAssembler::spawned_count(std::uint32_t at) const {
    if (!linker_.joins_calls_and_awaits()) return 0;
    const Instruction& call = code_.instructions[at];
    const bool is_block = call.op == Op::closure;
    const Code* code = is_block ? call.code : callee_of(call);
    if (code == nullptr || code->kind != CodeKind::async) return 0;
    if (is_block && (code->param_count > 0 || !is_only_for_next(at, Op::call_value, 1))) return 0;
    const std::uint32_t last = is_block ? at + 1 : at;
    return is_only_for_next(last, Op::spawn_task, 2) ? last + 1 - at : 0;
}

std::size_t FunctionAssembler::folded_operand(std::uint32_t at) const {
    const Instruction& instruction = code_.instructions[at];
    const auto reads = code_.reads(instruction);
    const auto is_small_beside_number = [&](std::size_t i) {
        return reps_[reads[1 - i]] == Rep::number && small_constant(reads[i]).has_value();
    };
    constexpr std::size_t none = 2;
    switch (instruction.op) {
        case Op::divide_number:
        case Op::remainder_number:
            return is_small_beside_number(1) && *small_constant(reads[1]) > 0 ? 1 : none;
        case Op::subtract_number:
            return is_small_beside_number(1) ? 1 : none;
        case Op::add_number:
        case Op::multiply_number:
            break;
        case Op::less_number:
        case Op::less_equal_number:
        case Op::equal:
            if (!is_branched_on(at) || !has_short_jumps()) return none;
            break;
        default:
            return none;
    }
    return is_small_beside_number(1) ? 1 : is_small_beside_number(0) ? 0 : none;
}

void FunctionAssembler::find_folded() {
    std::vector<std::uint32_t> folded(reps_.size());
    for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
        const std::size_t operand = folded_operand(at);
        if (operand < 2) ++folded[code_.reads(code_.instructions[at])[operand]];
    }
    for (std::size_t i = 0; i < reps_.size(); ++i) {
        is_folded_[i] = folded[i] > 0 && folded[i] == read_counts_[i];
    }
}

std::size_t FunctionAssembler::emit(InsnOp op, std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    function_.insns.push_back({op, a, b, c});
    function_.sources.push_back(at_);
    return function_.insns.size() - 1;
}

std::size_t FunctionAssembler::emit_wide(InsnOp op, std::uint16_t a, std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    return emit(op, a, static_cast<std::uint16_t>(bits & 0xFFFFU),
                static_cast<std::uint16_t>(bits >> 16U));
}

void FunctionAssembler::extend(const void* pointer) {
    function_.insns.push_back(std::bit_cast<Insn>(pointer));
    function_.sources.push_back(at_);
}

void FunctionAssembler::extend_list(std::span<const Operand> operands) {
    for (std::size_t i = 0; i < operands.size(); i += 4) {
        std::uint64_t packed = 0;
        for (std::size_t j = i; j < std::min(i + 4, operands.size()); ++j) {
            packed |= std::uint64_t{operands[j]} << (16 * (j - i));
        }
        function_.insns.push_back(std::bit_cast<Insn>(packed));
        function_.sources.push_back(at_);
    }
}

void FunctionAssembler::jump_to(std::uint32_t target, std::uint32_t from) {
    if (target <= from && loop_to(target, from)) return;
    plain_jump_to(target, from);
}

void FunctionAssembler::plain_jump_to(std::uint32_t target, std::uint32_t from) {
    fix_up(emit_wide(target <= from ? InsnOp::jump_back : InsnOp::jump, 0, 0), target);
}

// Offsets count from the instruction that holds them.
void FunctionAssembler::patch() {
    for (const Fixup& fixup : fixups_) {
        const auto offset = static_cast<std::int64_t>(function_.starts[fixup.target]) -
                            static_cast<std::int64_t>(fixup.at);
        Insn& insn = function_.insns[fixup.at];
        if (fixup.is_short) {
            GYRE_ASSERT(offset >= INT16_MIN && offset <= INT16_MAX, "a short jump is too far");
            insn.c = static_cast<std::uint16_t>(offset);
        } else {
            const auto bits = static_cast<std::uint32_t>(offset);
            insn.b = static_cast<std::uint16_t>(bits & 0xFFFFU);
            insn.c = static_cast<std::uint16_t>(bits >> 16U);
        }
    }
}

std::uint16_t FunctionAssembler::scratch(Rep rep) {
    auto& free = free_scratch_[static_cast<std::size_t>(rep)];
    if (free.empty()) {
        free.push_back(static_cast<std::uint16_t>(function_.reps.size()));
        function_.reps.push_back(rep);
    }
    const std::uint16_t reg = free.back();
    free.pop_back();
    used_scratch_.push_back(reg);
    return reg;
}

void FunctionAssembler::release_scratch() {
    for (const std::uint16_t reg : used_scratch_) {
        free_scratch_[static_cast<std::size_t>(function_.reps[reg])].push_back(reg);
    }
    used_scratch_.clear();
}

void FunctionAssembler::convert(std::uint16_t to, Rep wanted, std::uint16_t from, Rep given) {
    if (wanted == given) {
        if (to != from) emit(InsnOp::move, to, from);
        return;
    }
    if (wanted == Rep::word) {
        emit(given == Rep::number ? InsnOp::box_number
             : given == Rep::real ? InsnOp::box_real
                                  : InsnOp::box_boolean,
             to, from);
        return;
    }
    if (given != Rep::word) {
        if (given == Rep::number && wanted == Rep::real) {
            emit(InsnOp::widen, to, from);
            return;
        }
        const std::uint16_t boxed = scratch(Rep::word);
        convert(boxed, Rep::word, from, given);
        from = boxed;
    }
    emit(wanted == Rep::number ? InsnOp::unbox_number
         : wanted == Rep::real ? InsnOp::unbox_real
                               : InsnOp::unbox_boolean,
         to, from);
}

std::uint16_t FunctionAssembler::in(Register reg, Rep wanted) {
    if (reps_[reg] == wanted) return numbers_[reg];
    const std::uint16_t to = scratch(wanted);
    convert(to, wanted, numbers_[reg], reps_[reg]);
    return to;
}

std::uint16_t FunctionAssembler::out(Register reg, Rep given) {
    out_scratch_ = reps_[reg] == given ? numbers_[reg] : scratch(given);
    return out_scratch_;
}

void FunctionAssembler::finish_out(Register reg, Rep given) {
    if (reps_[reg] != given) convert(numbers_[reg], reps_[reg], out_scratch_, given);
}

void FunctionAssembler::listed(InsnOp op, const Instruction& instruction, const void* pointer,
                               std::uint16_t c) {
    std::vector<Operand> operands;
    for (const Register reg : code_.reads(instruction)) operands.push_back(operand(reg));
    emit(op, instruction.to == no_register ? 0 : operand(instruction.to),
         static_cast<std::uint16_t>(operands.size()), c);
    extend(pointer);
    extend_list(operands);
}

}  // namespace gyre::vela::vm
