// SPDX-License-Identifier: Apache-2.0
// The tree of a Vela file: plain structs in an arena, one a construct, told apart by a kind; names
// are pieces of the source's text. Every node has its span.
//
// The parser makes it; nobody changes it after that. It lives as long as its Tree (parser.hpp) and
// the Source it was made from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gyre/vela/syntax/source.hpp"
#include "gyre/vela/syntax/token.hpp"

namespace gyre::vela {

struct Expr;
struct Stmt;
struct Decl;
struct BlockStmt;

// An identifier and its place; empty where there is none.
struct Name {
    std::string_view text;
    Span span;
};

// ---- types ----

enum class TypeKind : std::uint8_t {
    name,      // A::B<parts...>
    function,  // (parts...) -> result
    tuple,     // (parts...); () is void
    list,      // [parts[0]]
    option,    // parts[0]?
    infer,     // _
};

struct TypeNode {
    TypeKind kind = TypeKind::infer;
    Span span;
    std::span<const Name> path;
    std::span<TypeNode* const> parts;
    TypeNode* result = nullptr;
};

// ---- patterns ----

enum class PatternKind : std::uint8_t {
    literal,       // value
    wildcard,      // _
    bind,          // lower-case path[0]
    tuple,         // (parts...)
    variant,       // path(parts...), or path alone
    alternatives,  // parts[0] | parts[1] ...
};

struct Pattern {
    PatternKind kind = PatternKind::wildcard;
    bool has_parens = false;
    Span span;
    std::span<const Name> path;
    std::span<Pattern* const> parts;
    Expr* value = nullptr;
};

// ---- expressions ----

enum class ExprKind : std::uint8_t {
    integer,
    real,
    string,
    boolean,
    left_out,  // ...
    this_value,
    name,
    group,  // ( inner )
    tuple,
    list,
    map,
    unary,
    binary,
    await,
    call,
    index,
    member,
    propagate,  // inner?
    if_else,
    match,
    lambda,
    async_block,
    struct_literal,
};

struct Expr {
    ExprKind kind = ExprKind::left_out;
    Span span;
    // The number of the expression in its file, from 0: for tables that later passes keep.
    std::uint32_t index = 0;
};

// integer, real, boolean: the text of the span says the value. this_value, left_out: nothing more.
struct LiteralExpr : Expr {
    std::string_view text;
};

// Raw text between the quotes and interpolations, escapes not yet read; or an expression.
struct StringPart {
    std::string_view text;
    Span span;
    Expr* value = nullptr;
};

struct StringExpr : Expr {
    bool is_raw = false;
    std::span<const StringPart> parts;
};

struct NameExpr : Expr {
    std::string_view text;
    std::span<TypeNode* const> type_args;
};

// group and propagate.
struct WrapExpr : Expr {
    Expr* inner = nullptr;
    Span sign;  // of the `?`
};

// tuple and list.
struct ItemsExpr : Expr {
    std::span<Expr* const> items;
};

struct MapEntry {
    Expr* key = nullptr;
    Expr* value = nullptr;
};

struct MapExpr : Expr {
    std::span<const MapEntry> entries;
};

struct UnaryExpr : Expr {
    TokenKind op = TokenKind::minus;
    Expr* operand = nullptr;
};

struct BinaryExpr : Expr {
    TokenKind op = TokenKind::plus;
    Span sign;
    Expr* left = nullptr;
    Expr* right = nullptr;
};

struct AwaitExpr : Expr {
    Span keyword;
    Expr* operand = nullptr;
};

// The name of a named argument is empty for one given by position.
struct Argument {
    Name name;
    Expr* value = nullptr;
};

struct CallExpr : Expr {
    Expr* callee = nullptr;
    std::span<const Argument> args;
};

struct IndexExpr : Expr {
    Expr* object = nullptr;
    Expr* position = nullptr;
};

struct MemberExpr : Expr {
    TokenKind op = TokenKind::dot;  // dot, double_colon or question_dot
    Expr* object = nullptr;
    Name name;
    std::span<TypeNode* const> type_args;
};

// `if let pattern = condition` where there is a pattern. The other branch is a block, or a
// statement that holds the next if_else.
struct IfExpr : Expr {
    Span keyword;
    Pattern* pattern = nullptr;
    Expr* condition = nullptr;
    BlockStmt* then_block = nullptr;
    Stmt* else_branch = nullptr;
};

// The body is a block, an expression, an assignment, a return or a throw.
struct MatchArm {
    Span span;
    Pattern* pattern = nullptr;
    Expr* guard = nullptr;
    Stmt* body = nullptr;
};

struct MatchExpr : Expr {
    Span keyword;
    Expr* subject = nullptr;
    std::span<const MatchArm> arms;
};

struct Param {
    Name name;
    TypeNode* type = nullptr;
    Expr* value = nullptr;
};

// The body is a block, an expression or an assignment.
struct LambdaExpr : Expr {
    bool is_async = false;
    std::span<const Param> params;
    Stmt* body = nullptr;
};

struct AsyncBlockExpr : Expr {
    BlockStmt* body = nullptr;
};

struct FieldValue {
    Name name;
    Expr* value = nullptr;  // none: the variable of that name
};

struct StructExpr : Expr {
    TypeNode* type = nullptr;
    std::span<const FieldValue> fields;
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

// Also declares, where the target is a name that is not in scope.
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

struct WhileStmt : Stmt {
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
    std::span<const Name> names;  // shown, or hidden
    Name alias;
};

// function and constructor. No body in an interface, or where it is abstract.
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

// The struct behind a kind; the caller has looked at the kind.
template <class T, class Base>
[[nodiscard]] const T& as(const Base& node) noexcept {
    return static_cast<const T&>(node);
}

}  // namespace gyre::vela
