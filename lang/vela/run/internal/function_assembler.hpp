// SPDX-License-Identifier: Apache-2.0
// FunctionAssembler: assembles one function. Lives for that.
#pragma once

#include <optional>

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

    // False if it needs too many registers.
    [[nodiscard]] bool run();

private:
    using Reads = std::span<const Register>;
    struct Fixup {
        std::size_t at;  // the instruction or extension that holds the offset
        std::uint32_t target;
        bool is_short;  // in c; else in b and c
    };

    // ---- what is known of the lowered registers
    void count_uses();
    void choose_reps();
    void number_registers();
    void find_range_loops();
    void find_folded();
    [[nodiscard]] std::optional<std::int16_t> small_constant(Register reg) const;
    // Whether the second operand of the instruction is a small constant that it can hold.
    [[nodiscard]] bool folds(std::uint32_t at) const;
    // Whether the next instruction is a branch on its result, which nothing else reads.
    [[nodiscard]] bool is_branched_on(std::uint32_t at) const;
    // Whether the next instruction only moves its result, which nothing else reads.
    [[nodiscard]] bool is_moved_on(std::uint32_t at) const;
    // Whether offsets of 16 bits reach every instruction.
    [[nodiscard]] bool has_short_jumps() const { return code_.instructions.size() < 2'000; }

    // ---- emitting
    void one(std::uint32_t at);
    std::size_t emit(InsnOp op, std::uint16_t a = 0, std::uint16_t b = 0, std::uint16_t c = 0);
    std::size_t emit_wide(InsnOp op, std::uint16_t a, std::int32_t value);
    void extend(const void* pointer);
    void extend_list(std::span<const Operand> operands);
    void jump_to(std::uint32_t target, std::uint32_t from);
    void fix_up(std::size_t at, std::uint32_t target, bool is_short = false) {
        fixups_.push_back({at, target, is_short});
    }
    void patch();
    // A register that holds the value of `reg` as `wanted`.
    std::uint16_t in(Register reg, Rep wanted);
    // A register for a result of this representation, and its conversion afterwards.
    std::uint16_t out(Register reg, Rep given);
    void finish_out(Register reg, Rep given);
    std::uint16_t scratch(Rep rep);
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
    bool tasks(const Instruction& instruction);
    bool control(const Instruction& instruction, std::uint32_t at);
    bool ends(const Instruction& instruction);
    bool loops(std::uint32_t at);
    void constant(const Instruction& instruction);
    void arithmetic(const Instruction& instruction, InsnOp op, Rep rep);
    void compare(const Instruction& instruction, InsnOp op, Rep rep);
    void branch(const Instruction& instruction, std::uint32_t at);
    [[nodiscard]] bool fused_branch(std::uint32_t at);
    [[nodiscard]] bool fused_variant(std::uint32_t at);
    void emit_fused(std::uint32_t at, InsnOp when_true, InsnOp when_false, InsnOp small_true,
                    InsnOp small_false);
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
    std::vector<bool> is_folded_;  // a constant that its readers hold themselves
    std::vector<std::uint16_t> free_scratch_[4];
    std::vector<std::uint16_t> used_scratch_;
    std::uint32_t at_ = 0;
    std::uint16_t out_scratch_ = 0;
};

}  // namespace gyre::vela::vm
