// SPDX-License-Identifier: Apache-2.0
// Declarations: imports and functions.
#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {

Decl* Parser::declaration() {
    const std::uint32_t begin = at_;
    Decl* result = nullptr;
    if (is(kw_import)) {
        result = import_declaration();
    } else {
        const Modifiers found_modifiers = modifiers();
        const bool is_bare = at_ == begin;
        if (is(kw_fn)) {
            result = function(found_modifiers, false);
        } else if (is(kw_enum)) {
            result = enumeration(found_modifiers);
        } else if (is(kw_struct)) {
            result = type_declaration(DeclKind::structure, found_modifiers);
        } else if (is(kw_class)) {
            result = type_declaration(DeclKind::klass, found_modifiers);
        } else if (is(kw_interface)) {
            result = type_declaration(DeclKind::interface, found_modifiers);
        } else if (begins_type_declaration("actor")) {
            result = type_declaration(DeclKind::actor, found_modifiers);
        } else if (begins_type_declaration("type")) {
            result = alias(found_modifiers);
        } else if (is_bare || found_modifiers.visibility != Visibility::unsaid) {
            if (is(brace_close) || is(brace_open)) fail("a declaration");
            if (!is_bare && !is(name)) fail("a declaration");
            auto* node = make_decl<StatementDecl>(DeclKind::statement, found_modifiers);
            node->statement = statement();
            result = node;
        } else {
            fail("a declaration");
        }
    }
    result->span = span_from(begin);
    return result;
}

// `actor` and `type` are plain names elsewhere.
bool Parser::begins_type_declaration(std::string_view word) const {
    return is_word(word) && kind(1) == name && is_same_line(1);
}

Parser::Modifiers Parser::modifiers() {
    Modifiers result;
    result.decorators = decorators();
    for (;;) {
        switch (kind()) {
            case kw_public:
                result.visibility = Visibility::is_public;
                break;
            case kw_private:
                result.visibility = Visibility::is_private;
                break;
            case kw_protected:
                result.visibility = Visibility::is_protected;
                break;
            case kw_abstract:
                result.is_abstract = true;
                break;
            case kw_override:
                result.is_override = true;
                break;
            case kw_static:
                result.is_static = true;
                break;
            case kw_async:
                // Otherwise it begins an expression: `async { }`, `async x => ..`.
                if (kind(1) != kw_fn) return result;
                result.is_async = true;
                break;
            default:
                return result;
        }
        take();
    }
}

std::span<const Decorator> Parser::decorators() {
    Gather<Decorator> result(*this);
    while (take_if(at)) {
        Decorator decorator;
        decorator.name = expect_member_name();
        if (is(paren_open) && is_same_line()) decorator.args = arguments();
        result.add(decorator);
        if (peek().is_after_newline) mark_item();
    }
    return result.take();
}

Decl* Parser::import_declaration() {
    auto* node = make_decl<ImportDecl>(DeclKind::import, {});
    take();
    const Token& path = expect(TokenKind::string, "the file to import, in quotes");
    const std::string_view quoted = text(path);
    const std::uint32_t quote_bytes = quoted.starts_with("\"\"\"") ? 3 : 1;
    if (quoted.size() >= 2 * std::size_t{quote_bytes}) {
        node->path.text = quoted.substr(quote_bytes, quoted.size() - 2 * quote_bytes);
    }
    node->path.span = path.span;
    if (is_same_line() && (is_word("show") || is_word("hide"))) {
        node->is_hiding = is_word("hide");
        take();
        expect(brace_open, "`{`");
        Gather<Name> names(*this);
        comma_list(brace_close, "`}`", [&] { names.add(expect_name("a name")); });
        node->names = names.take();
    }
    if (is_same_line() && is_word("as")) {
        take();
        node->alias = expect_name("a name");
    }
    return node;
}

FunctionDecl* Parser::function(const Modifiers& modifiers, bool is_signature) {
    auto* node = make_decl<FunctionDecl>(DeclKind::function, modifiers);
    node->is_async = modifiers.is_async;
    node->is_static = modifiers.is_static;
    node->is_override = modifiers.is_override;
    node->is_abstract = modifiers.is_abstract;
    expect(kw_fn, "`fn`");
    node->name = expect_member_name();
    node->generics = generics();
    parameters(*node);
    if (take_if(arrow) || take_if(colon)) node->result = type();
    if (is_signature || (modifiers.is_abstract && !is(brace_open))) return node;
    node->body = block();
    return node;
}

FunctionDecl* Parser::constructor(const Modifiers& modifiers) {
    auto* node = make_decl<FunctionDecl>(DeclKind::constructor, modifiers);
    const Token& keyword = expect(kw_constructor, "`constructor`");
    node->name = {text(keyword), keyword.span};
    parameters(*node);
    node->body = block();
    return node;
}

void Parser::parameters(FunctionDecl& function) {
    if (!is(paren_open)) fail("`(`");
    take();
    const WithContext brackets(*this, {.is_in_brackets = true});
    Gather<Param> params(*this);
    bool is_first = true;
    comma_list(paren_close, "`,` or `)`", [&] {
        const bool is_self = is_first && is_word("self") && kind(1) != colon;
        is_first = false;
        if (is_self) {
            take();
            function.has_self = true;
            return;
        }
        Param param;
        param.name = expect_name("a parameter");
        expect(colon, "`:` and a type");
        param.type = type();
        if (take_if(assign)) param.value = expression();
        params.add(param);
        limit_items(params.size(), "the parameters of a function");
    });
    function.params = params.take();
}

}  // namespace gyre::vela::internal
