// SPDX-License-Identifier: Apache-2.0
// One call of a lowered function: executes its instructions.
#include <algorithm>

#include "lang/vela/reference/internal/lowered_machine.hpp"

namespace gyre::vela::internal {

LoweredFrame::LoweredFrame(LoweredRun& run, const Code& code, const Values& args,
                           const Values& captured)
    : run_(run), code_(code), registers_(code.registers.size(), Value(run.unwritten)) {
    if (args.size() > code.param_count || captured.size() != code.captures.size()) {
        throw InternalError{code.name + " is called with too much"};
    }
    for (std::size_t i = 0; i < code.param_count; ++i) {
        registers_[i] = i < args.size() ? args[i] : Value(run.missing);
    }
    for (std::size_t i = 0; i < captured.size(); ++i) registers_[code.captures[i]] = captured[i];
    if (!code.states.empty()) rest(code.states[0]);
}

const Value& LoweredFrame::get(Register reg) const {
    if (registers_[reg].thing() == run_.unwritten) {
        throw InternalError{code_.name + " reads register " + std::to_string(reg) + " at " +
                            std::to_string(at_) + ", which holds nothing"};
    }
    return registers_[reg];
}

const Value& LoweredFrame::read(const Instruction& instruction, std::size_t i) const {
    return get(code_.reads(instruction)[i]);
}

Values LoweredFrame::read_all(const Instruction& instruction, std::size_t from) const {
    Values values;
    for (const Register reg : code_.reads(instruction).subspan(from)) values.push_back(get(reg));
    return values;
}

void LoweredFrame::set(const Instruction& instruction, Value value) {
    registers_[instruction.to] = value;
}

// Clears all registers that the state does not keep.
void LoweredFrame::rest(const State& state) {
    if (!code_.has_all_keeps) return;
    Values kept(registers_.size(), Value(run_.unwritten));
    for (const Register reg : state.keeps) kept[reg] = registers_[reg];
    registers_ = std::move(kept);
}

Step LoweredFrame::go_on(const Resume& with) {
    std::optional<Value> error;
    if (is_resting_) {
        is_resting_ = false;
        const Instruction& instruction = code_.instructions[at_];
        if (with.kind == ResumeKind::error) {
            error = with.value;
        } else {
            const bool is_closed = with.kind == ResumeKind::close;
            set(instruction, instruction.op == Op::yield ? Value(is_closed) : with.value);
            ++at_;
        }
    }
    while (true) {
        if (error) {
            const std::uint32_t handler = code_.instructions[at_].handler;
            if (handler == no_handler) return {StepKind::fails, *error};
            caught_ = *error;
            at_ = code_.handlers[handler];
            error.reset();
        }
        try {
            const std::optional<Step> stopped = step();
            if (stopped) return *stopped;
        } catch (const Thrown& thrown) {
            error = thrown.error;
        }
    }
}

std::optional<Step> LoweredFrame::step() {
    run_.runtime.count_step();
    const Instruction& instruction = code_.instructions[at_];
    switch (instruction.op) {
        case Op::await:
        case Op::yield: {
            const Value value = read(instruction, 0);
            rest(code_.states[instruction.number]);
            is_resting_ = true;
            const bool is_await = instruction.op == Op::await;
            return Step{is_await ? StepKind::waits : StepKind::yields, value};
        }
        case Op::return_value:
            return Step{StepKind::ends, read(instruction, 0)};
        case Op::throw_value:
            throw Thrown{read(instruction, 0)};
        case Op::left_out:
            run_.runtime.fail("Error", "this was left out");
        case Op::jump:
            at_ = instruction.target;
            return std::nullopt;
        case Op::branch:
            at_ = *read(instruction, 0).truth() ? instruction.target : instruction.other;
            return std::nullopt;
        case Op::choose: {
            const std::int64_t way = *read(instruction, 0).number();
            if (way < 0 || way >= instruction.other) throw InternalError{"no such way out"};
            at_ = code_.targets[instruction.target + static_cast<std::uint32_t>(way)];
            return std::nullopt;
        }
        case Op::next_item: {
            auto* left = read(instruction, 0).as<ItemsLeft>();
            if (left->next == left->items.size()) {
                at_ = instruction.target;
                return std::nullopt;
            }
            set(instruction, left->items[left->next++]);
            break;
        }
        default:
            values(instruction);
    }
    ++at_;
    return std::nullopt;
}

void LoweredFrame::values(const Instruction& instruction) {
    const bool is_done = variables(instruction) || operators(instruction) || objects(instruction) ||
                         calls(instruction) || tasks(instruction);
    if (!is_done) {
        throw InternalError{"cannot do " + std::string(info_of(instruction.op).name)};
    }
}

bool LoweredFrame::variables(const Instruction& instruction) {
    Heap& heap = run_.runtime.heap;
    switch (instruction.op) {
        case Op::constant: {
            const Constant& constant = code_.constants[instruction.number];
            Value value;
            if (const auto* number = std::get_if<std::int64_t>(&constant)) value = *number;
            if (const auto* real = std::get_if<double>(&constant)) value = *real;
            if (const auto* truth = std::get_if<bool>(&constant)) value = *truth;
            if (const auto* text = std::get_if<std::string>(&constant)) value = heap.text(*text);
            set(instruction, value);
            return true;
        }
        case Op::move:
            set(instruction, read(instruction, 0));
            return true;
        case Op::copy:
            set(instruction, heap.copied(read(instruction, 0)));
            return true;
        case Op::clear:
            set(instruction, run_.missing);
            return true;
        case Op::is_given:
            set(instruction, read(instruction, 0).thing() != run_.missing);
            return true;
        case Op::cell:
            set(instruction, heap.make<Cell>());
            return true;
        case Op::get_cell: {
            const auto* cell = read(instruction, 0).as<Cell>();
            if (!cell->value) run_.runtime.fail("Error", "a variable has no value yet");
            set(instruction, *cell->value);
            return true;
        }
        case Op::set_cell:
            read(instruction, 0).as<Cell>()->value = read(instruction, 1);
            return true;
        case Op::get_global: {
            const Symbol* symbol = instruction.symbol;
            const auto found = run_.globals.find(symbol);
            if (found != run_.globals.end()) {
                set(instruction, found->second);
            } else if (symbol->module->is_standard) {
                set(instruction, heap.make<Object>(known(symbol->type)->info));
            } else {
                run_.runtime.fail("Error", "a variable has no value yet");
            }
            return true;
        }
        case Op::set_global:
            run_.globals[instruction.symbol] = read(instruction, 0);
            return true;
        case Op::caught:
            set(instruction, caught_);
            return true;
        default:
            return false;
    }
}

bool LoweredFrame::operators(const Instruction& instruction) {
    using enum TokenKind;
    Runtime& runtime = run_.runtime;
    const auto apply = [&](TokenKind op) {
        set(instruction, binary(runtime, op, read(instruction, 0), read(instruction, 1)));
        return true;
    };
    const auto apply_to_one = [&](TokenKind op) {
        set(instruction, unary(runtime, op, read(instruction, 0)));
        return true;
    };
    switch (instruction.op) {
        case Op::negate_number:
        case Op::negate_float:
            return apply_to_one(minus);
        case Op::invert:
            return apply_to_one(bang);
        case Op::add_number:
        case Op::add_float:
            return apply(plus);
        case Op::subtract_number:
        case Op::subtract_float:
            return apply(minus);
        case Op::multiply_number:
        case Op::multiply_float:
            return apply(star);
        case Op::divide_number:
        case Op::divide_float:
            return apply(slash);
        case Op::remainder_number:
        case Op::remainder_float:
            return apply(percent);
        case Op::power_number:
        case Op::power_float:
            return apply(star_star);
        case Op::equal:
            return apply(equal);
        case Op::less_number:
        case Op::less_float:
        case Op::less_string:
            return apply(less);
        case Op::less_equal_number:
        case Op::less_equal_float:
        case Op::less_equal_string:
            return apply(less_equal);
        case Op::widen:
            set(instruction, static_cast<double>(*read(instruction, 0).number()));
            return true;
        case Op::text: {
            std::string text;
            for (const Value& value : read_all(instruction)) text += printed(value);
            set(instruction, runtime.heap.text(std::move(text)));
            return true;
        }
        case Op::range:
        case Op::range_inclusive:
            set(instruction, vela::range(runtime, read(instruction, 0), read(instruction, 1),
                                         instruction.op == Op::range_inclusive));
            return true;
        default:
            return false;
    }
}

}  // namespace gyre::vela::internal
