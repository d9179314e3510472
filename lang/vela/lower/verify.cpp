// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/lower.hpp"

#include <algorithm>

#include "lang/vela/lower/internal/flow.hpp"
#include "lang/vela/lower/internal/type_rules.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace {

class Verifier {
public:
    Verifier(const Code& code, Types& types) : code_(code), types_(types) {}

    std::vector<std::string> run() {
        if (!is_well_formed()) return problems_;
        const Flow flow(code_);
        check_reachable(flow);
        check_written_before_read(flow);
        for (std::uint32_t at = 0; at < count(); ++at) {
            const std::string wrong =
                internal::TypeRules(code_, code_.instructions[at], types_).problem();
            if (!wrong.empty()) report(at, wrong);
        }
        return problems_;
    }

private:
    std::uint32_t count() const { return static_cast<std::uint32_t>(code_.instructions.size()); }

    void report(std::uint32_t at, std::string_view text) {
        constexpr std::size_t problem_count_max = 20;
        if (problems_.size() >= problem_count_max) return;
        const std::string_view op =
            at < count() ? info_of(code_.instructions[at].op).name : std::string_view("end");
        problems_.push_back(concat(code_.name, " at ", std::to_string(at), " (", op, "): ", text));
    }

    // Whether all indices are in range; the other checks rely on that.
    bool is_well_formed() {
        if (code_.instructions.empty() || !info_of(code_.instructions.back().op).is_end) {
            report(count(), "control runs past the end of the code");
        }
        if (code_.param_count > code_.registers.size()) report(0, "more parameters than registers");
        for (const Register capture : code_.captures) {
            if (capture >= code_.registers.size())
                report(0, "captures a register that does not exist");
        }
        for (std::uint32_t at = 0; at < count(); ++at) well_formed(at);
        check_states();
        return problems_.empty();
    }

    void well_formed(std::uint32_t at) {
        const Instruction& instruction = code_.instructions[at];
        const OpInfo& info = info_of(instruction.op);
        if (info.has_result != (instruction.to != no_register))
            report(at, "has a result register where it must not, or the reverse");
        if (info.has_result && instruction.to >= code_.registers.size()) {
            return report(at, "writes a register that does not exist");
        }
        if (std::size_t{instruction.first} + instruction.count > code_.operands.size()) {
            return report(at, "reads outside of the operands");
        }
        for (const Register read : code_.reads(instruction)) {
            if (read >= code_.registers.size()) report(at, "reads a register that does not exist");
        }
        const bool is_jump = instruction.op == Op::jump || instruction.op == Op::branch ||
                             instruction.op == Op::next_item;
        if (is_jump && instruction.target >= count()) report(at, "jumps outside of the code");
        if (instruction.op == Op::branch && instruction.other >= count()) {
            report(at, "jumps outside of the code");
        }
        if (instruction.op == Op::choose) {
            if (std::size_t{instruction.target} + instruction.other > code_.targets.size()) {
                return report(at, "chooses outside of the targets");
            }
            for (std::uint32_t i = 0; i < instruction.other; ++i) {
                if (code_.targets[instruction.target + i] >= count()) {
                    report(at, "jumps outside of the code");
                }
            }
        }
        if (instruction.handler == no_handler) return;
        if (!info.can_throw) report(at, "has a handler but cannot throw");
        if (instruction.handler >= code_.handlers.size())
            return report(at, "its handler does not exist");
        const std::uint32_t target = code_.handlers[instruction.handler];
        if (target >= count() || code_.instructions[target].op != Op::caught) {
            report(at, "its handler does not begin with caught");
        }
    }

