// SPDX-License-Identifier: Apache-2.0
// verify_code: proves of the instructions what the handlers rely on: each register exists, an operand
// in a list says what its register holds, each jump leads to an instruction of its function, and
// control does not run past the end.
#include <vector>

#include "lang/vela/run/internal/insn_text.hpp"
#include "lang/vela/run/run.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace vm {
namespace {

// Which of a, b and c are registers.
struct RegisterFields {
    bool a;
    bool b;
    bool c;
};
RegisterFields fields_of(InsnOp op) {
    using enum InsnOp;
    if (op == jump || op == jump_back || op == left_out) return {false, false, false};
    if (op == set_slot) return {true, false, true};
    const bool has_one = op == load_small || op == load_constant || op == clear || op == new_cell ||
                         op == get_global || op == set_global || op == jump_if ||
                         op == jump_unless || op == jump_unless_variant || op == choose ||
                         op == caught || op == throw_value || op == return_value ||
                         op == return_async ||
                         (op >= jump_less_small && op <= jump_not_equal_small);
    if (has_one) return {true, false, false};
    const bool has_three =
        (op >= add_number && op <= power_number) || (op >= add_float && op <= power_float) ||
        (op >= equal_number && op <= less_equal_string) || op == get_index ||
        op == get_index_number || op == set_index || op == range_begin || op == range_next;
    return {true, !is_listed(op), has_three};
}

class CodeVerifier {
public:
    explicit CodeVerifier(const Function& function) : function_(function) {}

    std::vector<std::string> run() {
        const auto& insns = function_.insns;
        is_start_.resize(insns.size() + 1);
        for (std::size_t at = 0; at < insns.size(); at += 1 + extension_count(insns[at])) {
            if (static_cast<std::size_t>(insns[at].op) >= insn_names.size()) {
                problem(at, "no such instruction");
                return problems_;
            }
            is_start_[at] = true;
            last_ = at;
        }
        for (std::size_t at = 0; at < insns.size(); ++at) {
            if (is_start_[at]) one(at);
        }
        if (insns.empty() || !ends(insns[last_].op)) problem(last_, "control runs past the end");
        return problems_;
    }

private:
    static bool ends(InsnOp op) {
        using enum InsnOp;
        return op == jump || op == jump_back || op == choose || op == throw_value ||
               op == return_value || op == return_async || op == left_out;
    }
    void problem(std::size_t at, std::string_view text) {
        problems_.push_back(concat(function_.code->name, " at ", std::to_string(at), ": ", text));
    }
    void need_register(std::size_t at, std::uint16_t reg) {
        if (reg >= function_.register_count()) problem(at, "a register that does not exist");
    }
    void need_operand(std::size_t at, Operand operand) {
        need_register(at, register_of(operand));
        if (register_of(operand) >= function_.register_count()) return;
        if (function_.reps[register_of(operand)] != rep_of(operand)) {
            problem(at, "an operand that names another representation");
        }
    }
    void need_target(std::size_t at, std::int64_t offset) {
        const auto target = static_cast<std::int64_t>(at) + offset;
        const bool is_inside = target >= 0 && target < static_cast<std::int64_t>(is_start_.size());
        if (!is_inside || !is_start_[static_cast<std::size_t>(target)]) {
            problem(at, "a jump to no instruction");
        }
    }
    void one(std::size_t at) {
        using enum InsnOp;
        const Insn& insn = function_.insns[at];
        const RegisterFields fields = fields_of(insn.op);
        const bool has_operand = is_listed(insn.op) || insn.op == await || insn.op == yield;
        const bool has_result = insn.op != send && insn.op != dead_letter;
        if (fields.a && has_operand && has_result) need_operand(at, insn.a);
        if (fields.a && !has_operand) need_register(at, insn.a);
        if (fields.b) need_register(at, insn.b);
        if (fields.c) need_register(at, insn.c);
        if (is_listed(insn.op)) {
            const auto* operands = reinterpret_cast<const Operand*>(&insn + 2);
            for (std::size_t i = 0; i < insn.b; ++i) need_operand(at, operands[i]);
        }
        if (insn.op == jump || insn.op == jump_back || insn.op == jump_if ||
            insn.op == jump_unless || insn.op == jump_unless_variant) {
            need_target(at, wide(insn));
        }
        if (insn.op >= jump_less && insn.op <= jump_not_equal_small) {
            need_target(at, signed_c(insn));
        }
        if (insn.op == range_next || insn.op == next_item) {
            need_target(at + 1, wide(function_.insns[at + 1]));
        }
        for (std::size_t i = 1; insn.op == choose && i <= insn.b; ++i) {
            need_target(at + i, wide(function_.insns[at + i]));
        }
    }

    const Function& function_;
    std::vector<bool> is_start_;
    std::size_t last_ = 0;
    std::vector<std::string> problems_;
};

}  // namespace
}  // namespace vm

std::vector<std::string> verify_code(const Lowered& lowered) {
    vm::PrintLinker linker;
    const auto assembled = vm::assemble(lowered, linker);
    if (!assembled) return {assembled.error()};
    std::vector<std::string> problems;
    for (const Code& code : lowered.codes) {
        if (code.instructions.empty()) continue;
        const auto of_code = vm::CodeVerifier(*(*assembled)->function_of(&code)).run();
        problems.insert(problems.end(), of_code.begin(), of_code.end());
    }
    return problems;
}

}  // namespace gyre::vela
