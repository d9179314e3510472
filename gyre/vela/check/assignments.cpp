// SPDX-License-Identifier: Apache-2.0
// Variables: declared where a name is new, assigned where it is in sight.
#include "gyre/vela/check/internal/checker.hpp"
#include "gyre/vela/syntax/concat.hpp"

namespace gyre::vela::internal {

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

void Checker::assignment(const AssignStmt& node) {
    const Expr& target = *node.target;
    if (target.kind == ExprKind::name && node.op == TokenKind::assign) {
        const auto& named_target = as<NameExpr>(target);
        const Type* type = nullptr;
        bool is_marked = true;
        Span place;
        // Copied, because looking at the value may declare more locals.
        if (const Local* local = find_local(named_target.text)) {
            type = local->type;
            change(*local);
            means(target, type, use(*local));
            is_marked = local->is_state;
            place = local->place;
        } else if (const Member field = own_field(named_target.text)) {
            type = types_.seen_from(field.field->type, field.owner);
            means(target, type, Meaning::of(MeaningKind::field, field.field));
        } else if (const auto global = module_->declared.find(named_target.text);
                   global != module_->declared.end() &&
                   global->second.kind == SymbolKind::variable) {
            type = global->second.type;
            means(target, type, Meaning::of(&global->second));
            is_marked = global->second.is_state;
            place = global->second.name.span;
        } else {
            declare_target(target, infer(*node.value));
            return;
        }
        if (!is_marked && options_.is_strict) {
            program_.diagnostics
                .warning("W0402", *module_->source, target.span,
                         concat("`", named_target.text, "` changes, but is not marked `state`"))
                .note(*module_->source, place, "declared here");
        }
        expect(*node.value, type);
        return;
    }
    if (target.kind == ExprKind::tuple) {
        const auto& names = as<ItemsExpr>(target).items;
        std::vector<const Type*> parts(names.size());
        for (const Type*& part : parts) part = types_.fresh();
        expect(*node.value, types_.tuple(parts));
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string_view text = as<NameExpr>(*names[i]).text;
            const Local* local = find_local(text);
            if (local == nullptr) {
                declare_target(*names[i], parts[i]);
                continue;
            }
            change(*local);
            means(*names[i], local->type, use(*local));
            if (!types_.assign(parts[i], local->type)) {
                mismatch(*names[i], local->type, parts[i]);
            }
        }
        return;
    }
    const Type* type = expr(target);
    if (target.kind == ExprKind::name) {
        if (const Local* local = find_local(as<NameExpr>(target).text)) change(*local);
    }
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

void Checker::declare_target(const Expr& target, const Type* type) {
    declare_local({as<NameExpr>(target).text, type, target.span, false});
    means(target, type, Meaning::local_at(target.span.begin));
}

}  // namespace gyre::vela::internal
