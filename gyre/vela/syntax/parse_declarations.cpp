// SPDX-License-Identifier: Apache-2.0
// Declarations: imports, functions, types and their members.
#include "gyre/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {

template <class T>
T* Parser::make_decl(DeclKind kind, const Modifiers& modifiers) {
    T node;
    node.kind = kind;
    node.visibility = modifiers.visibility;
    node.decorators = modifiers.decorators;
    return tree_.arena.make(node);
}

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
    });
    function.params = params.take();
}

Decl* Parser::enumeration(const Modifiers& modifiers) {
    const Nesting nesting(*this);
    auto* node = make_decl<EnumDecl>(DeclKind::enumeration, modifiers);
    expect(kw_enum, "`enum`");
    node->name = expect_name("the name of the enum");
    node->generics = generics();
    expect(brace_open, "`{`");
    Gather<Variant> variants(*this);
    while (!is(brace_close)) {
        mark_item();
        variants.add(variant());
        if (!take_if(comma)) take_if(semicolon);
    }
    take();
    node->variants = variants.take();
    return node;
}

Variant Parser::variant() {
    Variant result;
    result.name = expect_name("a variant");
    if (!is(paren_open) || !is_same_line()) return result;
    take();
    const WithContext brackets(*this, {.is_in_brackets = true});
    Gather<Param> args(*this);
    comma_list(paren_close, "`,` or `)`", [&] {
        Param arg;
        if (kind(1) == colon) {
            arg.name = expect_name("a name");
            take();
        }
        arg.type = type();
        args.add(arg);
    });
    result.args = args.take();
    return result;
}

Decl* Parser::type_declaration(DeclKind kind, const Modifiers& modifiers) {
    const Nesting nesting(*this);
    auto* node = make_decl<TypeDecl>(kind, modifiers);
    node->is_abstract = modifiers.is_abstract;
    take();
    node->name = expect_name("the name of the type");
    node->generics = generics();
    if (kind == DeclKind::klass) {
        if (take_if(kw_extends)) node->base = type();
        if (take_if(kw_implements)) {
            Gather<TypeNode*> interfaces(*this);
            do interfaces.add(type());
            while (take_if(comma));
            node->interfaces = interfaces.take();
        }
    }
    expect(brace_open, "`{`");
    node->members = members(kind);
    return node;
}

std::span<Decl* const> Parser::members(DeclKind kind) {
    const WithContext plain(*this, {});
    Gather<Decl*> result(*this);
    while (!is(brace_close)) {
        if (is(end_of_file)) fail("`}`");
        if (take_if(semicolon) || take_if(comma)) continue;
        const std::uint32_t begin = at_;
        mark_item();
        try {
            result.add(member(kind));
            // The grammar needs nothing between members.
            if (!take_if(comma)) take_if(semicolon);
        } catch (const Failure&) {
            recover(begin);
            if (at_ == begin && !is(brace_close)) take();
            if (is(end_of_file)) throw;
        }
    }
    take();
    return result.take();
}

Decl* Parser::member(DeclKind owner) {
    const std::uint32_t begin = at_;
    const Modifiers found_modifiers = modifiers();
    Decl* result = nullptr;
    if (is(kw_fn)) {
        result = function(found_modifiers, owner == DeclKind::interface);
    } else if (owner == DeclKind::interface) {
        fail("`fn`");
    } else if (is(kw_constructor) && owner != DeclKind::structure) {
        result = constructor(found_modifiers);
    } else if (is(kw_enum)) {
        result = enumeration(found_modifiers);
    } else if (is(name)) {
        result = field(found_modifiers);
    } else {
        fail(owner == DeclKind::structure ? "a field" : "a field, `fn` or `constructor`");
    }
    result->span = span_from(begin);
    return result;
}

Decl* Parser::field(const Modifiers& modifiers) {
    auto* node = make_decl<FieldDecl>(DeclKind::field, modifiers);
    // `state: T` is a field called state.
    if (is_word("state") && kind(1) == name) {
        take();
        node->is_state = true;
    }
    node->name = expect_name("a field");
    expect(colon, "`:` and a type");
    node->type = type();
    if (take_if(assign)) node->value = expression();
    return node;
}

Decl* Parser::alias(const Modifiers& modifiers) {
    auto* node = make_decl<AliasDecl>(DeclKind::alias, modifiers);
    take();
    node->name = expect_name("the name of the type");
    node->generics = generics();
    expect(assign, "`=`");
    node->type = type();
    return node;
}

std::span<const Generic> Parser::generics() {
    if (!is(less)) return {};
    tokens_[at_].role = TokenRole::generic;
    take();
    Gather<Generic> result(*this);
    do {
        Generic generic;
        generic.name = expect_name("a type parameter");
        if (take_if(colon)) generic.bound = type();
        result.add(generic);
    } while (take_if(comma));
    tokens_[at_].role = TokenRole::generic;
    expect(greater, "`>`");
    return result.take();
}

}  // namespace gyre::vela::internal
