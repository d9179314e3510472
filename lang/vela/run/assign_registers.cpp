// SPDX-License-Identifier: Apache-2.0
// Which register of the machine holds which lowered one: two that are never in use at the same time
// share one, if both hold the same representation. And which constants are loaded only once.
#include <algorithm>
#include <queue>
#include <utility>

#include "lang/vela/run/internal/function_assembler.hpp"

namespace gyre::vela::vm {
namespace {

// The instructions inside of any loop: between the target of a jump backwards and the jump.
std::vector<bool> find_loops(const Code& code) {
    const std::size_t count = code.instructions.size();
    std::vector<std::int32_t> changes(count + 1);
    for (std::uint32_t at = 0; at < count; ++at) {
        const Instruction& instruction = code.instructions[at];
        const auto add = [&](std::uint32_t target) {
            if (target > at) return;
            ++changes[target];
            --changes[at + 1];
        };
        if (instruction.op == Op::jump || instruction.op == Op::branch) add(instruction.target);
        if (instruction.op == Op::branch) add(instruction.other);
        for (std::uint32_t i = 0; instruction.op == Op::choose && i < instruction.other; ++i) {
            add(code.targets[instruction.target + i]);
        }
    }
    std::vector<bool> is_inside(count);
    std::int32_t depth = 0;
    for (std::size_t at = 0; at < count; ++at) {
        depth += changes[at];
        is_inside[at] = depth > 0;
    }
    return is_inside;
}

struct Place {
    std::uint32_t last;  // the last instruction that uses it
    std::uint32_t number;
    friend bool operator>(const Place& a, const Place& b) noexcept { return a.last > b.last; }
};
using Places = std::priority_queue<Place, std::vector<Place>, std::greater<>>;

}  // namespace

void FunctionAssembler::find_hoisted() {
    constexpr std::size_t hoisted_count_max = 16;
    const std::vector<bool> is_inside = find_loops(code_);
    for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
        const Instruction& instruction = code_.instructions[at];
        const bool is_candidate = instruction.op == Op::constant && is_inside[at] &&
                                  write_counts_[instruction.to] == 1 &&
                                  !is_folded_[instruction.to] && !is_moved_on(at);
        if (is_candidate && hoisted_.size() < hoisted_count_max) hoisted_.push_back(at);
    }
}

void FunctionAssembler::emit_hoisted() {
    at_ = 0;
    for (const std::uint32_t at : hoisted_) {
        constant(code_.instructions[at]);
        is_done_[at] = true;
    }
    release_scratch();
}

// As lowered, and wider where this assembler writes a register earlier or keeps it longer.
std::vector<LiveRange> FunctionAssembler::ranges_of_registers() const {
    std::vector<LiveRange> ranges = live_ranges(code_);
    const auto count = static_cast<std::uint32_t>(code_.instructions.size());
    for (std::uint32_t at = 0; at + 1 < count; ++at) {
        const Instruction& next = code_.instructions[at + 1];
        if (is_moved_on(at)) ranges[next.to].include(at);
        if (next.op == Op::iterate && is_range_loop_[next.to]) ranges[next.to].include(at);
    }
    for (const std::uint32_t at : hoisted_) {
        ranges[code_.instructions[at].to].include(0);
        ranges[code_.instructions[at].to].include(count);
    }
    return ranges;
}

// Parameters first, then bare values, then words.
void FunctionAssembler::number_registers() {
    const std::vector<LiveRange> ranges = ranges_of_registers();
    numbers_.resize(reps_.size());
    std::vector<bool> is_left_out = is_folded_;
    for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
        const bool is_left = is_moved_on(at) || is_awaited_call(at);
        if (is_left) is_left_out[code_.instructions[at].to] = true;
        for (std::uint32_t i = 0; i < spawned_count(at); ++i) {
            is_left_out[code_.instructions[at + i].to] = true;
        }
    }
    std::vector<Register> order;
    for (Register reg = code_.param_count; reg < reps_.size(); ++reg) {
        if (is_range_loop_[reg]) reps_[reg] = Rep::number;
        if (!ranges[reg].is_empty() && !is_left_out[reg]) order.push_back(reg);
    }
    std::sort(order.begin(), order.end(), [&](Register a, Register b) {
        return std::pair(ranges[a].first, a) < std::pair(ranges[b].first, b);
    });
    // New registers count from `param_count` on, those of words after all others.
    constexpr std::uint32_t is_word = 1U << 31U;
    Places places[4];
    for (std::uint32_t i = 0; i < code_.param_count; ++i) {
        numbers_[i] = static_cast<std::uint16_t>(i);
        places[static_cast<std::size_t>(reps_[i])].push({ranges[i].last, i});
    }
    std::uint32_t word_count = 0;
    const auto place_for = [&](Rep rep, const LiveRange& range) {
        Places& of_rep = places[static_cast<std::size_t>(rep)];
        std::uint32_t number = 0;
        if (!of_rep.empty() && of_rep.top().last < range.first) {
            number = of_rep.top().number;
            of_rep.pop();
        } else if (rep == Rep::word) {
            number = is_word | word_count++;
        } else {
            number = static_cast<std::uint32_t>(function_.reps.size());
            function_.reps.push_back(rep);
        }
        of_rep.push({range.last, number});
        return number;
    };
    std::vector<std::uint32_t> chosen(reps_.size());
    for (const Register reg : order) {
        chosen[reg] = place_for(reps_[reg], ranges[reg]);
        if (is_range_loop_[reg]) {
            counts_[reg] = static_cast<std::uint16_t>(place_for(Rep::number, ranges[reg]));
        }
    }
    function_.word_begin = static_cast<std::uint16_t>(function_.reps.size());
    function_.reps.resize(function_.reps.size() + word_count, Rep::word);
    for (const Register reg : order) {
        const std::uint32_t number = chosen[reg];
        const bool is_new_word = (number & is_word) != 0;
        numbers_[reg] = static_cast<std::uint16_t>(
            is_new_word ? function_.word_begin + (number & ~is_word) : number);
    }
    for (const Register reg : code_.captures) function_.captures.push_back(numbers_[reg]);
}

}  // namespace gyre::vela::vm
