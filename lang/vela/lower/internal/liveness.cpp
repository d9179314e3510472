// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/internal/liveness.hpp"

#include <algorithm>

namespace gyre::vela {
namespace {

constexpr std::uint32_t nowhere = UINT32_MAX;

}  // namespace

Liveness::Liveness(const Code& code)
    : code_(code),
      blocks_(code),
      writes_(RegisterPlaces::of_writes(code)),
      is_read_(code.instructions.size()),
      ranges_(code.registers.size()),
      is_in_(blocks_.count(), no_register),
      is_out_(blocks_.count(), no_register) {
    for (std::uint32_t at = 0; at < code.instructions.size(); ++at) {
        if (can_suspend(code.instructions[at].op)) suspensions_.push_back(at);
    }
    const RegisterPlaces reads = RegisterPlaces::of_reads(code);
    for (Register reg = 0; reg < code.registers.size(); ++reg) {
        if (visit_count_ > visit_count_max) {
            count_as_live_everywhere(reg);
            break;
        }
        walk(reg, reads.of(reg));
    }
}

void Liveness::walk(Register reg, std::span<const std::uint32_t> reads) {
    reg_ = reg;
    std::uint32_t before = nowhere;
    for (const std::uint32_t at : reads) {
        const bool is_same_block = before != nowhere && blocks_.of(before) == blocks_.of(at);
        want_before(at, is_same_block ? before : blocks_.begin_of(blocks_.of(at)));
        before = at;
    }
    while (!open_.empty()) {
        const std::uint32_t block = open_.back();
        open_.pop_back();
        ++visit_count_;
        if (block == 0) at_start_.push_back(reg);
        for (const std::uint32_t from : blocks_.before(block)) want_out(from);
        for (const ThrowGroup& group : blocks_.throws_to(block)) want_throws(group);
    }
}

std::uint32_t Liveness::last_write_before(std::uint32_t at, std::uint32_t begin) const {
    const std::span<const std::uint32_t> writes = writes_.of(reg_);
    const auto behind = std::lower_bound(writes.begin(), writes.end(), at);
    return behind == writes.begin() || *(behind - 1) < begin ? nowhere : *(behind - 1);
}

// The register is live before the instruction. What is before `from`, in the same block, is known.
void Liveness::want_before(std::uint32_t at, std::uint32_t from) {
    ++visit_count_;
    const std::uint32_t write = last_write_before(at, from);
    const std::uint32_t first = write == nowhere ? from : write + 1;
    if (write != nowhere) is_read_[write] = true;
    ranges_[reg_].include(first);
    ranges_[reg_].include(at);
    auto suspension = std::lower_bound(suspensions_.begin(), suspensions_.end(), first);
    for (; suspension != suspensions_.end() && *suspension < at && has_all_kept_; ++suspension) {
        keep_at(*suspension);
    }
    const std::uint32_t block = blocks_.of(at);
    if (write == nowhere && from == blocks_.begin_of(block)) want_in(block);
}

void Liveness::keep_at(std::uint32_t suspension) {
    std::vector<Register>& kept = kept_[suspension];
    if (!kept.empty() && kept.back() == reg_) return;
    has_all_kept_ = has_all_kept_ && ++kept_count_ <= kept_count_max;
    if (has_all_kept_) kept.push_back(reg_);
}

void Liveness::want_in(std::uint32_t block) {
    if (is_in_[block] == reg_) return;
    is_in_[block] = reg_;
    open_.push_back(block);
}

// Live behind the last instruction of the block, which may write or keep the register.
void Liveness::want_out(std::uint32_t block) {
    if (is_out_[block] == reg_) return;
    is_out_[block] = reg_;
    const std::uint32_t last = blocks_.end_of(block) - 1;
    if (code_.instructions[last].to == reg_) {
        is_read_[last] = true;
        return;
    }
    want_before(last, blocks_.begin_of(block));
    if (can_suspend(code_.instructions[last].op)) keep_at(last);
}

// Live before each instruction that throws: its own result is not written then. One that suspends
// throws when it is resumed.
void Liveness::want_throws(const ThrowGroup& group) {
    for (const std::uint32_t at : group.suspensions) {
        if (has_all_kept_) keep_at(at);
    }
    const std::uint32_t begin = blocks_.begin_of(group.block);
    for (auto end = group.places.end(); end != group.places.begin();) {
        const std::uint32_t at = *(end - 1);
        want_before(at, begin);
        const std::uint32_t write = last_write_before(at, begin);
        if (write == nowhere) return;
        end = std::upper_bound(group.places.begin(), end, write);
    }
}

void Liveness::count_as_live_everywhere(Register first) {
    has_all_kept_ = false;
    is_read_.assign(is_read_.size(), true);
    for (Register reg = first; reg < ranges_.size(); ++reg) {
        ranges_[reg].include(0);
        ranges_[reg].include(static_cast<std::uint32_t>(code_.instructions.size()) - 1);
    }
}

const std::vector<Register>& Liveness::kept_at(std::uint32_t at) const {
    static const std::vector<Register> none;
    const auto found = kept_.find(at);
    return found == kept_.end() ? none : found->second;
}

std::vector<LiveRange> live_ranges(const Code& code) {
    std::vector<LiveRange> ranges = Liveness(code).ranges();
    for (std::uint32_t at = 0; at < code.instructions.size(); ++at) {
        const Register to = code.instructions[at].to;
        if (to != no_register) ranges[to].include(at);
    }
    for (Register reg = 0; reg < code.param_count; ++reg) ranges[reg].include(0);
    for (const Register reg : code.captures) ranges[reg].include(0);
    return ranges;
}

}  // namespace gyre::vela
