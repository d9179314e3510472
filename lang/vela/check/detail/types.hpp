// SPDX-License-Identifier: Apache-2.0
// Types: the types of a Vela program, what is known of each declared type and function, and how
// types relate. `assign` is subtyping with inference: it decides whether a value of one type may
// stand where another is wanted, and sets type variables on the way; if the answer is no, it resets
// them.
//
// Made by one check, in the arena of its Program. Afterwards only the value of a type variable
// changes, which inference sets once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

struct TypeInfo;
struct Module;
struct Symbol;

enum class TypeSort : std::uint8_t {
    error,      // of an expression with a reported error; agrees with every type
    never,      // of an expression that does not return; fits every type
    variable,   // an inference variable
    parameter,  // a type parameter inside its declaration
    nominal,    // a declared type with its arguments
    tuple,
    function,
};

struct Type {
    TypeSort sort = TypeSort::error;
    const TypeInfo* info = nullptr;
    std::span<const Type* const> args;  // of a nominal; items of a tuple; parameters of a function
    const Type* result = nullptr;       // of a function
    std::string_view name;              // of a parameter
    mutable const Type* bound = nullptr;  // of a parameter, set when its declaration is read
    mutable const Type* value = nullptr;  // of a variable, set by inference
    bool is_ground = false;               // contains no variable and no parameter
};

// The value of a variable, or the type itself.
[[nodiscard]] inline const Type* known(const Type* type) noexcept {
    while (type->sort == TypeSort::variable && type->value != nullptr) type = type->value;
    return type;
}
[[nodiscard]] inline bool is_sort(const Type* type, TypeSort sort) noexcept {
    return known(type)->sort == sort;
}

struct ParamInfo {
    Name name;
    const Type* type = nullptr;
    bool has_value = false;
};

struct FunctionInfo {
    Name name;
    const Module* module = nullptr;
    const FunctionDecl* node = nullptr;
    const TypeInfo* owner = nullptr;
    std::vector<const Type*> generics;
    std::vector<ParamInfo> params;
    const Type* result = nullptr;       // of a call
    const Type* body_result = nullptr;  // of the body: without the Future of an async fn
    const Type* yields = nullptr;       // of a generator
    bool is_static = false;
    Visibility visibility = Visibility::unsaid;
};

struct FieldInfo {
    Name name;
    const Type* type = nullptr;
    const FieldDecl* node = nullptr;
    const TypeInfo* owner = nullptr;
};

struct VariantInfo {
    Name name;
    std::vector<ParamInfo> args;
    const TypeInfo* owner = nullptr;
};

// The members of a type by their names. Made by Types::find_member for types with many members.
struct MemberIndex {
    std::size_t count = 0;  // of the members when it was made
    std::unordered_map<std::string_view, const FieldInfo*> fields;
    std::unordered_map<std::string_view, const FunctionInfo*> methods[2];  // the static ones second
    std::unordered_map<std::string_view, const VariantInfo*> variants;
};

// A struct, class, actor, interface or enum.
struct TypeInfo {
    DeclKind kind = DeclKind::klass;
    Name name;
    const Module* module = nullptr;
    const Decl* node = nullptr;
    std::vector<const Type*> params;
    const Type* self = nullptr;  // with its own parameters as arguments
    const Type* base = nullptr;
    std::vector<const Type*> interfaces;
    std::vector<FieldInfo> fields;
    std::vector<FunctionInfo*> methods;
    std::vector<FunctionInfo*> constructors;
    std::vector<VariantInfo> variants;
    std::vector<TypeInfo*> nested;
    // Of an enum of the standard surface: the class that declares its methods.
    const TypeInfo* members = nullptr;
    mutable std::unique_ptr<MemberIndex> index;
    bool is_abstract = false;
    bool is_standard = false;
};

// "Future<String>", "(Number) -> Bool"; arguments that are not determined are left out, or "?".
[[nodiscard]] std::string type_text(const Type* type);

// The types of the standard surface that the rules of the language use.
struct Builtins {
    const TypeInfo *number, *real, *string, *boolean, *nothing, *sequence, *list, *range, *queue,
        *set, *map, *option, *result, *error, *cancelled, *future, *task, *iterator, *actor_ref,
        *eventual, *route_path, *json;
};

