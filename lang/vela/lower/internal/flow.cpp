// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/internal/flow.hpp"

namespace gyre::vela {

Flow::Flow(const Code& code) {
    const auto count = static_cast<std::uint32_t>(code.instructions.size());
    // A target outside of the code gets no edge; the verifier reports it.
    std::vector<std::uint32_t> in_counts(count + 1);
    const auto add = [&](std::uint32_t to, bool is_throw) {
        if (to >= count) return;
        out_.edges.push_back({to, is_throw});
        ++in_counts[to];
    };
    for (const Instruction& instruction : code.instructions) {
        out_.begins.push_back(static_cast<std::uint32_t>(out_.edges.size()));
        const auto at = static_cast<std::uint32_t>(&instruction - code.instructions.data());
        if (instruction.op == Op::choose) {
            for (std::uint32_t i = 0; i < instruction.other; ++i) {
                add(code.targets[instruction.target + i], false);
            }
        } else if (instruction.op == Op::jump || instruction.op == Op::branch ||
                   instruction.op == Op::next_item) {
            add(instruction.target, false);
        }
        if (instruction.op == Op::branch) add(instruction.other, false);
        if (!info_of(instruction.op).is_end) add(at + 1, false);
        if (instruction.handler != no_handler) add(code.handlers[instruction.handler], true);
    }
    out_.begins.push_back(static_cast<std::uint32_t>(out_.edges.size()));

    in_.begins.resize(count + 1);
    for (std::uint32_t at = 0; at < count; ++at) {
        in_.begins[at + 1] = in_.begins[at] + in_counts[at];
    }
    in_.edges.resize(out_.edges.size());
    std::vector<std::uint32_t> next(in_.begins.begin(), in_.begins.end());
    for (std::uint32_t at = 0; at < count; ++at) {
        for (const Edge& edge : out_of(at)) in_.edges[next[edge.at]++] = {at, edge.is_throw};
    }
}

}  // namespace gyre::vela
