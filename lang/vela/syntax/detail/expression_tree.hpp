// SPDX-License-Identifier: Apache-2.0
// The nodes of types as written, patterns and expressions. tree.hpp has statements and
// declarations, and says how a tree is made and how long it lives.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lang/vela/syntax/detail/token.hpp"
#include "lang/vela/syntax/source.hpp"

namespace gyre::vela {

struct Expr;
struct Stmt;
struct Decl;
struct BlockStmt;

// An identifier and its place; empty if absent.
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
    // The number of the expression in its file, from 0: the index of the tables of later passes.
    std::uint32_t index = 0;
};

// integer, real, boolean: `text` is the literal. Also this_value and left_out, without a text.
struct LiteralExpr : Expr {
    std::string_view text;
};

// Raw text with its escapes not yet decoded, or an interpolated expression.
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

// The name is empty for an argument given by position.
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
    Expr* value = nullptr;  // if not written: the variable of that name
};

struct StructExpr : Expr {
    TypeNode* type = nullptr;
    std::span<const FieldValue> fields;
};

}  // namespace gyre::vela
