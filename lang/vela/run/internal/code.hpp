// SPDX-License-Identifier: Apache-2.0
// Insn: an instruction of the machine, eight bytes; Function: the instructions of one function,
// which assemble() makes from its lowered Code; Shape: the fields and methods of a class. Plain data,
// not changed while a program runs, except for the call sites that remember a method.
//
// An operand is a register. `Operand` in a list, and the result of an instruction with a list, carry
// the representation of the register in their two highest bits, so that the values of a call are
// converted only where caller and callee differ: between Number and a type parameter, say.
//
// An instruction may be followed by extensions: an offset, a constant, a pointer, a list of operands.
//
// `loop_...` is `jump_...` as the back edge of a loop, with the loop's condition: it counts. `call_0`
// to `call_3` are calls whose operands and result are represented as the function has them.
// `call_await` calls an async function and awaits it: a Future is made only if it has to wait.
// `spawn_call` calls one and spawns it, without another Future than the handle; `spawn_block` does so
// with an async block, whose operands are its captures. `c`: the last operand is the scope.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/vela/lower/detail/code.hpp"
#include "lang/vela/run/internal/word.hpp"

namespace gyre::vela::vm {

// clang-format off
#define GYRE_VELA_INSNS(insn) \
    insn(load_small) insn(load_constant) insn(move) insn(clear) \
    insn(box_number) insn(box_real) insn(box_boolean) \
    insn(unbox_number) insn(unbox_real) insn(unbox_boolean) \
    insn(copy_struct) insn(is_given) \
    insn(new_cell) insn(get_cell) insn(set_cell) insn(get_global) insn(set_global) \
    insn(negate_number) insn(add_number) insn(subtract_number) insn(multiply_number) \
    insn(divide_number) insn(remainder_number) insn(power_number) \
    insn(add_small) insn(subtract_small) insn(multiply_small) insn(divide_small) \
    insn(remainder_small) \
    insn(negate_float) insn(add_float) insn(subtract_float) insn(multiply_float) \
    insn(divide_float) insn(remainder_float) insn(power_float) \
    insn(widen) insn(invert) \
    insn(equal_number) insn(equal_real) insn(equal_word) \
    insn(less_number) insn(less_equal_number) insn(less_float) insn(less_equal_float) \
    insn(less_string) insn(less_equal_string) \
    insn(jump) insn(jump_back) insn(jump_if) insn(jump_unless) \
    insn(jump_less) insn(jump_not_less) insn(jump_less_equal) insn(jump_not_less_equal) \
    insn(jump_equal) insn(jump_not_equal) \
    insn(jump_less_small) insn(jump_not_less_small) insn(jump_less_equal_small) \
    insn(jump_not_less_equal_small) insn(jump_equal_small) insn(jump_not_equal_small) \
    insn(jump_less_float) insn(jump_not_less_float) insn(jump_less_equal_float) \
    insn(jump_not_less_equal_float) \
    insn(loop_less) insn(loop_not_less) insn(loop_less_equal) insn(loop_not_less_equal) \
    insn(loop_equal) insn(loop_not_equal) \
    insn(loop_less_small) insn(loop_not_less_small) insn(loop_less_equal_small) \
    insn(loop_not_less_equal_small) insn(loop_equal_small) insn(loop_not_equal_small) \
    insn(jump_unless_variant) insn(choose) \
    insn(item) insn(payload) insn(is_variant) insn(get_index) insn(get_index_number) insn(set_index) \
    insn(get_slot) insn(get_word) insn(set_slot) insn(length) insn(push_item) insn(new_object) \
    insn(range_begin) insn(range_next) insn(range_loop) insn(iterate) insn(next_item) \
    insn(text) insn(range) insn(tuple) insn(list) insn(map) insn(variant) insn(create) \
    insn(closure) insn(native_field) insn(matches_route) insn(is_class) insn(failure) \
    insn(call) insn(call_0) insn(call_1) insn(call_2) insn(call_3) insn(call_async) \
    insn(call_await) insn(spawn_call) insn(spawn_block) \
    insn(call_native) insn(call_method) insn(call_value) \
    insn(spawn_task) insn(spawn_actor) insn(actor_self) insn(send) insn(dead_letter) \
    insn(open_scope) insn(join_scope) insn(cancel_scope) insn(close_stream) \
    insn(await) insn(yield) insn(caught) insn(throw_value) insn(return_value) insn(return_async) \
    insn(left_out)
// clang-format on

enum class InsnOp : std::uint16_t {
#define GYRE_VELA_INSN(name) name,
    GYRE_VELA_INSNS(GYRE_VELA_INSN)
#undef GYRE_VELA_INSN
};

struct Insn {
    InsnOp op = InsnOp::left_out;
    std::uint16_t a = 0;
    std::uint16_t b = 0;
    std::uint16_t c = 0;
};
static_assert(sizeof(Insn) == 8);

// An extension as what it holds.
template <class T>
[[nodiscard]] T extension(const Insn& insn) noexcept {
    static_assert(sizeof(T) == sizeof(Insn));
    return std::bit_cast<T>(insn);
}
// The 32 bits in b and c.
[[nodiscard]] inline std::int32_t wide(const Insn& insn) noexcept {
    return static_cast<std::int32_t>(std::uint32_t{insn.b} | std::uint32_t{insn.c} << 16U);
}
[[nodiscard]] inline std::int16_t signed_c(const Insn& insn) noexcept {
    return static_cast<std::int16_t>(insn.c);
}

using Operand = std::uint16_t;
inline constexpr std::uint16_t register_count_max = 1U << 14U;
[[nodiscard]] inline Operand operand_of(std::uint16_t reg, Rep rep) noexcept {
    return static_cast<Operand>(reg | static_cast<unsigned>(rep) << 14U);
}
[[nodiscard]] inline std::uint16_t register_of(Operand operand) noexcept {
    return operand & (register_count_max - 1);
}
[[nodiscard]] inline Rep rep_of(Operand operand) noexcept {
    return static_cast<Rep>(operand >> 14U);
}

struct Function {
    // What a call reads, first: set when the function is assembled.
    const Insn* entry = nullptr;
    std::uint32_t slot_count = 0;
    std::uint16_t param_count = 0;
    std::uint16_t word_begin = 0;  // from here on all registers hold words, which begin as 0
    Rep result = Rep::word;
    bool needs_frame = false;  // its body is referred to as a Future: it opens a scope

