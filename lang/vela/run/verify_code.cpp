// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/insn_fields.hpp"
#include "lang/vela/run/internal/insn_text.hpp"
#include "lang/vela/run/internal/verify_function.hpp"
#include "lang/vela/run/run.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace vm {

KnownPointers::KnownPointers(const Assembled& program) {
    for (const auto& [code, function] : program.functions) functions.insert(function.get());
    for (const auto& [type, shape] : program.shapes) shapes.insert(shape.get());
    for (const TypeInfo& type : program.lowered->program->infos) {
        types.insert(&type);
        for (const VariantInfo& variant : type.variants) variants.insert(&variant);
    }
}

namespace {

class FunctionVerifier {
public:
    FunctionVerifier(const Function& function, const KnownPointers& known)
        : function_(function), known_(known) {}

    std::vector<std::string> run() {
        const auto& insns = function_.insns;
        is_start_.resize(insns.size() + 1);
        for (std::size_t at = 0; at < insns.size(); at += 1 + extension_count(insns[at])) {
            if (static_cast<std::size_t>(insns[at].op) >= insn_names.size()) {
                problem(at, "no such instruction");
                return problems_;
            }
            if (at + extension_count(insns[at]) >= insns.size()) {
                problem(at, "an instruction that is cut off");
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
    [[nodiscard]] bool has_register(std::uint16_t reg) const {
        return reg < function_.register_count();
    }
    void need(std::size_t at, Field field, std::uint16_t reg, std::uint16_t before) {
        if (field == Field::none) return;
        if (field == Field::operand) {
            need_operand(at, reg);
            return;
        }
        if (!has_register(reg)) {
            problem(at, "a register that does not exist");
            return;
        }
        const Rep rep = function_.reps[reg];
        bool fits = true;
        switch (field) {
            case Field::word:
            case Field::number:
            case Field::real:
            case Field::boolean:
                fits = static_cast<int>(rep) ==
                       static_cast<int>(field) - static_cast<int>(Field::word);
                break;
            case Field::bare:
                fits = rep == Rep::number || rep == Rep::boolean;
                break;
            case Field::same:
                fits = has_register(before) && rep == function_.reps[before];
                break;
            case Field::result:
                fits = rep == function_.result && function_.code->kind == CodeKind::plain;
                break;
            default:
                break;
        }
        if (!fits) problem(at, "a register of another representation");
    }
    void need_operand(std::size_t at, Operand operand) {
        if (!has_register(register_of(operand))) {
            problem(at, "a register that does not exist");
        } else if (function_.reps[register_of(operand)] != rep_of(operand)) {
            problem(at, "an operand that names another representation");
        }
    }
    // `at` is the instruction, or its extension that holds the offset.
    bool need_target(std::size_t at, std::int64_t offset) {
        const auto target = static_cast<std::int64_t>(at) + offset;
        const bool is_inside = target >= 0 && target < static_cast<std::int64_t>(is_start_.size());
        if (is_inside && is_start_[static_cast<std::size_t>(target)]) return true;
        problem(at, "a jump to no instruction");
        return false;
    }
    // Of an instruction that has no safepoint: code that goes back without one could run for ever.
    void need_target_ahead(std::size_t at, std::int64_t offset) {
        if (need_target(at, offset) && offset <= 0) problem(at, "a jump back without a safepoint");
    }
    void need_error_handler_ahead(std::size_t at) {
        const Code& code = *function_.code;
        if (function_.insns[at].op == InsnOp::jump_back) return;  // It does not throw.
        const std::uint32_t handler = code.instructions[function_.sources[at]].handler;
        if (handler == no_handler) return;
        if (function_.starts[code.handlers[handler]] > at) return;
        problem(at, "an error handler before its instruction");
    }
    void one(std::size_t at) {
        const Insn& insn = function_.insns[at];
        if (is_listed(insn.op)) {
            listed(at);
            return;
        }
        const Fields fields = fields_of(insn.op);
        need(at, fields.a, insn.a, 0);
        need(at, fields.b, insn.b, insn.a);
        need(at, fields.c, insn.c, insn.b);
        if (insn.op == InsnOp::load_constant) need_constant(at);
        if (insn.op == InsnOp::divide_small || insn.op == InsnOp::remainder_small) {
            if (signed_c(insn) <= 0) problem(at, "a division by a constant that is not above 0");
        }
        targets(at);
        pointers(at);
        need_error_handler_ahead(at);
    }
    void targets(std::size_t at) {
        using enum InsnOp;
        const Insn& insn = function_.insns[at];
        if (insn.op == jump || insn.op == jump_if || insn.op == jump_unless ||
            insn.op == jump_unless_variant) {
            need_target_ahead(at, wide(insn));
        }
        if (insn.op == jump_back) need_target(at, wide(insn));
        if (insn.op >= jump_less && insn.op <= jump_not_less_equal_float) {
            need_target_ahead(at, signed_c(insn));
        }
        if (insn.op >= loop_less && insn.op <= loop_not_equal_small) {
            need_target(at, signed_c(insn));
        }
        if (insn.op == range_next || insn.op == next_item) {
            need_target_ahead(at + 1, wide(function_.insns[at + 1]));
        }
        if (insn.op == range_loop) need_target(at + 1, wide(function_.insns[at + 1]));
        if (insn.op == range_begin) need(at, Field::number, function_.insns[at + 1].a, 0);
        for (std::size_t i = 1; insn.op == choose && i <= insn.b; ++i) {
            need_target(at + i, wide(function_.insns[at + i]));
        }
        if (insn.op == return_async && function_.code->kind == CodeKind::plain) {
            problem(at, "a plain function that ends as an async one");
        }
        if ((insn.op == await || insn.op == yield) && function_.code->kind == CodeKind::plain) {
            problem(at, "a plain function that waits");
        }
    }
    // A constant of a word is a text of the function, or is no reference.
    void need_constant(std::size_t at) {
        const std::uint16_t reg = function_.insns[at].a;
        if (!has_register(reg) || function_.reps[reg] != Rep::word) return;
        const Word word = extension<Slot>(function_.insns[at + 1]).word();
        const bool is_value = word.is_small() || word.is_boolean() || word.is_nothing();
        if (!is_value && !function_.texts.contains(word.bits())) {
            problem(at, "a constant that is no text of the program");
        }
    }
    void need_pointer(std::size_t at, const std::unordered_set<const void*>& known) {
        const auto* pointer = extension<const void*>(function_.insns[at + 1]);
        if (!known.contains(pointer)) problem(at, "a pointer that is not of the program");
    }
    void pointers(std::size_t at) {
        using enum InsnOp;
        switch (function_.insns[at].op) {
            case new_object:
                need_pointer(at, known_.shapes);
                break;
            case jump_unless_variant:
            case variant:
            case is_variant:
                need_pointer(at, known_.variants);
                break;
            case create:
            case is_class:
                need_pointer(at, known_.types);
                break;
            default:
                break;
        }
    }
    void listed(std::size_t at) {
        const Insn& insn = function_.insns[at];
        const bool has_result = insn.op != InsnOp::send && insn.op != InsnOp::dead_letter;
        if (has_result) need_operand(at, insn.a);
        for (std::size_t i = 0; i < insn.b; ++i) need_operand(at, operand_at(at, i));
        pointers(at);
        need_error_handler_ahead(at);
        const bool is_call = insn.op >= InsnOp::call && insn.op <= InsnOp::spawn_call;
        if (is_call) call(at);
        if (insn.op == InsnOp::spawn_block) spawned_block(at);
        const bool spawns = insn.op == InsnOp::spawn_call || insn.op == InsnOp::spawn_block;
        if (spawns) spawned(at);
    }
    [[nodiscard]] Operand operand_at(std::size_t at, std::size_t i) const {
        const auto packed = extension<std::uint64_t>(function_.insns[at + 2 + i / 4]);
        return static_cast<Operand>(packed >> (16 * (i % 4)));
    }
    // What a word holds is looked at when it is converted.
    static bool can_convert(Rep given, Rep wanted) {
        return given == wanted || given == Rep::word || wanted == Rep::word ||
               (given == Rep::number && wanted == Rep::real);
    }
    // Operands of a call but the scope of one that is spawned.
    static std::size_t given_count(const Insn& insn) {
        const bool has_group = insn.op == InsnOp::spawn_call || insn.op == InsnOp::spawn_block;
        return insn.b - (has_group && insn.c != 0 ? 1U : 0U);
    }
    // The result is a handle; the last operand, if `c` says so, a scope.
    void spawned(std::size_t at) {
        const Insn& insn = function_.insns[at];
        if (rep_of(insn.a) != Rep::word) problem(at, "a handle in a register of another kind");
        if (insn.c == 0) return;
        if (insn.c > 1 || insn.b == 0 || rep_of(operand_at(at, insn.b - 1U)) != Rep::word) {
            problem(at, "a task that is spawned in no scope");
        }
    }
    void spawned_block(std::size_t at) {
        const Insn& insn = function_.insns[at];
        const auto* callee = extension<const Function*>(function_.insns[at + 1]);
        if (!known_.functions.contains(callee)) {
            problem(at, "a call of no function of the program");
            return;
        }
        bool fits = callee->code->kind == CodeKind::async && callee->param_count == 0 &&
                    given_count(insn) == callee->captures.size();
        for (std::size_t i = 0; fits && i < callee->captures.size(); ++i) {
            fits = can_convert(rep_of(operand_at(at, i)), callee->reps[callee->captures[i]]);
        }
        if (!fits) problem(at, "a block that is spawned with other captures than its own");
    }
    void call(std::size_t at) {
        const Insn& insn = function_.insns[at];
        const auto* callee = extension<const Function*>(function_.insns[at + 1]);
        if (!known_.functions.contains(callee)) {
            problem(at, "a call of no function of the program");
            return;
        }
        const bool is_plain_call = insn.op <= InsnOp::call_3;
        const bool fits_kind = insn.op == InsnOp::spawn_call
                                   ? callee->code->kind == CodeKind::async
                                   : is_plain_call == (callee->code->kind == CodeKind::plain);
        if (!fits_kind) problem(at, "a call of a function of another kind");
        const std::size_t given = given_count(insn);
        if (given > callee->param_count) {
            problem(at, "a call with too many operands");
            return;
        }
        bool converts =
            insn.op == InsnOp::spawn_call || can_convert(callee->result, rep_of(insn.a));
        for (std::size_t i = 0; i < given; ++i) {
            converts = converts && can_convert(rep_of(operand_at(at, i)), callee->reps[i]);
        }
        if (!converts) problem(at, "a call with an operand that cannot be converted");
        const bool is_direct = insn.op >= InsnOp::call_0 && insn.op <= InsnOp::call_3;
        if (!is_direct) return;
        const auto count =
            static_cast<std::size_t>(insn.op) - static_cast<std::size_t>(InsnOp::call_0);
        bool fits =
            insn.b == count && callee->param_count == count && rep_of(insn.a) == callee->result;
        for (std::size_t i = 0; fits && i < count; ++i) {
            fits = rep_of(operand_at(at, i)) == callee->reps[i];
        }
        if (!fits) problem(at, "a direct call that does not fit its function");
    }

    const Function& function_;
    const KnownPointers& known_;
    std::vector<bool> is_start_;
    std::size_t last_ = 0;
    std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify_function(const Function& function, const KnownPointers& known) {
    return FunctionVerifier(function, known).run();
}

}  // namespace vm

std::vector<std::string> verify_code(const Lowered& lowered) {
    vm::PrintLinker linker;
    const auto assembled = vm::assemble(lowered, linker);
    if (!assembled) return {assembled.error()};
    const vm::KnownPointers known(**assembled);
    std::vector<std::string> problems;
    for (const Code& code : lowered.codes) {
        if (code.instructions.empty()) continue;
        const auto of_code = vm::verify_function(*(*assembled)->function_of(&code), known);
        problems.insert(problems.end(), of_code.begin(), of_code.end());
    }
    return problems;
}

}  // namespace gyre::vela
