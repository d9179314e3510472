// SPDX-License-Identifier: Apache-2.0
// Code: a Vela function as instructions over registers; an async function or generator as a state
// machine. docs/vela-instructions.md says what each instruction does. Plain data, made by lower()
// and not changed afterwards. It points into its Program, which outlives it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "lang/vela/check/check.hpp"

namespace gyre::vela {

// Name; whether it writes a register, may throw, never continues at the next instruction.
// clang-format off
#define GYRE_VELA_OPS(op)                  \
    op(constant, 1, 0, 0)                  \
    op(move, 1, 0, 0)                      \
    op(copy, 1, 0, 0)                      \
    op(clear, 1, 0, 0)                     \
    op(is_given, 1, 0, 0)                  \
    op(cell, 1, 0, 0)                      \
    op(get_cell, 1, 1, 0)                  \
    op(set_cell, 0, 0, 0)                  \
    op(get_global, 1, 1, 0)                \
    op(set_global, 0, 0, 0)                \
    op(negate_number, 1, 1, 0)             \
    op(add_number, 1, 1, 0)                \
    op(subtract_number, 1, 1, 0)           \
    op(multiply_number, 1, 1, 0)           \
    op(divide_number, 1, 1, 0)             \
    op(remainder_number, 1, 1, 0)          \
    op(power_number, 1, 1, 0)              \
    op(negate_float, 1, 0, 0)              \
    op(add_float, 1, 0, 0)                 \
    op(subtract_float, 1, 0, 0)            \
    op(multiply_float, 1, 0, 0)            \
    op(divide_float, 1, 0, 0)              \
    op(remainder_float, 1, 0, 0)           \
    op(power_float, 1, 0, 0)               \
    op(widen, 1, 0, 0)                     \
    op(invert, 1, 0, 0)                    \
    op(equal, 1, 0, 0)                     \
    op(less_number, 1, 0, 0)               \
    op(less_equal_number, 1, 0, 0)         \
    op(less_float, 1, 0, 0)                \
    op(less_equal_float, 1, 0, 0)          \
    op(less_string, 1, 0, 0)               \
    op(less_equal_string, 1, 0, 0)         \
    op(text, 1, 1, 0)                      \
    op(range, 1, 0, 0)                     \
    op(range_inclusive, 1, 0, 0)           \
    op(tuple, 1, 0, 0)                     \
    op(item, 1, 0, 0)                      \
    op(list, 1, 1, 0)                      \
    op(map, 1, 1, 0)                       \
    op(get_index, 1, 1, 0)                 \
    op(set_index, 0, 1, 0)                 \
    op(variant, 1, 0, 0)                   \
    op(is_variant, 1, 0, 0)                \
    op(payload, 1, 0, 0)                   \
    op(matches_route, 1, 0, 0)             \
    op(create, 1, 1, 0)                    \
    op(get_field, 1, 1, 0)                 \
    op(set_field, 0, 0, 0)                 \
    op(closure, 1, 0, 0)                   \
    op(call, 1, 1, 0)                      \
    op(call_native, 1, 1, 0)               \
    op(call_method, 1, 1, 0)               \
    op(call_value, 1, 1, 0)                \
    op(actor_self, 1, 0, 0)                \
    op(spawn_task, 1, 1, 0)                \
    op(spawn_actor, 1, 1, 0)               \
    op(send, 0, 1, 0)                      \
    op(dead_letter, 0, 0, 0)               \
    op(open_scope, 1, 0, 0)                \
    op(join_scope, 1, 0, 0)                \
    op(cancel_scope, 1, 0, 0)              \
    op(iterate, 1, 0, 0)                   \
    op(next_item, 1, 0, 0)                 \
    op(close_stream, 1, 0, 0)              \
    op(await, 1, 1, 0)                     \
    op(yield, 1, 1, 0)                     \
    op(jump, 0, 0, 1)                      \
    op(branch, 0, 0, 1)                    \
    op(choose, 0, 0, 1)                    \
    op(caught, 1, 0, 0)                    \
    op(is_class, 1, 0, 0)                  \
    op(failure, 1, 0, 0)                   \
    op(throw_value, 0, 1, 1)               \
    op(return_value, 0, 0, 1)              \
    op(left_out, 0, 1, 1)
// clang-format on

enum class Op : std::uint8_t {
#define GYRE_VELA_OP(name, writes, throws, ends) name,
    GYRE_VELA_OPS(GYRE_VELA_OP)
#undef GYRE_VELA_OP
};

struct OpInfo {
    std::string_view name;
    bool has_result;
    bool can_throw;
    bool is_end;
};
[[nodiscard]] std::span<const OpInfo> all_ops();
[[nodiscard]] inline const OpInfo& info_of(Op op) {
    return all_ops()[static_cast<std::size_t>(op)];
}
[[nodiscard]] inline bool can_suspend(Op op) {
    return op == Op::await || op == Op::yield;
}

using Register = std::uint32_t;
inline constexpr Register no_register = UINT32_MAX;
inline constexpr std::uint32_t no_handler = UINT32_MAX;

struct Code;

struct Instruction {
    Op op = Op::clear;
    Register to = no_register;
    // The registers it reads, in Code::operands.
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    // Where it jumps: a jump; a branch if true; next_item at the end; for a choose, the first of
    // its targets in Code::targets.
    std::uint32_t target = 0;
    // Where a branch jumps if false; the number of targets of a choose.
    std::uint32_t other = 0;
    // The index of a constant in Code::constants, of an item or payload, or of a state in
    // Code::states.
    std::uint32_t number = 0;
    // Where control goes if it throws, in Code::handlers.
    std::uint32_t handler = no_handler;
    Span place;
    union {
        const void* nothing = nullptr;
        const Code* code;              // call, closure
        const FunctionInfo* function;  // call_native, call_method
        const FieldInfo* field;        // get_field, set_field
        const VariantInfo* variant;    // variant, is_variant, payload
        const TypeInfo* type;          // create, is_class, list
        const Symbol* symbol;          // get_global, set_global
    };
};

// A value of void, Number, Float, Bool or String.
using Constant = std::variant<std::monostate, std::int64_t, double, bool, std::string>;

struct RegisterInfo {
    const Type* type = nullptr;
    std::string_view name;  // of a variable; empty for a temporary
    // Holds a cell with a value of the type: the variable is shared with other functions.
    bool is_cell = false;
};

enum class StateKind : std::uint8_t { start, await, yield };

// A suspension of the state machine. State 0 is Start.
struct State {
    StateKind kind = StateKind::start;
    std::uint32_t at = 0;      // the instruction that suspends; for Start the first
    std::uint32_t resume = 0;  // the instruction to continue at
    // The live registers, in order: exactly those that are read afterwards.
    std::vector<Register> keeps;
};

enum class CodeKind : std::uint8_t { plain, async, generator };

struct Code {
    std::string name;
    CodeKind kind = CodeKind::plain;
    const Module* module = nullptr;
    const FunctionInfo* function = nullptr;  // null for lambdas and generated functions
    Span place;
    const Type* result = nullptr;  // of the body: without the Future of an async one
    const Type* yields = nullptr;

    std::vector<RegisterInfo> registers;
    std::uint32_t param_count = 0;   // the first registers; `this` is the first of a method's
    std::vector<Register> captures;  // filled by the closure
    std::vector<Instruction> instructions;
    std::vector<Register> operands;
    std::vector<std::uint32_t> targets;
    std::vector<std::uint32_t> handlers;  // each the index of a `caught`
    std::vector<Constant> constants;
    std::vector<State> states;  // empty for a plain function
    // False: the suspensions keep too many registers to list them (Liveness::kept_count_max).
    bool has_all_keeps = true;

    [[nodiscard]] std::span<const Register> reads(const Instruction& instruction) const {
        return std::span(operands).subspan(instruction.first, instruction.count);
    }
};

// A whole program. Belongs to one thread.
struct Lowered {
    const Program* program = nullptr;
    std::deque<Code> codes;
    std::unordered_map<const FunctionInfo*, Code*> functions;
    // For a struct, class or actor: the code that initializes its fields. It takes the object and,
    // for each of its own fields, a value or nothing.
    std::unordered_map<const TypeInfo*, Code*> fields;
    // The code that runs before main, in order.
    std::vector<const Code*> globals;
    const Code* main = nullptr;
};

}  // namespace gyre::vela
