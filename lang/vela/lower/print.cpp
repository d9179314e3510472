// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/lower.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace {

class Printer {
public:
    explicit Printer(const Code& code) : code_(code) {
        // Variables of the same name get a number.
        std::map<std::string_view, int> counts;
        for (Register reg = 0; reg < code.registers.size(); ++reg) {
            const std::string_view name = code.registers[reg].name;
            if (name.empty()) {
                names_.push_back(concat("%", std::to_string(reg)));
                continue;
            }
            const int count = ++counts[name];
            names_.push_back(count == 1 ? std::string(name)
                                        : concat(name, ".", std::to_string(count)));
        }
    }

    std::string state(std::size_t number) const {
        const State& state = code_.states[number];
        std::string text = state_name(number);
        if (!code_.has_all_keeps) text += "(...)";
        if (!state.keeps.empty()) text += concat("(", list(state.keeps), ")");
        return text;
    }

    std::string run() {
        std::string text = head();
        std::string states;
        for (std::size_t i = 0; i < code_.states.size(); ++i) {
            states += concat(i == 0 ? "" : ", ", state(i));
        }
        if (!states.empty()) text += concat("  states: ", states, "\n");
        if (!states.empty()) text += "Start:\n";
        for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
            const Instruction& instruction = code_.instructions[at];
            std::string number = std::to_string(at);
            text += concat(std::string(number.size() < 5 ? 5 - number.size() : 0, ' '), number,
                           "  ", line(instruction), "\n");
            if (can_suspend(instruction.op)) text += concat(state_name(instruction.number), ":\n");
        }
        return text;
    }

private:
    std::string state_name(std::size_t number) const {
        const State& state = code_.states[number];
        if (state.kind == StateKind::start) return "Start";
        return concat(state.kind == StateKind::await ? "Await" : "Yield", std::to_string(number));
    }

    std::string list(std::span<const Register> registers) const {
        std::string text;
        for (const Register reg : registers) {
            text += concat(text.empty() ? "" : ", ", names_[reg]);
        }
        return text;
    }

    std::string head() const {
        std::string params;
        for (Register reg = 0; reg < code_.param_count; ++reg) {
            params += concat(reg == 0 ? "" : ", ", names_[reg], ": ",
                             type_text(code_.registers[reg].type));
        }
        const std::string_view kind = code_.kind == CodeKind::plain   ? "fn "
                                      : code_.kind == CodeKind::async ? "async fn "
                                                                      : "async generator ";
        const Type* result = code_.yields != nullptr ? code_.yields : code_.result;
        std::string text = concat(kind, code_.name, "(", params, ") -> ", type_text(result), "\n");
        if (!code_.captures.empty()) text += concat("  captures: ", list(code_.captures), "\n");
        return text;
    }

    std::string subject(const Instruction& instruction) const {
        switch (instruction.op) {
            case Op::constant:
                return constant(code_.constants[instruction.number]);
            case Op::get_global:
            case Op::set_global:
                return std::string(instruction.symbol->name.text);
            case Op::item:
                return std::to_string(instruction.number);
            case Op::payload:
                return concat(instruction.variant->name.text, ".",
                              std::to_string(instruction.number));
            case Op::variant:
            case Op::is_variant:
                return std::string(instruction.variant->name.text);
            case Op::create:
            case Op::is_class:
                return std::string(instruction.type->name.text);
            case Op::get_field:
            case Op::set_field:
                return std::string(instruction.field->name.text);
            case Op::closure:
            case Op::call:
                return instruction.code->name;
            case Op::call_native:
            case Op::call_method:
                return function_name(*instruction.function);
            default:
                return {};
        }
    }

    static std::string function_name(const FunctionInfo& function) {
        const std::string_view own = function.node->kind == DeclKind::constructor
                                         ? std::string_view("constructor")
                                         : function.name.text;
        return function.owner == nullptr ? std::string(own)
                                         : concat(function.owner->name.text, ".", own);
    }

    static std::string constant(const Constant& value) {
        if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
        if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
        if (const auto* real = std::get_if<double>(&value)) {
            char digits[40];
            const auto end = std::to_chars(digits, digits + sizeof(digits), *real);
            return std::string(digits, end.ptr);
        }
        const auto* text = std::get_if<std::string>(&value);
        if (text == nullptr) return "()";
        std::string quoted = "\"";
        for (const char c : *text) {
            if (c == '\n') {
                quoted += "\\n";
            } else if (c == '"' || c == '\\') {
                quoted += {'\\', c};
            } else {
                quoted += c;
            }
        }
        return quoted + "\"";
    }

    std::string line(const Instruction& instruction) const {
        std::string text;
        if (instruction.to != no_register) text += concat(names_[instruction.to], " = ");
        text += info_of(instruction.op).name;
        if (const std::string what = subject(instruction); !what.empty()) text += concat(" ", what);
        const std::span<const Register> reads = code_.reads(instruction);
        const bool is_call = instruction.op >= Op::closure && instruction.op <= Op::call_value;
        if (is_call) {
            text += concat("(", list(reads), ")");
        } else if (!reads.empty()) {
            text += concat(" ", list(reads));
        }
        const auto place = [](std::uint32_t at) { return concat("@", std::to_string(at)); };
        if (instruction.op == Op::jump) text += concat(" ", place(instruction.target));
        if (instruction.op == Op::next_item) text += concat(" else ", place(instruction.target));
        if (instruction.op == Op::branch) {
            text += concat(" ", place(instruction.target), " else ", place(instruction.other));
        }
        if (instruction.op == Op::choose) {
            for (std::uint32_t i = 0; i < instruction.other; ++i) {
                text += concat(i == 0 ? " " : ", ", place(code_.targets[instruction.target + i]));
            }
        }
        if (can_suspend(instruction.op)) text += concat("  ; ", state(instruction.number));
        if (instruction.handler != no_handler) {
            text += concat("  ! ", place(code_.handlers[instruction.handler]));
        }
        return text;
    }

    const Code& code_;
    std::vector<std::string> names_;
};

}  // namespace

std::string state_text(const Code& code, std::size_t state) {
    return Printer(code).state(state);
}

std::string print(const Code& code) {
    return Printer(code).run();
}

std::string print(const Lowered& lowered) {
    std::string text;
    for (const Module* module : lowered.program->order) {
        // In the order of the source text; functions of one place in the order they were made.
        std::vector<std::pair<std::uint32_t, std::size_t>> codes;
        for (std::size_t i = 0; i < lowered.codes.size(); ++i) {
            const Code& code = lowered.codes[i];
            const bool is_empty = code.name == "globals" && code.instructions.size() <= 2;
            if (code.module == module && !is_empty) codes.emplace_back(code.place.begin, i);
        }
        std::sort(codes.begin(), codes.end());
        for (const auto& [place, i] : codes) {
            text += concat(text.empty() ? "" : "\n", print(lowered.codes[i]));
        }
    }
    return text;
}

}  // namespace gyre::vela
