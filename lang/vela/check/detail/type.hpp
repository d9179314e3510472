// SPDX-License-Identifier: Apache-2.0
// The types of Vela as the checker knows them, and what is known of each declared type and
// function. Made by one check, in its Program's arena; nothing of it changes afterwards but the
// value of a type variable, which inference sets once.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

struct TypeInfo;
struct Module;
struct Symbol;

enum class TypeSort : std::uint8_t {
    error,      // of what was already reported; agrees with everything
    never,      // of what does not come back; fits everywhere
    variable,   // not yet known
    parameter,  // a T inside the declaration that has it
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
    mutable const Type* bound = nullptr;  // of a parameter, once its declaration was read
    mutable const Type* value = nullptr;  // of a variable, once it is known
    bool is_ground = false;               // no variable and no parameter stands in it
};

// What a variable stands for, or the type itself.
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
    bool is_abstract = false;
    bool is_standard = false;
};

// What a name, a member or a call came to mean.
enum class MeaningKind : std::uint8_t {
    none,
    local,         // the local variable or function declared at `place`
    global,        // the variable `symbol` of a module
    field,         // of the object of a member, or of `this` for a bare name
    function,      // one that has a name, or a static method
    method,        // of the object of a member
    variant,       // of an enum; in a call: made of the arguments
    construction,  // of `type`
    property,      // a field of the standard surface, written as a call
    value,         // a call of what the callee's value is
    spawn,
    send,       // to an actor: the object of the member
    send_to,    // to the first argument
    passes_on,  // of `?`: what is not good is what the function returns; otherwise it is thrown
};

struct Meaning {
    MeaningKind kind = MeaningKind::none;
    union {
        const void* nothing = nullptr;
        const Symbol* symbol;
        const FieldInfo* field;
        const FunctionInfo* function;
        const VariantInfo* variant;
        const TypeInfo* type;
        std::uint32_t place;  // where its name begins; no two locals of a file begin at one place
    };

    static Meaning of(MeaningKind kind) { return {kind, {}}; }
    static Meaning of(const Symbol* what) {
        Meaning made = of(MeaningKind::global);
        made.symbol = what;
        return made;
    }
    static Meaning of(MeaningKind kind, const FieldInfo* what) {
        Meaning made = of(kind);
        made.field = what;
        return made;
    }
    static Meaning of(MeaningKind kind, const FunctionInfo* what) {
        Meaning made = of(kind);
        made.function = what;
        return made;
    }
    static Meaning of(const VariantInfo* what) {
        Meaning made = of(MeaningKind::variant);
        made.variant = what;
        return made;
    }
    static Meaning of(const TypeInfo* what) {
        Meaning made = of(MeaningKind::construction);
        made.type = what;
        return made;
    }
    static Meaning local_at(std::uint32_t place) {
        Meaning made = of(MeaningKind::local);
        made.place = place;
        return made;
    }
};

// What the check found out of one expression.
struct Fact {
    const Type* type = nullptr;
    Meaning meaning;
};

// And of one local variable, parameter or function.
struct LocalFact {
    std::uint32_t place = 0;
    bool is_captured = false;  // used by a function inside of its own
    bool is_changed = false;   // assigned beside its declaration
    int function_depth = 0;    // how many functions are open around it, its own counted
    const Type* type = nullptr;
    const FunctionInfo* function = nullptr;
};

enum class SymbolKind : std::uint8_t { variable, function, type, alias, variant, module };

// What a name at the top of a file, or a local name, stands for.
struct Symbol {
    SymbolKind kind = SymbolKind::variable;
    Name name;
    const Module* module = nullptr;
    bool is_private = false;
    bool is_state = false;
    const Type* type = nullptr;  // of a variable
    const FunctionInfo* function = nullptr;
    TypeInfo* info = nullptr;
    const VariantInfo* variant = nullptr;
    const AliasDecl* alias = nullptr;
    const Module* target = nullptr;  // of a module
};

// One file: its text, its tree, and the names it declares and sees.
struct Module {
    std::string path;
    std::unique_ptr<Source> source;
    Tree tree;
    std::unordered_map<std::string_view, Symbol> declared;
    std::unordered_map<std::string_view, const Symbol*> imported;
    std::deque<Symbol> aliases;
    bool is_standard = false;

    // For later passes: of each expression, by its number; of each local, in the order of the
    // check.
    std::vector<Fact> facts;
    std::vector<LocalFact> locals;
};

// "Future<String>", "(Number) -> Bool"; a variable that nothing determined is "_".
[[nodiscard]] std::string type_text(const Type* type);

}  // namespace gyre::vela
