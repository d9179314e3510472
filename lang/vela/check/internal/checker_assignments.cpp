// SPDX-License-Identifier: Apache-2.0
// Variables: an assignment declares a new name, or assigns a visible one.
#include <algorithm>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// Checks a value without a wanted type.
bool is_discarded(const NameExpr& target) {
    return target.text == "_";
}

}  // namespace

void Checker::variable(const VariableStmt& node) {
    const Type* type = nullptr;
    if (node.type != nullptr) {
        type = written(*node.type);
        expect(*node.value, type);
    } else {
        type = infer(*node.value);
    }
    declare_local({node.name.text, type, node.name.span, node.is_state});
}

void Checker::warn_unmarked(const NameExpr& target, const Module& module, Span place) {
    if (!options_.is_strict) return;
    program_.diagnostics
        .warning("W0402", *module_->source, target.span,
                 concat("`", target.text, "` changes, but is not marked `state`"))
        .note(*module.source, place, "declared here");
}

// The type of the target of an assignment: a local, a field of `this` or a variable of a module.
// Null if the name is new.
const Type* Checker::assigned(const NameExpr& target) {
    if (is_discarded(target)) return nullptr;
    if (const Local* local = find_local(target.text)) {
        change(*local);
        if (!local->is_state) warn_unmarked(target, *module_, local->place);
        return means(target, local->type, use(*local));
    }
    if (const Member field = own_field(target.text)) {
        check_visible(field, {target.text, target.span});
        return means(target, types_.seen_from(field.field->type, field.owner),
                     Meaning::of(MeaningKind::field, field.field));
    }
    const Symbol* global = find_symbol(program_, *module_, target.text);
    const bool is_variable =
        global != nullptr && global->kind == SymbolKind::variable && !global->module->is_standard;
    if (!is_variable) return nullptr;
    reassigned_.insert(global);
    if (!global->is_state) warn_unmarked(target, *global->module, global->name.span);
    return means(target, global->type, Meaning::of(global));
}

void Checker::assignment(const AssignStmt& node) {
    const Expr& target = *node.target;
    if (target.kind == ExprKind::tuple) return tuple_assignment(node);
    const bool is_name = target.kind == ExprKind::name;
    const Type* type = is_name ? assigned(as<NameExpr>(target)) : nullptr;
    if (is_name && type == nullptr && node.op == TokenKind::assign) {
        declare_target(as<NameExpr>(target), infer(*node.value));
        return;
    }
    if (type == nullptr) type = expr(target);
    if (target.kind == ExprKind::member) refuse_fixed(as<MemberExpr>(target));
    if (node.op == TokenKind::assign) {
        expect(*node.value, type);
        return;
    }
    const Type* value = expr(*node.value, type);
    const bool is_text =
        node.op == TokenKind::plus_assign && Types::is(type, types_.builtins.string);
    if (is_text) return;
    if (!is_numeric(type)) {
        mismatch(target, types_.number(), type);
        return;
    }
    const bool widens =
        Types::is(type, types_.builtins.real) && Types::is(value, types_.builtins.number);
    if (!widens && !types_.assign(value, type)) mismatch(*node.value, type, value);
}

// Methods and properties of the standard surface cannot be assigned, except the text of an error.
void Checker::refuse_fixed(const MemberExpr& target) {
    const Meaning& meaning = fact(target).meaning;
    const bool is_own_field =
        meaning.kind == MeaningKind::field &&
        (!meaning.field->owner->is_standard || meaning.field->owner == types_.builtins.error);
    const bool is_open = meaning.kind == MeaningKind::none || meaning.kind == MeaningKind::global;
    if (is_own_field || is_open) return;
    error("E0303", target.name.span, concat("`", target.name.text, "` cannot be assigned to"));
}

// The types of known names are wanted of the value; new names are not visible in it.
void Checker::tuple_assignment(const AssignStmt& node) {
    const auto& targets = as<ItemsExpr>(*node.target).items;
    std::vector<const Type*> parts;
    std::vector<bool> is_new;
    for (const Expr* item : targets) {
        const Type* known_type = assigned(as<NameExpr>(*item));
        is_new.push_back(known_type == nullptr);
        parts.push_back(known_type != nullptr ? known_type : types_.fresh());
    }
    expect(*node.value, types_.tuple(parts));
    const std::size_t mark = locals_.size();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (is_new[i]) declare_target(as<NameExpr>(*targets[i]), parts[i]);
    }
    refuse_twins(mark);
}

void Checker::declare_target(const NameExpr& target, const Type* type) {
    if (is_discarded(target)) {
        fact(target).type = type;
        return;
    }
    declare_local({target.text, type, target.span, false});
    means(target, type, Meaning::local_at(target.span.begin));
}

// The locals from `mark` on are declared together: no two may have the same name.
void Checker::refuse_twins(std::size_t mark) {
    for (std::size_t i = mark; i < locals_.size(); ++i) {
        const Local& own = locals_[i];
        const std::vector<std::size_t>& places = local_places_[own.name];
        const std::size_t first = *std::lower_bound(places.begin(), places.end(), mark);
        if (first == i || own.name == "_") continue;
        error("E0317", own.place, concat("`", own.name, "` is declared twice"))
            .note(*module_->source, locals_[first].place, "first here");
    }
}

}  // namespace gyre::vela::internal
