// SPDX-License-Identifier: Apache-2.0
// Parser: recursive descent over the tokens, one function for each rule of the grammar, in files by
// subject: declarations, statements, expressions, types and patterns.
//
// A rule that meets a wrong token reports it and throws Failure; the nearest statement, member or
// declaration catches it and skips to its own end, which it finds by the partners of brackets. So
// an error is reported once, without consequential errors. Lives for one call of parse().
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela::internal {

struct Failure {};

class Parser {
public:
    Parser(Tree& tree, Diagnostics& diagnostics, const Limits& limits);

    void parse_file();

private:
    using enum TokenKind;

    // Restrictions on an expression by its place; brackets lift them.
    struct Context {
        bool is_head = false;         // of if, while, for, match: `Name {` is no struct literal
        bool is_guard = false;        // of an arm: `name =>` is no lambda
        bool is_in_brackets = false;  // line ends are ignored
    };
    class Nesting;
    class WithContext;

    // ---- parser.cpp: tokens, errors, recovery
    const Token& peek(std::uint32_t ahead = 0) const;
    TokenKind kind(std::uint32_t ahead = 0) const { return peek(ahead).kind; }
    bool is(TokenKind wanted) const { return kind() == wanted; }
    bool is_word(std::string_view word, std::uint32_t ahead = 0) const;
    bool is_same_line(std::uint32_t ahead = 0) const { return !peek(ahead).is_after_newline; }
    std::string_view text(const Token& token) const { return tree_.source->text(token.span); }
    const Token& take();
    bool take_if(TokenKind wanted);
    const Token& expect(TokenKind wanted, std::string_view what);
    Name expect_name(std::string_view what);
    // After `.` and `fn`, keywords are names too.
    Name expect_member_name();
    [[noreturn]] void fail(std::string_view expected);
    [[noreturn]] void fail_at(Span span, std::string message);
    bool follows_from_lexer(Span span) const;
    std::string found() const;
    Span span_from(std::uint32_t begin) const;
    void mark_item() {
        tokens_[at_].begins_item = true;
        if (!context_.is_in_brackets) item_begin_ = at_;
    }
    void end_item(std::string_view after);
    void recover(std::uint32_t begin);

    // ---- parser_hints.cpp
    void add_hint(Diagnostic& diagnostic) const;
    std::string_view sign_habit() const;
    const Token* open_bracket() const;
    bool is_in_for_head() const;

    // ---- parser_declarations.cpp, parser_type_declarations.cpp
    struct Modifiers;
    Decl* declaration();
    Modifiers modifiers();
    std::span<const Decorator> decorators();
    Decl* import_declaration();
    FunctionDecl* function(const Modifiers& modifiers, bool is_signature);
    FunctionDecl* constructor(const Modifiers& modifiers);
    void parameters(FunctionDecl& function);
    Decl* enumeration(const Modifiers& modifiers);
    Variant variant();
    Decl* type_declaration(DeclKind kind, const Modifiers& modifiers);
    std::span<Decl* const> members(DeclKind kind);
    Decl* member(DeclKind owner);
    Decl* field(const Modifiers& modifiers);
    Decl* alias(const Modifiers& modifiers);
    std::span<const Generic> generics();
    template <class T>
    T* make_decl(DeclKind kind, const Modifiers& modifiers);
    bool begins_type_declaration(std::string_view word) const;

    // ---- parser_statements.cpp
    BlockStmt* block();
    Stmt* statement();
    Stmt* simple_statement();
    Stmt* variable();
    Stmt* for_loop();
    Stmt* try_catch();
    Stmt* value_statement(StmtKind kind);
    Stmt* expression_or_assignment();
    void check_target(const Expr& target);
    template <class T>
    T* make_stmt(StmtKind kind, std::uint32_t begin, T value = {});

    // ---- parser_expressions.cpp, parser_primary.cpp, parser_bodies.cpp
    Expr* expression();
    Expr* head_expression();
    Expr* binary(int level_min);
    Expr* unary();
    Expr* await();
    // `begin` is the first token of the operand.
    Expr* postfix(Expr* operand, std::uint32_t begin, bool stops_at_question);
    Expr* member_access(Expr* object, std::uint32_t begin);
    Expr* tuple_items(Expr* object, std::uint32_t begin);
    std::span<const Argument> arguments();
    Expr* primary();
    Expr* name_or_struct();
    Expr* parenthesised();
    Expr* list();
    Expr* map();
    Expr* string_literal();
    Expr* if_else();
    Expr* match();
    MatchArm arm();
    Expr* lambda(bool is_async, std::uint32_t begin);
    Expr* struct_literal(TypeNode* type, std::uint32_t begin);
    bool begins_lambda() const;
    bool begins_arm() const;
    bool begins_map() const;
    bool begins_struct_literal(std::uint32_t ahead) const;
    template <class T>
    T* make_expr(ExprKind kind, std::uint32_t begin, T value = {});

    // ---- parser_types.cpp
    TypeNode* type();
    std::span<TypeNode* const> type_args();
    void close_types();
    // The index after the `>` if the tokens from `<` on are type arguments; otherwise 0.
    std::uint32_t skip_type_args(std::uint32_t index) const;
    Pattern* pattern();
    Pattern* single_pattern();

    // Collects the elements of a list on a stack, so that nested lists share one vector.
    template <class T>
    class Gather;
    // Reports the first item beyond Limits::items_max.
    void limit_items(std::size_t count, std::string_view what);
    // Elements up to `close`, separated by commas; a trailing comma is allowed.
    template <class Element>
    void comma_list(TokenKind close, std::string_view close_text, Element&& element);

    Tree& tree_;
    std::vector<Token>& tokens_;
    Diagnostics& diagnostics_;
    const Limits& limits_;
    std::uint32_t at_ = 0;
    std::uint32_t depth_ = 0;
    std::uint32_t item_begin_ = 0;  // of the last statement, member or declaration begun
    Context context_;
    std::vector<std::byte> gathered_;
};

class Parser::Nesting {
public:
    explicit Nesting(Parser& parser);
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --parser_.depth_; }

private:
    Parser& parser_;
};

