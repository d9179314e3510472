// SPDX-License-Identifier: Apache-2.0
// Liveness: which registers are read later. For each register it walks backwards from the reads to
// the writes that reach them, a basic block at a time, so the time is proportional to the number of
// blocks through which values live. A value; reads the Code only in its constructor.
//
// Both the time and the memory are bounded by the code: see `visit_count_max` and `kept_count_max`.
#pragma once

#include "lang/vela/lower/detail/live_ranges.hpp"
#include "lang/vela/lower/internal/basic_blocks.hpp"

namespace gyre::vela {

class Liveness {
public:
    // Visits of blocks by registers. Beyond it the remaining registers count as live everywhere.
    static constexpr std::uint64_t visit_count_max = 1U << 25U;
    // Registers kept by all suspensions together. Beyond it `kept_at` is not complete.
    static constexpr std::size_t kept_count_max = 1U << 20U;

    explicit Liveness(const Code& code);

    // Whether the result of the instruction is read anywhere.
    [[nodiscard]] bool is_read(std::uint32_t at) const { return is_read_[at]; }
    // The registers that a suspension must keep.
    [[nodiscard]] const std::vector<Register>& kept_at(std::uint32_t at) const;
    // False if a limit was passed, and `kept_at` leaves registers out.
    [[nodiscard]] bool has_all_kept() const { return has_all_kept_; }
    // The registers that are read before they are written.
    [[nodiscard]] const std::vector<Register>& kept_at_start() const { return at_start_; }
    // For each register, the first and the last instruction before which it is live.
    [[nodiscard]] const std::vector<LiveRange>& ranges() const { return ranges_; }

private:
    void walk(Register reg, std::span<const std::uint32_t> reads);
    void want_before(std::uint32_t at, std::uint32_t from);
    void keep_at(std::uint32_t suspension);
    void want_in(std::uint32_t block);
    void want_out(std::uint32_t block);
    void want_throws(const ThrowGroup& group);
    void count_as_live_everywhere(Register first);
    std::uint32_t last_write_before(std::uint32_t at, std::uint32_t begin) const;

    const Code& code_;
    BasicBlocks blocks_;
    RegisterPlaces writes_;
    std::vector<std::uint32_t> suspensions_;
    std::vector<bool> is_read_;
    std::unordered_map<std::uint32_t, std::vector<Register>> kept_;
    std::size_t kept_count_ = 0;
    bool has_all_kept_ = true;
    std::vector<Register> at_start_;
    std::vector<LiveRange> ranges_;
    // Of the walk of one register.
    Register reg_ = no_register;
    std::vector<Register> is_in_;   // for each block, the last register found live before it
    std::vector<Register> is_out_;  // the same behind it
    std::vector<std::uint32_t> open_;
    std::uint64_t visit_count_ = 0;
};

}  // namespace gyre::vela
