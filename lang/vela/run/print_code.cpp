// SPDX-License-Identifier: Apache-2.0
// print_code: the instructions of the machine as text, for people.
#include <array>

#include "lang/vela/run/internal/insn_text.hpp"
#include "lang/vela/run/run.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace vm {
namespace {

constexpr std::array<std::string_view, 4> rep_names = {"word", "number", "float", "bool"};

void print_function(std::string& text, const Function& function) {
    text +=
        concat(function.code->name, ": ", std::to_string(function.register_count()), " registers, ",
               std::to_string(function.insns.size() * sizeof(Insn)), " bytes; parameters:");
    for (std::size_t i = 0; i < function.param_count; ++i) {
        text += concat(" ", rep_names[static_cast<std::size_t>(function.reps[i])]);
    }
    text += '\n';
    for (std::size_t at = 0; at < function.insns.size();) {
        const Insn& insn = function.insns[at];
        std::string number = std::to_string(at);
        number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
        text += concat(number, "  ", insn_names[static_cast<std::size_t>(insn.op)], " ",
                       std::to_string(insn.a), " ", std::to_string(insn.b), " ",
                       std::to_string(insn.c), "\n");
        at += 1 + extension_count(insn);
    }
    text += '\n';
}

}  // namespace
}  // namespace vm

std::string print_code(const Lowered& lowered) {
    vm::PrintLinker linker;
    const auto assembled = vm::assemble(lowered, linker);
    if (!assembled) return concat(assembled.error(), "\n");
    std::string text;
    for (const Code& code : lowered.codes) {
        if (!code.module->is_standard) vm::print_function(text, *(*assembled)->function_of(&code));
    }
    return text;
}

}  // namespace gyre::vela
