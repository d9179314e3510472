// SPDX-License-Identifier: Apache-2.0
// Declarations of types, and their members.
#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {

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
            // Separators between members are optional.
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
        limit_items(result.size(), "type parameters");
    } while (take_if(comma));
    close_types();
    return result.take();
}

}  // namespace gyre::vela::internal
