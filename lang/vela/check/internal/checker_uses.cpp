// SPDX-License-Identifier: Apache-2.0
// What a check for an editor records beside the facts: uses of names, and the surroundings of the
// name that is asked about.
#include "lang/vela/check/internal/checker.hpp"

namespace gyre::vela::internal {

void Declarations::note_use(const Module& in, Span span, const Module* module, Span declared) {
    if (program_.editor == nullptr || module == nullptr) return;
    program_.editor->uses.push_back({&in, span, module, declared, nullptr});
}

// A type parameter has no node: its name is a part of the text that declares it.
void Declarations::note_generic(const Module& in, const Name& name, const Type* generic) {
    if (program_.editor == nullptr) return;
    const std::string_view text = in.source->text();
    const bool is_here =
        generic->name.data() >= text.data() && generic->name.data() < text.data() + text.size();
    if (!is_here) return;
    const auto begin = static_cast<std::uint32_t>(generic->name.data() - text.data());
    const auto end = static_cast<std::uint32_t>(begin + generic->name.size());
    note_use(in, name.span, &in, {begin, end});
}

void Declarations::note_asked_type(const Generics& generics, std::string_view name) {
    if (program_.editor == nullptr || asked.empty() || name != asked) return;
    Asked& noted = program_.editor->asked;
    noted.kind = AskedKind::type;
    noted.inside = inside;
    noted.generics = generics;
}

void Checker::note_meaning(Span span, const Meaning& meaning, const Type* type) {
    if (program_.editor == nullptr) return;
    const auto note = [&](const Module* module, Span declared) {
        if (module == nullptr) return;
        program_.editor->uses.push_back({module_, span, module, declared, type});
    };
    switch (meaning.kind) {
        case MeaningKind::local:
            return note(module_, {meaning.place, meaning.place + span.end - span.begin});
        case MeaningKind::global:
            return note(meaning.symbol->module, meaning.symbol->name.span);
        case MeaningKind::field:
        case MeaningKind::property:
            return note(meaning.field->owner->module, meaning.field->name.span);
        case MeaningKind::function:
        case MeaningKind::method:
            return note(meaning.function->module, meaning.function->name.span);
        case MeaningKind::variant:
            return note(meaning.variant->owner->module, meaning.variant->name.span);
        case MeaningKind::construction:
            return note(meaning.type->module, meaning.type->name.span);
        default:
            return;
    }
}

// The name of a callee: `X::new` and `X(...)` are uses of X.
void Checker::note_callee(const CallExpr& node, const Meaning& meaning) {
    if (program_.editor == nullptr) return;
    if (node.callee->kind == ExprKind::name) {
        note_meaning(name_span(as<NameExpr>(*node.callee)), meaning, nullptr);
    } else if (node.callee->kind == ExprKind::member) {
        const Name& name = as<MemberExpr>(*node.callee).name;
        const bool is_new =
            meaning.kind == MeaningKind::construction && name.text != meaning.type->name.text;
        if (!is_new) note_meaning(name.span, meaning, nullptr);
    }
}

// The type or module in front of a member.
void Checker::note_object(const Expr& node, const Named& meant) {
    if (program_.editor == nullptr) return;
    const bool is_name = node.kind == ExprKind::name;
    const Span span = is_name ? name_span(as<NameExpr>(node)) : as<MemberExpr>(node).name.span;
    if (!is_name) {
        const Expr& outer = *as<MemberExpr>(node).object;
        if (outer.kind == ExprKind::name || outer.kind == ExprKind::member) {
            note_object(outer, named(outer));
        }
    }
    const bool is_alias = meant.module != nullptr || meant.meant != nullptr;
    if (is_alias && is_name) {
        const Symbol* symbol = find_type_symbol(program_, *module_, as<NameExpr>(node).text);
        if (symbol == nullptr) return;
        const Module* in = symbol->module == nullptr ? module_ : symbol->module;
        declarations_.note_use(*module_, span, in, symbol->name.span);
    } else if (meant.info != nullptr) {
        declarations_.note_use(*module_, span, meant.info->module, meant.info->name.span);
    }
}

bool Checker::is_asked(std::string_view name) const {
    return program_.editor != nullptr && !name.empty() && name == options_.asked;
}

Asked& Checker::note_asked(AskedKind kind) {
    Asked& noted = program_.editor->asked;
    noted = {};
    noted.kind = kind;
    noted.inside = class_;
    noted.generics = generics_;
    for (const Local& local : locals_) {
        noted.locals.push_back({local.name, local.type, local.place});
    }
    return noted;
}

}  // namespace gyre::vela::internal
