// SPDX-License-Identifier: Apache-2.0
// FunctionAssembler: assembles one function. Lives for that.
#pragma once

#include <optional>

#include "lang/vela/lower/detail/live_ranges.hpp"
#include "lang/vela/run/internal/assembler.hpp"

namespace gyre::vela::vm {

// What callers need to know: parameters, result, captures. Before any function is assembled.
void prepare(Function& function, const Code& code, const Builtins& types);

class FunctionAssembler {
public:
    FunctionAssembler(Assembled& program, Function& function, const Builtins& types, Linker& linker)
        : program_(program),
          function_(function),
          code_(*function.code),
          types_(types),
          linker_(linker) {}

    // False if it needs too many registers, or has an instruction with too many operands.
    [[nodiscard]] bool run();

private:
    using Reads = std::span<const Register>;
    struct Fixup {
        std::size_t at;  // the instruction or extension that holds the offset
        std::uint32_t target;
        bool is_short;  // in c; else in b and c
    };
    struct ExitBack {
        std::size_t at;      // the extension that holds the offset
        std::uint32_t loop;  // the lowered instruction
    };

    // ---- what is known of the lowered registers
    void count_uses();
    void choose_reps();
    void number_registers();
    void find_range_loops();
    void find_folded();
    // Constants inside of loops are loaded once, when the function begins.
    void find_hoisted();
    void emit_hoisted();
    [[nodiscard]] std::vector<LiveRange> ranges_of_registers() const;
    [[nodiscard]] std::optional<std::int16_t> small_constant(Register reg) const;
    // The operand of the instruction, 0 or 1, that is a small constant which it can hold; 2: none.
    [[nodiscard]] std::size_t folded_operand(std::uint32_t at) const;
    [[nodiscard]] bool folds(std::uint32_t at) const { return folded_operand(at) < 2; }
    // Whether the next instruction is a branch on its result, which nothing else reads.
    [[nodiscard]] bool is_branched_on(std::uint32_t at) const;
    // Whether the next instruction only moves its result, which nothing else reads: it is written
    // where it goes, and the move is left out.
    [[nodiscard]] bool is_moved_on(std::uint32_t at) const { return moves_on_[at]; }
    [[nodiscard]] bool can_move_on(std::uint32_t at) const;
    void find_moves();
    // Whether it calls an async function whose Future the next instruction awaits, and nothing else
    // uses.
    [[nodiscard]] bool is_awaited_call(std::uint32_t at) const;
    // Whether the next instruction is this one, whose first operand is the result, and nothing else reads it.
    [[nodiscard]] bool is_only_for_next(std::uint32_t at, Op next, std::size_t read_count) const;
    // Of a call of an async function, or an async block, that is only spawned: how many instructions
    // later; else 0.
    [[nodiscard]] std::uint32_t spawned_count(std::uint32_t at) const;
    // Whether the function can be assembled at all; finds out whether offsets of 16 bits reach every
    // instruction of it.
    [[nodiscard]] bool fits();
    [[nodiscard]] bool has_short_jumps() const { return has_short_jumps_; }
    [[nodiscard]] bool is_range_loop_at(std::uint32_t at) const;

    // ---- emitting
    void one(std::uint32_t at);
    std::size_t emit(InsnOp op, std::uint16_t a = 0, std::uint16_t b = 0, std::uint16_t c = 0);
    std::size_t emit_wide(InsnOp op, std::uint16_t a, std::int32_t value);
    void extend(const void* pointer);
    void extend_list(std::span<const Operand> operands);
    void jump_to(std::uint32_t target, std::uint32_t from);
    void plain_jump_to(std::uint32_t target, std::uint32_t from);
    // A back edge together with the condition at the head of its loop; false if it has none.
    [[nodiscard]] bool loop_to(std::uint32_t target, std::uint32_t from);
    void fix_up(std::size_t at, std::uint32_t target, bool is_short = false) {
        fixups_.push_back({at, target, is_short});
    }
    void patch();
    void emit_exits_back();
    // A register that holds the value of `reg` as `wanted`.
    std::uint16_t in(Register reg, Rep wanted);
    // A register for a result of this representation, and its conversion afterwards.
    std::uint16_t out(Register reg, Rep given);
    void finish_out(Register reg, Rep given);
    std::uint16_t scratch(Rep rep);
    void release_scratch();
    [[nodiscard]] Operand operand(Register reg) const {
        return operand_of(numbers_[reg], reps_[reg]);
    }
    void convert(std::uint16_t to, Rep wanted, std::uint16_t from, Rep given);
    void listed(InsnOp op, const Instruction& instruction, const void* pointer,
                std::uint16_t c = 0);

