// SPDX-License-Identifier: Apache-2.0
// The handlers of the machine's instructions: one function each, which ends by going on to the
// handler of the next instruction. Where the compiler makes tail calls, that is a jump, and the
// registers of the processor hold the machine, the registers of the call and the instruction; else
// it is a return to a loop. A handler therefore has no local variable whose address is taken: what
// needs one is in a function of its own, which is not inlined.
#pragma once

#include "gyre/base/detail/compiler.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

// The next instruction, or null: the interpreter is left.
using Handler = const Insn* (*)(Vm& vm, Slot* r, const Insn* ip);

#define GYRE_VELA_INSN(name) const Insn* on_##name(Vm& vm, Slot* r, const Insn* ip);
GYRE_VELA_INSNS(GYRE_VELA_INSN)
#undef GYRE_VELA_INSN

inline constexpr Handler handlers[] = {
#define GYRE_VELA_INSN(name) on_##name,
    GYRE_VELA_INSNS(GYRE_VELA_INSN)
#undef GYRE_VELA_INSN
};

#if defined(__clang__)
#    define GYRE_VELA_NEXT(regs, to) \
        [[clang::musttail]] return handlers[static_cast<std::size_t>((to)->op)](vm, (regs), (to))
#elif defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#    define GYRE_VELA_NEXT(regs, to) \
        return handlers[static_cast<std::size_t>((to)->op)](vm, (regs), (to))
#else
#    define GYRE_VELA_NEXT(regs, to) \
        do {                         \
            vm.registers = (regs);   \
            return (to);             \
        } while (false)
#endif

// From a function that is no handler, and so cannot pass its call on: the loop of the interpreter
// makes the next one.
[[nodiscard]] inline const Insn* go_on_at(Vm& vm, Slot* registers, const Insn* to) noexcept {
    vm.registers = registers;
    return to;
}

#define GYRE_VELA_HANDLER(name) \
    const Insn* on_##name([[maybe_unused]] Vm& vm, [[maybe_unused]] Slot* r, const Insn* ip)
#define GYRE_VELA_GO_ON GYRE_VELA_NEXT(r, ip + 1)

// Throws vm.caught at this instruction.
[[gnu::noinline]] const Insn* raise(Vm& vm, Slot* r, const Insn* ip);
// Throws an error of the standard surface there.
[[gnu::noinline, gnu::cold]] const Insn* raise_new(Vm& vm, const Insn* ip, const char* type,
                                                   const char* message);
// Interrupts the running body at a back edge.
[[gnu::noinline]] const Insn* at_safepoint(Vm& vm, Slot* r, const Insn* ip);

[[nodiscard]] inline const Operand* operands_of(const Insn* ip) noexcept {
    return reinterpret_cast<const Operand*>(ip + 2);
}
// Behind an instruction with a pointer and `ip->b` operands.
[[nodiscard]] inline const Insn* behind(const Insn* ip) noexcept {
    return ip + 2 + (ip->b + 3U) / 4U;
}

// Where a body goes on that waited at this instruction.
[[nodiscard]] inline const Insn* after_await(const Insn* at) noexcept {
    return at->op == InsnOp::call_await ? behind(at) : at + 1;
}

[[gnu::noinline]] Word boxed(Vm& vm, Slot slot, Rep rep);
[[nodiscard]] inline Word word_of(Vm& vm, const Slot* r, Operand operand) {
    const Slot slot = r[register_of(operand)];
    const Rep rep = rep_of(operand);
    if (rep == Rep::word) return slot.word();
    const bool is_small = rep == Rep::number && Word::is_small_number(slot.number);
    return is_small ? Word::small(slot.number) : boxed(vm, slot, rep);
}
[[gnu::noinline]] void store_bare(Slot& to, Rep rep, Word word);
inline void store(Slot* r, Operand to, Word word) {
    const Rep rep = rep_of(to);
    if (rep == Rep::word) [[likely]] {
        r[register_of(to)].set(word);
    } else {
        store_bare(r[register_of(to)], rep, word);
    }
}
[[gnu::noinline]] Slot converted_slow(Vm& vm, Slot slot, Rep given, Rep wanted);
[[nodiscard]] inline Slot converted(Vm& vm, Slot slot, Rep given, Rep wanted) {
    return given == wanted ? slot : converted_slow(vm, slot, given, wanted);
}

}  // namespace gyre::vela::vm
