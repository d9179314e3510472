// SPDX-License-Identifier: Apache-2.0
// Tree: the syntax tree of a Vela file. Nodes are plain structs in an arena, one struct for each
// construct, distinguished by a kind; names are views of the source's text, and every node has its
// span. Statements and declarations are here; types, patterns and expressions are in
// expression_tree.hpp.
//
// The parser makes the tree; it does not change afterwards. Nodes live as long as their Tree and
// its Source.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lang/vela/syntax/detail/expression_tree.hpp"

namespace gyre::vela {

// Memory for the nodes of a tree, freed all at once without running destructors.
class Arena {
public:
    Arena() = default;
    Arena(Arena&&) = default;
    Arena& operator=(Arena&&) = default;

    template <class T>
    T* make(T value = {}) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (take(sizeof(T), alignof(T))) T(std::move(value));
    }

    // Uninitialized.
    template <class T>
    T* make_many(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        return static_cast<T*>(take(count * sizeof(T), alignof(T)));
    }

private:
    static constexpr std::size_t block_bytes = 64 * 1024;

    void* take(std::size_t bytes, std::size_t alignment) {
        std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
        if (blocks_.empty() || begin + bytes > room_) {
            room_ = std::max(block_bytes, bytes);
            // Not zeroed: every node is initialized when it is made.
            blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(room_));
            begin = 0;
        }
        used_ = begin + bytes;
        return blocks_.back().get() + begin;
    }

    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::size_t room_ = 0;
    std::size_t used_ = 0;
};

// ---- statements ----

enum class StmtKind : std::uint8_t {
    variable,
    assign,
    expression,
    return_value,
    throw_value,
    yield_value,
    break_loop,
    continue_loop,
    while_loop,
    for_loop,
    try_catch,
    scope,
    declaration,
    block,
};

struct Stmt {
    StmtKind kind = StmtKind::block;
    Span span;
};

// `state x: T = e`, `let x = e`, `x: T = e`.
struct VariableStmt : Stmt {
    bool is_state = false;
    Name name;
    TypeNode* type = nullptr;
    Expr* value = nullptr;
};

// Also declares the variable if the target is a name that is not in scope.
struct AssignStmt : Stmt {
    TokenKind op = TokenKind::assign;
    Expr* target = nullptr;
    Expr* value = nullptr;
};

// expression, return_value, throw_value, yield_value; the value of a return may be missing.
struct ValueStmt : Stmt {
    Span keyword;
    Expr* value = nullptr;
};

struct BlockStmt : Stmt {
    std::span<Stmt* const> statements;
};

// `while let pattern = condition` where there is a pattern.
struct WhileStmt : Stmt {
    Pattern* pattern = nullptr;
    Expr* condition = nullptr;
    BlockStmt* body = nullptr;
};

struct ForStmt : Stmt {
    Span keyword;
    bool is_await = false;
    Pattern* pattern = nullptr;
    Expr* sequence = nullptr;
    BlockStmt* body = nullptr;
};

struct CatchClause {
    Span keyword;
    Name name;
    TypeNode* type = nullptr;
    BlockStmt* body = nullptr;
};

struct TryStmt : Stmt {
    BlockStmt* body = nullptr;
    std::span<const CatchClause> clauses;
    BlockStmt* cleanup = nullptr;
};

struct ScopeStmt : Stmt {
    Span keyword;
    BlockStmt* body = nullptr;
};

// A function or an enum inside a block.
struct DeclStmt : Stmt {
    Decl* declaration = nullptr;
};

// ---- declarations ----

enum class DeclKind : std::uint8_t {
    import,
    function,
    constructor,
    field,
    structure,
    enumeration,
    klass,
    actor,
    interface,
    alias,
    statement,  // a global variable; anything else is for the checker to refuse
};

enum class Visibility : std::uint8_t { unsaid, is_public, is_private, is_protected };

struct Generic {
    Name name;
    TypeNode* bound = nullptr;
};

struct Decorator {
    Name name;
    std::span<const Argument> args;
};

struct Decl {
    DeclKind kind = DeclKind::statement;
    Visibility visibility = Visibility::unsaid;
    Span span;
    Name name;
    std::span<const Decorator> decorators;
    std::span<const Generic> generics;
};

struct ImportDecl : Decl {
    Name path;  // without its quotes
    bool is_hiding = false;
    std::span<const Name> names;  // imported, or hidden
    Name alias;
};

// function and constructor. No body in an interface or if abstract.
struct FunctionDecl : Decl {
    bool is_async = false;
    bool is_static = false;
    bool is_override = false;
    bool is_abstract = false;
    bool has_self = false;
    std::span<const Param> params;  // without self
    TypeNode* result = nullptr;
    BlockStmt* body = nullptr;
};

struct FieldDecl : Decl {
    bool is_state = false;
    TypeNode* type = nullptr;
    Expr* value = nullptr;
};

struct Variant {
    Name name;
    std::span<const Param> args;  // names may be empty
};

struct EnumDecl : Decl {
    std::span<const Variant> variants;
};

// structure, klass, actor, interface.
struct TypeDecl : Decl {
    bool is_abstract = false;
    TypeNode* base = nullptr;
    std::span<TypeNode* const> interfaces;
    std::span<Decl* const> members;
};

struct AliasDecl : Decl {
    TypeNode* type = nullptr;
};

struct StatementDecl : Decl {
    Stmt* statement = nullptr;
};

// Owns the nodes. A statement or declaration with an error is missing.
struct Tree {
    const Source* source = nullptr;
    Arena arena;
    TokenList tokens;
    Span doc;  // of the string at the top of the file; empty if there is none
    std::span<Decl* const> declarations;
    std::uint32_t expr_count = 0;
};

// Casts a node to the struct of its kind, which the caller has checked.
template <class T, class Base>
[[nodiscard]] const T& as(const Base& node) noexcept {
    return static_cast<const T&>(node);
}

// The expression without enclosing parentheses.
[[nodiscard]] inline const Expr& bare(const Expr& node) {
    const Expr* inner = &node;
    while (inner->kind == ExprKind::group) inner = as<WrapExpr>(*inner).inner;
    return *inner;
}

}  // namespace gyre::vela
