// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/internal/basic_blocks.hpp"

namespace gyre::vela {

BasicBlocks::BasicBlocks(const Code& code) {
    const Flow flow(code);
    const auto count = static_cast<std::uint32_t>(code.instructions.size());
    std::vector<bool> is_begin(count + 1);
    is_begin[0] = true;
    for (std::uint32_t at = 0; at < count; ++at) {
        if (info_of(code.instructions[at].op).is_end) is_begin[at + 1] = true;
        for (const Edge& edge : flow.out_of(at)) {
            if (edge.is_throw) is_begin[edge.at] = true;
            if (edge.is_throw || edge.at == at + 1) continue;
            is_begin[edge.at] = true;
            is_begin[at + 1] = true;
        }
    }
    block_of_.resize(count);
    for (std::uint32_t at = 0; at < count; ++at) {
        if (is_begin[at]) begins_.push_back(at);
        block_of_[at] = static_cast<std::uint32_t>(begins_.size() - 1);
    }
    begins_.push_back(count);

    before_.resize(begins_.size());
    throws_.resize(begins_.size());
    for (std::uint32_t block = 0; block + 1 < begins_.size(); ++block) {
        for (const Edge& edge : flow.into(begins_[block])) {
            const std::uint32_t from = block_of_[edge.at];
            if (!edge.is_throw) {
                before_[block].push_back(from);
                continue;
            }
            std::vector<ThrowGroup>& groups = throws_[block];
            if (groups.empty() || groups.back().block != from) groups.push_back({from, {}, {}});
            groups.back().places.push_back(edge.at);
            if (!can_suspend(code.instructions[edge.at].op)) continue;
            groups.back().suspensions.push_back(edge.at);
        }
    }
}

template <class Each>
RegisterPlaces::RegisterPlaces(const Code& code, Each each) : begins_(code.registers.size() + 1) {
    const auto count = static_cast<std::uint32_t>(code.instructions.size());
    for (std::uint32_t at = 0; at < count; ++at) {
        each(code.instructions[at], [&](Register reg) { ++begins_[reg + 1]; });
    }
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    places_.resize(begins_.back());
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end());
    for (std::uint32_t at = 0; at < count; ++at) {
        each(code.instructions[at], [&](Register reg) { places_[next[reg]++] = at; });
    }
}

RegisterPlaces RegisterPlaces::of_reads(const Code& code) {
    return {code, [&](const Instruction& instruction, auto note) {
                for (const Register read : code.reads(instruction)) note(read);
            }};
}

RegisterPlaces RegisterPlaces::of_writes(const Code& code) {
    return {code, [](const Instruction& instruction, auto note) {
                if (instruction.to != no_register) note(instruction.to);
            }};
}

}  // namespace gyre::vela
