// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/internal/tree_text.hpp"

#include "lang/vela/syntax/detail/tree_parts.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace {

class TreeWriter {
public:
    explicit TreeWriter(const Source& source) : source_(source) {}

    void decl(const Decl& node) {
        if (node.kind == DeclKind::statement) return stmt(as<StatementDecl>(node).statement);
        static constexpr std::string_view names[] = {"import",    "fn",   "constructor", "field",
                                                     "struct",    "enum", "class",       "actor",
                                                     "interface", "type"};
        open(names[static_cast<std::size_t>(node.kind)]);
        static constexpr std::string_view visibilities[] = {"", "public", "private", "protected"};
        word(visibilities[static_cast<std::size_t>(node.visibility)]);
        for (const Decorator& decorator : node.decorators) {
            open("@");
            word(decorator.name.text);
            args(decorator.args);
            close();
        }
        word(node.name.text);
        for (const Generic& generic : node.generics) {
            open("generic");
            word(generic.name.text);
            type(generic.bound);
            close();
        }
        decl_rest(node);
        close();
    }

    std::string take() { return std::move(text_); }
    void line() { text_ += '\n'; }

private:
    void decl_rest(const Decl& node) {
        switch (node.kind) {
            case DeclKind::import: {
                const auto& import = as<ImportDecl>(node);
                word(import.path.text);
                word(import.names.empty() ? "" : import.is_hiding ? "hide" : "show");
                for (const Name& name : import.names) word(name.text);
                word(import.alias.text);
                return;
            }
            case DeclKind::function:
            case DeclKind::constructor: {
                const auto& function = as<FunctionDecl>(node);
                flag(function.is_async, "async");
                flag(function.is_static, "static");
                flag(function.is_override, "override");
                flag(function.is_abstract, "abstract");
                flag(function.has_self, "self");
                params(function.params);
                type(function.result);
                stmt(function.body);
                return;
            }
            case DeclKind::field:
                flag(as<FieldDecl>(node).is_state, "state");
                type(as<FieldDecl>(node).type);
                expr(as<FieldDecl>(node).value);
                return;
            case DeclKind::enumeration:
                for (const Variant& variant : as<EnumDecl>(node).variants) {
                    open(variant.name.text);
                    params(variant.args);
                    close();
                }
                return;
            case DeclKind::alias:
                return type(as<AliasDecl>(node).type);
            default: {
                const auto& declared = as<TypeDecl>(node);
                flag(declared.is_abstract, "abstract");
                type(declared.base);
                for (const TypeNode* interface : declared.interfaces) type(interface);
                for (const Decl* member : declared.members) decl(*member);
                return;
            }
        }
    }

    void stmt(const Stmt* node) {
        if (node == nullptr) return;
        if (node->kind == StmtKind::expression) return expr(as<ValueStmt>(*node).value);
        if (node->kind == StmtKind::declaration) return decl(*as<DeclStmt>(*node).declaration);
        static constexpr std::string_view names[] = {
            "var",      "assign", "",    "return", "throw", "yield", "break",
            "continue", "while",  "for", "try",    "scope", "",      "block"};
        open(names[static_cast<std::size_t>(node->kind)]);
        stmt_rest(*node);
        close();
    }

    void stmt_rest(const Stmt& node) {
        switch (node.kind) {
            case StmtKind::variable:
                flag(as<VariableStmt>(node).is_state, "state");
                word(as<VariableStmt>(node).name.text);
                type(as<VariableStmt>(node).type);
                return parts(node);
            case StmtKind::assign:
                sign(as<AssignStmt>(node).op);
                return parts(node);
            case StmtKind::while_loop:
                pattern(as<WhileStmt>(node).pattern);
                return parts(node);
            case StmtKind::for_loop:
                flag(as<ForStmt>(node).is_await, "await");
                pattern(as<ForStmt>(node).pattern);
                return parts(node);
            case StmtKind::try_catch:
                stmt(as<TryStmt>(node).body);
                for (const CatchClause& clause : as<TryStmt>(node).clauses) {
                    open("catch");
                    word(clause.name.text);
                    type(clause.type);
                    stmt(clause.body);
                    close();
                }
                return stmt(as<TryStmt>(node).cleanup);
            default:
                return parts(node);
        }
    }

    // The parts of a node that has nothing else to show, or whose other words come first.
    template <class Node>
    void parts(const Node& node) {
        visit_parts(node, [this](const auto& part) { this->write(&part); });
    }
    void write(const Expr* node) { expr(node); }
    void write(const Stmt* node) { stmt(node); }

    void expr(const Expr* node) {
        if (node == nullptr) return;
        static constexpr std::string_view names[] = {
            "int",    "real", "string", "bool",  "...",    "this",  "name", "group",
            "tuple",  "list", "map",    "unary", "binary", "await", "call", "index",
            "member", "?",    "if",     "match", "lambda", "async", "new"};
        open(names[static_cast<std::size_t>(node->kind)]);
        expr_rest(*node);
        close();
    }