    const Code* code = nullptr;
    std::string_view future_name;  // of the futures of an async one, for reports
    std::vector<Insn> insns;
    // For each instruction the index of the lowered one: its place and its handler.
    std::vector<std::uint32_t> sources;
    // For each lowered instruction its first instruction; for targets of handlers and states.
    std::vector<std::uint32_t> starts;
    std::vector<Rep> reps;  // of all registers; the parameters are the first
    std::vector<std::uint16_t> captures;
    std::unordered_set<std::uint64_t> texts;  // its constants that are things, as words

    [[nodiscard]] std::size_t register_count() const noexcept { return reps.size(); }
    [[nodiscard]] const Insn* begin() const noexcept { return insns.data(); }
};

struct FieldPlace {
    std::uint16_t slot = 0;
    Rep rep = Rep::word;
};

// A method as a call finds it: of the program, or native.
struct Target {
    const Function* function = nullptr;
    const FunctionInfo* native = nullptr;
};

struct Shape {
    const TypeInfo* type = nullptr;
    std::vector<const FieldInfo*> fields;
    std::vector<Rep> reps;
    bool is_struct = false;
    bool is_error = false;              // printed as one
    bool has_standard_fields = false;   // which begin with values
    const Function* handler = nullptr;  // of an actor
    mutable std::unordered_map<const FunctionInfo*, Target> methods;
};

// A program in the form that runs. Belongs to one thread.
struct Assembled {
    const Lowered* lowered = nullptr;
    std::unordered_map<const Code*, std::unique_ptr<Function>> functions;
    std::unordered_map<const TypeInfo*, std::unique_ptr<Shape>> shapes;
    std::unordered_map<const FieldInfo*, FieldPlace> places;
    std::unordered_map<const Symbol*, std::uint32_t> globals;
    std::vector<const Symbol*> global_symbols;
    std::unordered_set<const FunctionInfo*> overridden;  // methods that a class below has anew
    bool may_grow = false;  // a class that overrides any method may still come

    [[nodiscard]] const Function* function_of(const Code* code) const {
        return functions.at(code).get();
    }
    [[nodiscard]] const Shape& shape_of(const TypeInfo* type) const { return *shapes.at(type); }
};

}  // namespace gyre::vela::vm
