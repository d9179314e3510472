// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/internal/liveness.hpp"

namespace gyre::vela {

Liveness::Liveness(const Code& code) : is_read_(code.instructions.size()) {
    const Flow flow(code);
    const auto count = static_cast<std::uint32_t>(code.instructions.size());
    // For each register, the instructions that read it.
    std::vector<std::uint32_t> begins(code.registers.size() + 1);
    for (const Instruction& instruction : code.instructions) {
        for (const Register read : code.reads(instruction)) ++begins[read + 1];
    }
    for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    std::vector<std::uint32_t> reads(begins.back());
    std::vector<std::uint32_t> next(begins.begin(), begins.end());
    for (std::uint32_t at = 0; at < count; ++at) {
        for (const Register read : code.reads(code.instructions[at])) reads[next[read]++] = at;
    }

    // For each instruction, the last register found live before it.
    std::vector<Register> wanted(count, no_register);
    std::vector<std::uint32_t> open;
    for (Register reg = 0; reg < code.registers.size(); ++reg) {
        const auto want = [&](std::uint32_t at) {
            if (wanted[at] == reg) return;
            wanted[at] = reg;
            open.push_back(at);
        };
        for (std::uint32_t i = begins[reg]; i < begins[reg + 1]; ++i) want(reads[i]);
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            open.pop_back();
            if (at == 0) at_start_.push_back(reg);
            for (const Edge& edge : flow.into(at)) {
                const Instruction& before = code.instructions[edge.at];
                const bool is_written = before.to == reg && !edge.is_throw;
                if (is_written) {
                    is_read_[edge.at] = true;
                    continue;
                }
                if (can_suspend(before.op)) {
                    std::vector<Register>& kept = kept_[edge.at];
                    if (kept.empty() || kept.back() != reg) kept.push_back(reg);
                }
                want(edge.at);
            }
        }
    }
}

const std::vector<Register>& Liveness::kept_at(std::uint32_t at) const {
    static const std::vector<Register> none;
    const auto found = kept_.find(at);
    return found == kept_.end() ? none : found->second;
}

}  // namespace gyre::vela