    void expr_rest(const Expr& node) {
        switch (node.kind) {
            case ExprKind::integer:
            case ExprKind::real:
            case ExprKind::boolean:
                return word(as<LiteralExpr>(node).text);
            case ExprKind::string:
                for (const StringPart& part : as<StringExpr>(node).parts) {
                    if (part.value == nullptr) word(concat("'", part.text, "'"));
                    expr(part.value);
                }
                return;
            case ExprKind::name:
                word(as<NameExpr>(node).text);
                return types(as<NameExpr>(node).type_args);
            case ExprKind::unary:
                sign(as<UnaryExpr>(node).op);
                return parts(node);
            case ExprKind::binary:
                word(source_.text(as<BinaryExpr>(node).sign));
                return parts(node);
            case ExprKind::call:
                expr(as<CallExpr>(node).callee);
                return args(as<CallExpr>(node).args);
            case ExprKind::member:
                sign(as<MemberExpr>(node).op);
                parts(node);
                word(as<MemberExpr>(node).name.text);
                return types(as<MemberExpr>(node).type_args);
            case ExprKind::if_else:
                pattern(as<IfExpr>(node).pattern);
                return parts(node);
            case ExprKind::match:
                return match(as<MatchExpr>(node));
            case ExprKind::lambda:
                flag(as<LambdaExpr>(node).is_async, "async");
                params(as<LambdaExpr>(node).params);
                return parts(node);
            case ExprKind::struct_literal:
                return struct_literal(as<StructExpr>(node));
            default:
                return parts(node);
        }
    }

    void match(const MatchExpr& node) {
        expr(node.subject);
        for (const MatchArm& arm : node.arms) {
            open("arm");
            pattern(arm.pattern);
            expr(arm.guard);
            stmt(arm.body);
            close();
        }
    }

    void struct_literal(const StructExpr& node) {
        type(node.type);
        for (const FieldValue& field : node.fields) {
            word(field.name.text);
            const bool is_short = field.value->span == field.name.span;
            expr(is_short ? nullptr : field.value);
        }
    }

    void pattern(const Pattern* node) {
        if (node == nullptr) return;
        static constexpr std::string_view names[] = {"literal", "_",       "bind",
                                                     "tuple",   "variant", "or"};
        open(names[static_cast<std::size_t>(node->kind)]);
        for (const Name& name : node->path) word(name.text);
        flag(node->has_parens, "parens");
        expr(node->value);
        for (const Pattern* part : node->parts) pattern(part);
        close();
    }

    void type(const TypeNode* node) {
        if (node == nullptr) return;
        static constexpr std::string_view names[] = {"type", "function", "tuple",
                                                     "list", "option",   "_"};
        open(names[static_cast<std::size_t>(node->kind)]);
        for (const Name& name : node->path) word(name.text);
        types(node->parts);
        type(node->result);
        close();
    }
    void types(std::span<TypeNode* const> nodes) {
        for (const TypeNode* node : nodes) type(node);
    }

    void params(std::span<const Param> nodes) {
        for (const Param& param : nodes) {
            open("param");
            word(param.name.text);
            type(param.type);
            expr(param.value);
            close();
        }
    }

    void args(std::span<const Argument> nodes) {
        for (const Argument& argument : nodes) {
            if (!argument.name.text.empty()) word(concat(argument.name.text, ":"));
            expr(argument.value);
        }
    }

    void open(std::string_view name) {
        if (!text_.empty() && text_.back() != '\n') text_ += ' ';
        text_ += '(';
        text_ += name;
    }
    void close() { text_ += ')'; }
    void word(std::string_view text) {
        if (text.empty()) return;
        text_ += ' ';
        text_ += text;
    }
    void flag(bool is_set, std::string_view text) { word(is_set ? text : ""); }
    void sign(TokenKind op) {
        using enum TokenKind;
        static constexpr std::pair<TokenKind, std::string_view> signs[] = {
            {assign, "="},        {plus_assign, "+="},    {minus_assign, "-="}, {star_assign, "*="},
            {slash_assign, "/="}, {percent_assign, "%="}, {minus, "-"},         {bang, "!"},
            {dot, "."},           {double_colon, "::"},   {question_dot, "?."}};
        for (const auto& [kind, text] : signs) {
            if (kind == op) word(text);
        }
    }

    const Source& source_;
    std::string text_;
};

}  // namespace

std::string tree_text(const Tree& tree) {
    TreeWriter writer(*tree.source);
    for (const Decl* decl : tree.declarations) {
        writer.decl(*decl);
        writer.line();
    }
    return writer.take();
}

}  // namespace gyre::vela
