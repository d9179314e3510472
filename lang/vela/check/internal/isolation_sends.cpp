// SPDX-License-Identifier: Apache-2.0
// The values that go to actors: the part of an expression that cannot be sent.
#include "lang/vela/check/internal/isolation.hpp"

#include <utility>

namespace gyre::vela::internal {
namespace {

std::string shown(const Module& module, const Expr& node, const Type* type) {
    const std::string_view text = module.source->text(node.span);
    constexpr std::size_t text_bytes_max = 30;
    const bool is_short = text.size() <= text_bytes_max && text.find('\n') == text.npos;
    return is_short ? concat("`", text, "`") : concat("this ", type_text(type));
}

}  // namespace

void Isolation::check_sent(const Module& module, const Expr& given) {
    const Expr& node = bare(given);
    if (node.kind == ExprKind::lambda) return check_closure(module, as<LambdaExpr>(node));
    const Fact& fact = module.facts[node.index];
    if (fact.type == nullptr || check_parts(module, node)) return;
    // The name of a function captures nothing.
    if (fact.meaning.kind == MeaningKind::function && node.kind != ExprKind::call) {
        const Use use{node.span, module.source->text(node.span), nullptr, fact.meaning.function};
        return refuse_state(module, use);
    }
    if (fact.meaning.kind == MeaningKind::variant && node.kind != ExprKind::call) return;
    if (const auto found = sendable_.obstacle(fact.type)) refuse_type(module, node, *found);
}

// Whether the parts of a literal or a construction decide.
bool Isolation::check_parts(const Module& module, const Expr& node) {
    const auto check_all = [&](std::span<Expr* const> items) {
        for (const Expr* item : items) check_sent(module, *item);
        return true;
    };
    const Meaning& meaning = module.facts[node.index].meaning;
    switch (node.kind) {
        case ExprKind::list:
        case ExprKind::tuple:
            return check_all(as<ItemsExpr>(node).items);
        case ExprKind::map:
            for (const MapEntry& entry : as<MapExpr>(node).entries) {
                check_sent(module, *entry.key);
                check_sent(module, *entry.value);
            }
            return true;
        case ExprKind::struct_literal:
            if (known(module.facts[node.index].type)->info->kind != DeclKind::structure) {
                return false;
            }
            for (const FieldValue& field : as<StructExpr>(node).fields) {
                check_sent(module, *field.value);
            }
            return true;
        case ExprKind::call: {
            const bool is_value =
                meaning.kind == MeaningKind::variant ||
                (meaning.kind == MeaningKind::construction &&
                 meaning.type->kind == DeclKind::structure && meaning.type->constructors.empty());
            if (!is_value) return false;
            for (const Argument& argument : as<CallExpr>(node).args) {
                check_sent(module, *argument.value);
            }
            return true;
        }
        default:
            return false;
    }
}

const LocalFact* Isolation::local_at(const Module& module, std::uint32_t place) {
    auto& locals = locals_[&module];
    if (locals.empty()) {
        for (const LocalFact& fact : module.locals) locals.emplace(fact.place, &fact);
    }
    const auto found = locals.find(place);
    return found == locals.end() ? nullptr : found->second;
}

// A closure goes with what it captures, which must be sendable and never change.
void Isolation::check_closure(const Module& module, const LambdaExpr& node) {
    bool is_told = false;
    const auto refuse = [&](const Expr& part, std::string_view name, std::string why) {
        if (std::exchange(is_told, true)) return;
        program_.diagnostics
            .error("E0311", *module.source, {node.span.begin, node.span.begin + 1},
                   concat("this closure cannot be sent to an actor: it captures `", name, "`"))
            .note(*module.source, part.span, std::move(why));
    };
    Unit unit;
    unit.module = &module;
    Walk walk{[&](const Expr& part) {
        add_uses(unit, part);
        const Fact& fact = module.facts[part.index];
        if (part.kind == ExprKind::this_value || fact.meaning.kind == MeaningKind::field) {
            const bool is_own = part.kind == ExprKind::this_value || part.kind == ExprKind::name;
            if (is_own) refuse(part, "this", "which is not a value");
        }
        if (fact.meaning.kind != MeaningKind::local) return;
        const std::uint32_t place = fact.meaning.place;
        if (place >= node.span.begin && place < node.span.end) return;
        const LocalFact* local = local_at(module, place);
        if (local == nullptr || local->type == nullptr) return;
        const std::string_view name = module.source->text(part.span);
        if (local->is_changed) refuse(part, name, "which is reassigned");
        if (const auto found = sendable_.obstacle(local->type)) refuse(part, name, found->what);
    }};
    walk.statement(node.body);
    for (const Use& use : unit.uses) refuse_state(module, use);
}

void Isolation::refuse_type(const Module& module, const Expr& node, const Obstacle& found) {
    const Type* type = module.facts[node.index].type;
    Diagnostic& diagnostic = program_.diagnostics.error(
        "E0311", *module.source, node.span,
        concat(shown(module, node, type), " cannot be sent to an actor: ", found.what));
    if (found.module != nullptr && !found.module->is_standard) {
        diagnostic.note(*found.module->source, found.place, "this part");
    } else {
        diagnostic.note(
            "numbers, text, structs, enums, lists and maps of such, and references to "
            "actors and promises can");
    }
}

}  // namespace gyre::vela::internal
