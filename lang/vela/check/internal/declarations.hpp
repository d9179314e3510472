// SPDX-License-Identifier: Apache-2.0
// Declarations: what a module declares, before any body is looked at. In three steps over all
// modules: names, then what types are made of, then signatures; so order and cycles do not matter.
// Lives for one check.
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
    // What an alias stands for must be known, whether it is used or not.
    void check_alias(const Module& module, const AliasDecl& node);
    // A name at the top of a file; one that is taken is reported.
    void declare(Module& module, Symbol symbol);

    // Of a function or an enum inside a block.
    FunctionInfo* local_function(const Module& module, const FunctionDecl& node,
                                 const TypeInfo* owner, const Generics& generics);
    TypeInfo* local_enum(const Module& module, const EnumDecl& node, const Generics& generics);

    // What a written type means here; an unknown name is reported and an error type.
    const Type* type(const Module& module, const TypeNode& node, const Generics& generics);

    // Enums declared in blocks that are open, innermost last.
    std::vector<TypeInfo*> local_types;
    // The type whose nested enums are in sight.
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

    Program& program_;
    Types& types_;
    std::vector<const AliasDecl*> open_aliases_;
    std::size_t alias_count_ = 0;  // looked at for one written type
};

// What a name means at the top of a module: declared, imported or standard; none where nothing.
[[nodiscard]] const Symbol* find_symbol(const Program& program, const Module& module,
                                        std::string_view name);

// What a module declares for those that import it; none where it keeps it private.
[[nodiscard]] const Symbol* find_exported(const Module& module, std::string_view name);

// As find_symbol, for a place where only a type or a module makes sense: a variant hides none.
[[nodiscard]] const Symbol* find_type_symbol(const Program& program, const Module& module,
                                             std::string_view name);

// The candidate that `name` was probably meant to be; empty where none is near.
[[nodiscard]] std::string_view nearest(std::string_view name,
                                       const std::vector<std::string_view>& candidates);

}  // namespace gyre::vela::internal