    void check_states() {
        std::size_t suspends = 0;
        for (std::uint32_t at = 0; at < count(); ++at) {
            const Instruction& instruction = code_.instructions[at];
            if (!can_suspend(instruction.op)) continue;
            ++suspends;
            if (instruction.op == Op::yield && code_.kind != CodeKind::generator) {
                report(at, "yields outside of a generator");
            }
            if (instruction.number >= code_.states.size() || instruction.number == 0) {
                report(at, "its state does not exist");
                continue;
            }
            const State& state = code_.states[instruction.number];
            const StateKind kind =
                instruction.op == Op::await ? StateKind::await : StateKind::yield;
            if (state.at != at || state.resume != at + 1 || state.kind != kind) {
                report(at, "its state belongs to another instruction");
            }
        }
        const std::size_t wanted = code_.kind == CodeKind::plain ? 0 : suspends + 1;
        if (code_.states.size() != wanted)
            report(0, "the numbers of states and suspensions differ");
        if (code_.kind == CodeKind::plain && suspends > 0) report(0, "a plain function suspends");
    }

    void check_reachable(const Flow& flow) {
        std::vector<bool> is_reached(count());
        std::vector<std::uint32_t> open{0};
        is_reached[0] = true;
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            open.pop_back();
            for (const Edge& edge : flow.out_of(at)) {
                if (is_reached[edge.at]) continue;
                is_reached[edge.at] = true;
                open.push_back(edge.at);
            }
        }
        for (std::uint32_t at = 0; at < count(); ++at) {
            if (is_reached[at]) continue;
            const bool is_state = can_suspend(code_.instructions[at].op);
            report(at, is_state ? "its state is unreachable" : "is unreachable");
        }
    }

    bool is_given_at_start(Register reg) const {
        return reg < code_.param_count ||
               std::find(code_.captures.begin(), code_.captures.end(), reg) != code_.captures.end();
    }

    // Walking backwards from a read, every path meets a write before it meets the start or a state
    // that does not keep the register. Every register that a state keeps must be met on such a
    // path.
    void check_written_before_read(const Flow& flow) {
        std::vector<std::vector<std::uint32_t>> reads(code_.registers.size());
        for (std::uint32_t at = 0; at < count(); ++at) {
            for (const Register read : code_.reads(code_.instructions[at])) {
                if (reads[read].empty() || reads[read].back() != at) reads[read].push_back(at);
            }
        }
        std::vector<std::vector<Register>> needed(code_.states.size());
        std::vector<Register> seen(count(), no_register);
        for (Register reg = 0; reg < reads.size(); ++reg) {
            std::vector<std::uint32_t> open = reads[reg];
            for (const std::uint32_t at : open) seen[at] = reg;
            while (!open.empty()) {
                const std::uint32_t at = open.back();
                open.pop_back();
                if (at == 0) {
                    if (!is_given_at_start(reg)) report(0, unwritten(reg));
                    if (!code_.states.empty()) note(needed[0], reg);
                }
                for (const Edge& edge : flow.into(at)) {
                    const Instruction& before = code_.instructions[edge.at];
                    if (before.to == reg && !edge.is_throw) continue;
                    if (can_suspend(before.op)) note(needed[before.number], reg);
                    if (seen[edge.at] == reg) continue;
                    seen[edge.at] = reg;
                    open.push_back(edge.at);
                }
            }
        }
        for (std::size_t i = 0; i < needed.size() && code_.has_all_keeps; ++i) {
            if (needed[i] == code_.states[i].keeps) continue;
            report(code_.states[i].at, concat("state ", state_text(code_, i),
                                              " does not keep exactly the live registers"));
        }
    }

    static void note(std::vector<Register>& registers, Register reg) {
        if (registers.empty() || registers.back() != reg) registers.push_back(reg);
    }

    std::string unwritten(Register reg) const {
        return concat("register ", std::to_string(reg), " `", code_.registers[reg].name,
                      "` may be read before it is written");
    }

    const Code& code_;
    Types& types_;
    std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Code& code, Types& types) {
    return Verifier(code, types).run();
}

std::vector<std::string> verify(const Lowered& lowered, Types& types) {
    std::vector<std::string> all;
    for (const Code& code : lowered.codes) {
        const std::vector<std::string> of_one = verify(code, types);
        all.insert(all.end(), of_one.begin(), of_one.end());
    }
    return all;
}

}  // namespace gyre::vela