    // ---- the groups of lowered instructions; true if it was one of theirs
    bool variables(const Instruction& instruction);
    bool numbers(const Instruction& instruction);
    bool comparisons(std::uint32_t at);
    bool objects(const Instruction& instruction);
    bool fields(const Instruction& instruction);
    bool calls(const Instruction& instruction);
    void awaited_call(std::uint32_t at);
    void spawned_call(std::uint32_t at);
    // What a call runs, if that is known: a function, or a method that no class below has anew.
    [[nodiscard]] const Code* callee_of(const Instruction& instruction) const;
    void call(const Instruction& instruction, const Code& code);
    [[nodiscard]] bool pushes(const Instruction& instruction);
    void create(const Instruction& instruction);
    [[nodiscard]] InsnOp call_of(const Instruction& instruction, const Function& callee) const;
    bool tasks(const Instruction& instruction);
    bool control(const Instruction& instruction, std::uint32_t at);
    bool ends(const Instruction& instruction);
    bool loops(const Instruction& instruction, std::uint32_t at);
    void load(Register to, Slot slot, Rep given);
    void constant(const Instruction& instruction);
    void arithmetic(const Instruction& instruction, InsnOp op, Rep rep);
    void compare(const Instruction& instruction, InsnOp op, Rep rep);
    void branch(const Instruction& instruction, std::uint32_t at);
    [[nodiscard]] bool fused_branch(std::uint32_t at);
    [[nodiscard]] bool counted_loop_to(std::uint32_t target, std::uint32_t from);
    [[nodiscard]] bool fused_variant(std::uint32_t at);
    struct Fusion {
        Rep rep = Rep::number;
        InsnOp when_true = InsnOp::left_out;
        InsnOp when_false = InsnOp::left_out;
    };
    // How the comparison is fused with the branch behind it, if it is.
    [[nodiscard]] std::optional<Fusion> fusion_of(std::uint32_t at) const;
    std::size_t emit_compared(std::uint32_t at, const Fusion& fusion, bool truth);
    void emit_fused(std::uint32_t at, const Fusion& fusion);
    void return_value(const Instruction& instruction);

    Assembled& program_;
    Function& function_;
    const Code& code_;
    const Builtins& types_;
    Linker& linker_;

    std::vector<Rep> reps_;               // of lowered registers
    std::vector<std::uint16_t> numbers_;  // of the machine's registers
    std::vector<std::uint32_t> read_counts_;
    std::vector<std::uint32_t> write_counts_;
    std::vector<std::uint32_t> writers_;  // the last instruction that writes it
    std::vector<bool> is_target_;
    std::vector<bool> is_range_loop_;    // the iterator register counts
    std::vector<std::uint16_t> counts_;  // of such a loop: the register of the count
    std::vector<bool> is_done_;          // fused into the instruction before
    std::vector<Fixup> fixups_;
    std::vector<ExitBack> exits_back_;
    std::vector<bool> is_folded_;  // a constant that its readers hold themselves
    std::vector<bool> moves_on_;
    std::vector<std::uint32_t> hoisted_;
    bool has_short_jumps_ = false;
    std::vector<std::uint16_t> free_scratch_[4];
    std::vector<std::uint16_t> used_scratch_;
    std::uint32_t at_ = 0;
    std::uint16_t out_scratch_ = 0;
};

}  // namespace gyre::vela::vm