class Parser::WithContext {
public:
    WithContext(Parser& parser, Context context) : parser_(parser), before_(parser.context_) {
        parser.context_ = context;
    }
    WithContext(const WithContext&) = delete;
    WithContext& operator=(const WithContext&) = delete;
    ~WithContext() { parser_.context_ = before_; }

private:
    Parser& parser_;
    Context before_;
};

template <class T>
class Parser::Gather {
public:
    explicit Gather(Parser& parser) : parser_(parser), begin_(parser.gathered_.size()) {}
    Gather(const Gather&) = delete;
    Gather& operator=(const Gather&) = delete;
    ~Gather() { parser_.gathered_.resize(begin_); }

    void add(const T& element) {
        const auto* bytes = reinterpret_cast<const std::byte*>(&element);
        parser_.gathered_.insert(parser_.gathered_.end(), bytes, bytes + sizeof(T));
    }
    std::size_t size() const { return (parser_.gathered_.size() - begin_) / sizeof(T); }
    // Copies the elements into the arena.
    std::span<const T> take();

private:
    Parser& parser_;
    std::size_t begin_;
};

struct Parser::Modifiers {
    std::span<const Decorator> decorators;
    Visibility visibility = Visibility::unsaid;
    bool is_abstract = false;
    bool is_async = false;
    bool is_override = false;
    bool is_static = false;
};

template <class T>
std::span<const T> Parser::Gather<T>::take() {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t count = size();
    if (count == 0) return {};
    T* place = parser_.tree_.arena.template make_many<T>(count);
    std::memcpy(place, parser_.gathered_.data() + begin_, count * sizeof(T));
    return {place, count};
}

template <class Element>
void Parser::comma_list(TokenKind close, std::string_view close_text, Element&& element) {
    while (!is(close)) {
        mark_item();
        element();
        if (!take_if(TokenKind::comma)) break;
    }
    expect(close, close_text);
}

template <class T>
T* Parser::make_expr(ExprKind kind, std::uint32_t begin, T value) {
    value.kind = kind;
    value.span = span_from(begin);
    value.index = tree_.expr_count++;
    return tree_.arena.make(value);
}

template <class T>
T* Parser::make_stmt(StmtKind kind, std::uint32_t begin, T value) {
    value.kind = kind;
    value.span = span_from(begin);
    return tree_.arena.make(value);
}

template <class T>
T* Parser::make_decl(DeclKind kind, const Modifiers& modifiers) {
    T node;
    node.kind = kind;
    node.visibility = modifiers.visibility;
    node.decorators = modifiers.decorators;
    return tree_.arena.make(node);
}

}  // namespace gyre::vela::internal
