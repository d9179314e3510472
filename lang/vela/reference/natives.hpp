// SPDX-License-Identifier: Apache-2.0
// Natives: the operators and the standard surface, as functions over values; for any interpreter.
// Arguments are in the order of the declaration in the standard text; an omitted argument is void,
// or missing at the end. They throw Thrown for errors of the program.
#pragma once

#include "lang/vela/reference/runtime.hpp"

namespace gyre::vela {

// ---- operators
// All but && || ?? and ranges, which are not plain functions of two values.
[[nodiscard]] Value binary(Runtime& runtime, TokenKind op, const Value& left, const Value& right);
[[nodiscard]] Value unary(Runtime& runtime, TokenKind op, const Value& operand);
[[nodiscard]] Value range(Runtime& runtime, const Value& first, const Value& last, bool inclusive);
[[nodiscard]] Value element(Runtime& runtime, const Value& sequence, const Value& position);
void set_element(Runtime& runtime, const Value& sequence, const Value& position, Value value);
// The items of a list, queue, set or range; the pairs of a map. A copy, because the collection may
// change during the loop.
[[nodiscard]] Values items_of(Runtime& runtime, const Value& sequence);

// ---- text and literals
// The text of a piece of a string literal: escapes are decoded unless it is raw.
[[nodiscard]] std::string unescaped(std::string_view raw);
[[nodiscard]] Value integer_literal(std::string_view digits, bool is_negative = false);

// ---- what a value is The declared type of a value; null for tuples and functions.
[[nodiscard]] const TypeInfo* type_of(const Runtime& runtime, const Value& value);
// A field or a method of a type or its bases, and those of Option and Result.
struct FoundMember {
    const FieldInfo* field = nullptr;
    const FunctionInfo* method = nullptr;
};
[[nodiscard]] FoundMember find_member(const TypeInfo* type, std::string_view name,
                                      bool is_static = false);
// Converts a list literal to a queue or a set, and {} to a set.
[[nodiscard]] Value fitted(Runtime& runtime, Value value, const TypeInfo* wanted);
// The default value of a type; none for a class.
[[nodiscard]] std::optional<Value> empty_value(Runtime& runtime, const TypeInfo& type);

// ---- the standard surface
// `self` is void for functions without an object.
[[nodiscard]] Value call_native(Runtime& runtime, const FunctionInfo& function, const Value& self,
                                const Values& args);
// Converts a result of call_native to the type: the sum of no Floats is 0.0.
[[nodiscard]] Value with_zero_of(const Runtime& runtime, const Value& value, const Type* type);
// Whether call_native implements it: all functions except those that need sockets.
[[nodiscard]] bool has_native(const FunctionInfo& function);
[[nodiscard]] Value native_field(Runtime& runtime, std::string_view name, const Value& self);
// Constructs a promise or a collection; none for types constructed from fields, such as errors.
[[nodiscard]] std::optional<Value> make_native(Runtime& runtime, const TypeInfo& type);
// A method of a standard type as a value.
[[nodiscard]] Value native_function(Runtime& runtime, const FunctionInfo& function, Value self);
// A variant as a function of its payload.
[[nodiscard]] Value variant_function(Runtime& runtime, std::string_view name);

}  // namespace gyre::vela
