// SPDX-License-Identifier: Apache-2.0
// The form of an instruction: its name, and what follows it; and a linker for code that is looked at
// and not run. One thread.
#pragma once

#include <array>
#include <string_view>

#include "lang/vela/run/internal/assembler.hpp"
#include "lang/vela/run/internal/heap.hpp"

namespace gyre::vela::vm {

inline constexpr std::array insn_names = {
#define GYRE_VELA_INSN(name) std::string_view(#name),
    GYRE_VELA_INSNS(GYRE_VELA_INSN)
#undef GYRE_VELA_INSN
};

// Whether a pointer and a list of operands follow it.
[[nodiscard]] inline bool is_listed(InsnOp op) noexcept {
    const bool is_in_range = op >= InsnOp::iterate && op <= InsnOp::close_stream;
    return op == InsnOp::is_variant || (is_in_range && op != InsnOp::next_item);
}

[[nodiscard]] inline std::size_t extension_count(const Insn& insn) noexcept {
    using enum InsnOp;
    if (insn.op == choose) return insn.b;
    const bool has_one = insn.op == load_constant || insn.op == range_begin ||
                         insn.op == range_next || insn.op == range_loop || insn.op == next_item ||
                         insn.op == jump_unless_variant || insn.op == new_object;
    if (has_one) return 1;
    return is_listed(insn.op) ? 1 + (insn.b + 3U) / 4U : 0;
}

// Makes strings on a heap of its own, and links no native function.
class PrintLinker final : public Linker {
public:
    Word text(const std::string& of) override { return heap_.text(of); }
    NativeCall native(const FunctionInfo& /*function*/) override { return nullptr; }

private:
    std::int64_t fuel_ = 0;
    Heap heap_{{}, fuel_};
};

}  // namespace gyre::vela::vm