// A field or a method found in a type or its bases, with the type it was found in as `owner`.
struct Member {
    const FieldInfo* field = nullptr;
    const FunctionInfo* method = nullptr;
    const Type* owner = nullptr;

    explicit operator bool() const noexcept { return field != nullptr || method != nullptr; }
};

// The constructor of a type: its own, or that of its base if it adds no fields; null if it is
// constructed from its fields.
[[nodiscard]] const FunctionInfo* constructor_of(const TypeInfo& info);

// Null: the enum has no such variant.
[[nodiscard]] const VariantInfo* variant_named(const TypeInfo& info, std::string_view name);

class Types {
public:
    Types();

    Builtins builtins{};

    const Type* error() const { return &error_; }
    const Type* never() const { return &never_; }
    const Type* fresh();
    const Type* nominal(const TypeInfo* info, std::vector<const Type*> args = {});
    const Type* tuple(std::vector<const Type*> items);
    const Type* function(std::vector<const Type*> params, const Type* result);
    const Type* parameter(std::string_view name, const Type* bound);

    const Type* number() { return nominal(builtins.number); }
    const Type* real() { return nominal(builtins.real); }
    const Type* string() { return nominal(builtins.string); }
    const Type* boolean() { return nominal(builtins.boolean); }
    const Type* nothing() { return nominal(builtins.nothing); }
    const Type* list(const Type* item) { return nominal(builtins.list, {item}); }
    const Type* option(const Type* item) { return nominal(builtins.option, {item}); }
    const Type* future(const Type* value) { return nominal(builtins.future, {value}); }

    static bool is(const Type* type, const TypeInfo* info) {
        type = known(type);
        return type->sort == TypeSort::nominal && type->info == info;
    }
    // The type as an instance of `info`, which is its own type or a base; null if it is neither.
    const Type* as_base(const Type* type, const TypeInfo* info);
    // The T of a Future<T> or a subtype.
    const Type* future_value(const Type* type);

    const Type* substitute(const Type* type, std::span<const Type* const> params,
                           std::span<const Type* const> args);
    // Replaces variables, bound or not, by other types; null in `by` keeps a variable. Returns the
    // type itself if there is nothing to replace.
    const Type* replaced(const Type* type, std::span<const Type* const> variables,
                         std::span<const Type* const> by);
    // As seen through an instance of the type that declares it.
    const Type* seen_from(const Type* type, const Type* owner);

    bool assign(const Type* from, const Type* to);
    // Like assign, but sets no variable.
    bool fits(const Type* from, const Type* to);
    // A type that both fit; null if there is none.
    const Type* join(const Type* a, const Type* b);

    // Whether it is the error type or has it as a part.
    static bool has_error(const Type* type, int depth = 0);

    Member find_member(const Type* type, std::string_view name, bool is_static = false);
    // The type of a method as a value, with fresh variables for its type parameters.
    const Type* method_type(const Member& member);
    // The message type of an actor's handler; null if it has none.
    const Type* message_type(const TypeInfo* actor);

private:
    const Type* replace(const Type* type, std::span<const Type* const> variables,
                        std::span<const Type* const> by);
    bool relate(const Type* from, const Type* to, int depth);
    void absorb(const Type* type, int depth);
    void take_back(std::size_t mark);
    bool relate_nominal(const Type* from, const Type* to, int depth);
    bool is_json(const Type* from, const Type* json, int depth);
    bool fits_interface(const Type* from, const Type* to, int depth);
    bool set(const Type* variable, const Type* value);
    bool occurs(const Type* variable, const Type* type, int depth);
    const Type* made(Type type, const std::vector<const Type*>& args);
    bool is_covariant(const TypeInfo* info) const;
    std::span<const Type* const> store(const std::vector<const Type*>& types);

    Arena arena_;
    Type error_;
    Type never_;
    std::vector<const Type*> trail_;
    // Steps of one assign: bounds the time for recursive types.
    int step_count_ = 0;
};

}  // namespace gyre::vela
