// SPDX-License-Identifier: Apache-2.0
// Declarations: collects what modules declare, before any body is checked. In three passes over all
// modules: names, then the members of types, then signatures; so order and import cycles do not
// matter. Lives for one check.
#pragma once

#include "lang/vela/check/check.hpp"

namespace gyre::vela::internal {

// Names of type parameters, innermost last.
using Generics = std::vector<const Type*>;

class Declarations {
public:
    explicit Declarations(Program& program) : program_(program), types_(program.types) {}

    void declare_names(Module& module);
    void declare_types(Module& module);
    void declare_members(Module& module);
    void bind_builtins();
    // Resolves all aliases, also unused ones.
    void check_alias(const Module& module, const AliasDecl& node);
    // Declares a name at the top of a file; reports a duplicate.
    void declare(Module& module, Symbol symbol);

    // Declares a function or an enum inside a block.
    FunctionInfo* local_function(const Module& module, const FunctionDecl& node,
                                 const TypeInfo* owner, const Generics& generics);
    TypeInfo* local_enum(const Module& module, const EnumDecl& node, const Generics& generics);

    // Resolves a written type; reports an unknown name and returns the error type.
    const Type* type(const Module& module, const TypeNode& node, const Generics& generics);

    // A type that is used as the key of a Map or Set, and its place: checked when all types are
    // known.
    struct Keyed {
        const Module* module = nullptr;
        Span place;
        const Type* key = nullptr;
    };
    std::vector<Keyed> keyed;

    // For editors: a name in a text and where it is declared; does nothing in other checks.
    void note_use(const Module& in, Span span, const Module* module, Span declared);
    // The name that an editor asks about.
    std::string_view asked;

    // Enums of open blocks, innermost last.
    std::vector<TypeInfo*> local_types;
    // The type whose nested enums are visible.
    const TypeInfo* inside = nullptr;

private:
    TypeInfo* make_info(const Module& module, const Decl& node);
    void cut_circle(const Module& module, const Decl& node);
    void fill_type(const Module& module, TypeInfo& info);
    void fill_bounds(const Module& module, const TypeInfo& info, const Generics& generics);
    void fill_variants(const Module& module, TypeInfo& info, const Generics& outer);
    FunctionInfo* make_function(const Module& module, const FunctionDecl& node,
                                const TypeInfo* owner, Generics generics);
    Generics with_generics(const Module& module, const Decl& node, Generics generics);
    const Type* alias_type(const Module& module, const TypeNode& node, const Symbol& symbol,
                           const Generics& generics);
    const Type* named_type(const Module& module, const TypeNode& node, const Generics& generics);
    const Type* instance(const Module& module, const TypeNode& node, const TypeInfo* info,
                         const Generics& generics);
    const Type* too_many_args(const Module& module, const TypeNode& node, std::string_view name,
                              std::size_t count);
    const TypeInfo* local_type(std::string_view name) const;
    void note_generic(const Module& in, const Name& name, const Type* generic);
    void note_asked_type(const Generics& generics, std::string_view name);

    Program& program_;
    Types& types_;
    std::vector<const AliasDecl*> open_aliases_;
    std::size_t alias_count_ = 0;  // resolved for one written type
};

// The symbol of a name at module level: declared, imported or standard; null if unknown.
[[nodiscard]] const Symbol* find_symbol(const Program& program, const Module& module,
                                        std::string_view name);

// A symbol that a module exports; null if private or unknown.
[[nodiscard]] const Symbol* find_exported(const Module& module, std::string_view name);

// Like find_symbol where only a type or a module is allowed: variants are ignored.
[[nodiscard]] const Symbol* find_type_symbol(const Program& program, const Module& module,
                                             std::string_view name);

// The candidate nearest to `name`; empty if none is near.
[[nodiscard]] std::string_view nearest(std::string_view name,
                                       const std::vector<std::string_view>& candidates);

}  // namespace gyre::vela::internal
