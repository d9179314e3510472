// SPDX-License-Identifier: Apache-2.0
// Natives: the operators and the standard surface, as functions over values; for any interpreter.
// Arguments come in the order of the declaration in the standard text; one that was left out is
// void at its place, or missing at the end. They throw Thrown where the program would see an error.
#pragma once

#include "lang/vela/reference/runtime.hpp"

namespace gyre::vela {

// ---- operators
// All but && || ?? and the ranges, which are no plain functions of two values.
[[nodiscard]] Value binary(Runtime& runtime, TokenKind op, const Value& left, const Value& right);
[[nodiscard]] Value unary(Runtime& runtime, TokenKind op, const Value& operand);
[[nodiscard]] Value range(Runtime& runtime, const Value& first, const Value& last, bool inclusive);
[[nodiscard]] Value element(Runtime& runtime, const Value& sequence, const Value& position);
void set_element(Runtime& runtime, const Value& sequence, const Value& position, Value value);
// The items of a list, queue, set or range; the pairs of a map. A copy: what is looped over may
// change meanwhile.
[[nodiscard]] Values items_of(Runtime& runtime, const Value& sequence);

// ---- text and literals
// Of a piece of a string literal: escapes are read unless it is raw.
[[nodiscard]] std::string unescaped(std::string_view raw);
[[nodiscard]] Value integer_literal(std::string_view digits, bool is_negative = false);

// ---- what a value is
// The declared type of a value, of the standard surface or of the program; none for tuples and
// functions.
[[nodiscard]] const TypeInfo* type_of(const Runtime& runtime, const Value& value);
// A field or a method of a type or its bases, and those of Option and Result.
struct FoundMember {
    const FieldInfo* field = nullptr;
    const FunctionInfo* method = nullptr;
};
[[nodiscard]] FoundMember find_member(const TypeInfo* type, std::string_view name,
                                      bool is_static = false);
// Where a list literal stands for a queue or a set, and {} for a set.
[[nodiscard]] Value fitted(Runtime& runtime, Value value, const TypeInfo* wanted);
// What a field without a value is filled with; none where a class must be made.
[[nodiscard]] std::optional<Value> empty_value(Runtime& runtime, const TypeInfo& type);

// ---- the standard surface
// `self` is void for functions without an object.
[[nodiscard]] Value call_native(Runtime& runtime, const FunctionInfo& function, const Value& self,
                                const Values& args);
// What call_native gave, as a value of that type: the sum of no Floats is 0.0.
[[nodiscard]] Value with_zero_of(const Runtime& runtime, const Value& value, const Type* type);
// Whether call_native knows it; all but what needs sockets.
[[nodiscard]] bool has_native(const FunctionInfo& function);
[[nodiscard]] Value native_field(Runtime& runtime, std::string_view name, const Value& self);
// Promise, collections; none for what is made of fields like any class (errors too).
[[nodiscard]] std::optional<Value> make_native(Runtime& runtime, const TypeInfo& type);
// A method of a standard type as a value.
[[nodiscard]] Value native_function(Runtime& runtime, const FunctionInfo& function, Value self);
// A variant as a function of its payload.
[[nodiscard]] Value variant_function(Runtime& runtime, std::string_view name);

}  // namespace gyre::vela
