// SPDX-License-Identifier: Apache-2.0
// Lookup of names, in the same order as the checker, and matching of patterns.
#include <algorithm>

#include "lang/vela/reference/internal/evaluator.hpp"

namespace gyre::vela::internal {

void Evaluator::declare(Place& at, std::string_view text, Value value) {
    at.names = heap_.make<Binding>(text, heap_.copied(value), at.names);
}

Binding* Evaluator::find(const Place& at, std::string_view text) const {
    for (Binding* binding = at.names; binding != nullptr; binding = binding->outer) {
        if (binding->name == text && binding->value.as<LocalEnum>() == nullptr) return binding;
    }
    return nullptr;
}

Binding* Evaluator::find_global(const Module& module, std::string_view text) {
    const Place at{nullptr, globals_[&module], nullptr};
    return find(at, text);
}

const Symbol* Evaluator::symbol(const Module& module, std::string_view text) const {
    if (const auto own = module.declared.find(text); own != module.declared.end()) {
        return &own->second;
    }
    if (const auto other = module.imported.find(text); other != module.imported.end()) {
        return other->second;
    }
    const auto& standard = runtime_.program.standard.declared;
    const auto found = standard.find(text);
    return found != standard.end() ? &found->second : nullptr;
}

// A variant hides no type.
const Symbol* Evaluator::type_symbol(const Module& module, std::string_view text) const {
    const Symbol* found = symbol(module, text);
    if (found == nullptr || found->kind != SymbolKind::variant) return found;
    if (const auto other = module.imported.find(text); other != module.imported.end()) {
        if (other->second->kind != SymbolKind::variant) return other->second;
    }
    const auto& standard = runtime_.program.standard.declared;
    const auto known_symbol = standard.find(text);
    return known_symbol != standard.end() ? &known_symbol->second : found;
}

const Variant* Evaluator::find_variant(std::string_view text, const Place& at) const {
    const auto in = [&](const EnumDecl& node) -> const Variant* {
        for (const Variant& variant : node.variants) {
            if (variant.name.text == text) return &variant;
        }
        return nullptr;
    };
    for (const Binding* binding = at.names; binding != nullptr; binding = binding->outer) {
        const auto* local = binding->value.as<LocalEnum>();
        if (local == nullptr) continue;
        if (const Variant* found = in(local->node)) return found;
    }
    const Home& home = at.frame->home;
    if (home.type != nullptr) {
        for (const TypeInfo* nested : home.type->nested) {
            if (const Variant* found = in(as<EnumDecl>(*nested->node))) return found;
        }
    }
    const Symbol* found = symbol(*home.module, text);
    if (found != nullptr && found->kind == SymbolKind::variant) {
        return in(as<EnumDecl>(*found->variant->owner->node));
    }
    if (found != nullptr) return nullptr;
    // Not visible by itself: the checker has resolved it by the wanted type.
    for (const TypeInfo& info : runtime_.program.infos) {
        if (info.kind != DeclKind::enumeration) continue;
        if (const Variant* variant = in(as<EnumDecl>(*info.node))) return variant;
    }
    return nullptr;
}

Evaluator::Named Evaluator::named(const Expr& node, const Place& at) const {
    const Home& home = at.frame->home;
    if (node.kind == ExprKind::name) {
        const std::string_view text = as<NameExpr>(node).text;
        if (find(at, text) != nullptr) return {};
        for (const Binding* binding = at.names; binding != nullptr; binding = binding->outer) {
            const auto* local = binding->value.as<LocalEnum>();
            if (local != nullptr && binding->name == text) return {.local = &local->node};
        }
        if (home.type != nullptr) {
            for (const TypeInfo* nested : home.type->nested) {
                if (nested->name.text == text) return {.type = nested};
            }
        }
        const Symbol* found = type_symbol(*home.module, text);
        if (found == nullptr) return {};
        if (found->kind == SymbolKind::type) return {.type = found->info};
        if (found->kind == SymbolKind::module) return {.module = found->target};
        if (found->kind != SymbolKind::alias) return {};
        return {.type = written_type(*found->alias->type, Home{found->module, nullptr, nullptr})};
    }
    if (node.kind != ExprKind::member) return {};
    const auto& of = as<MemberExpr>(node);
    const Named outer = named(*of.object, at);
    if (outer.module != nullptr) {
        const Symbol* found = symbol(*outer.module, of.name.text);
        if (found != nullptr && found->kind == SymbolKind::type) return {.type = found->info};
    }
    if (outer.type != nullptr) {
        for (const TypeInfo* nested : outer.type->nested) {
            if (nested->name.text == of.name.text) return {.type = nested};
        }
    }
    return {};
}

Value* Evaluator::place_of(std::string_view text, Place& at) {
    if (Binding* local = find(at, text)) return &local->value;
    const Home& home = at.frame->home;
    if (home.self != nullptr && home.self->field(text) != nullptr) return home.self->field(text);
    const Symbol* found = symbol(*home.module, text);
    const bool is_global = found != nullptr && found->kind == SymbolKind::variable;
    Binding* global = is_global ? find_global(*found->module, text) : nullptr;
    return global == nullptr ? nullptr : &global->value;
}

void Evaluator::assign_name(std::string_view text, Value value, Place& at) {
    if (text == "_") return;
    if (Value* place = place_of(text, at)) {
        *place = fitted(runtime_, heap_.copied(value), type_of(runtime_, *place));
    } else {
        declare(at, text, value);
    }
}

Value Evaluator::name(const NameExpr& node, Place& at) {
    const Home& home = at.frame->home;
    if (const Binding* local = find(at, node.text)) return local->value;
    if (home.self != nullptr && home.self->field(node.text) != nullptr) {
        return *home.self->field(node.text);
    }
    if (const Variant* variant = find_variant(node.text, at)) {
        return variant->args.empty() ? heap_.variant(variant->name.text)
                                     : variant_function(runtime_, variant->name.text);
    }
    const Symbol* found = symbol(*home.module, node.text);
    if (found == nullptr && node.text == "spawn") {
        return heap_.make<SpawnFunction>(*this, at.group);
    }
    if (found == nullptr) throw InternalError{"unknown name " + std::string(node.text)};
    return symbol_value(*found);
}

Value Evaluator::symbol_value(const Symbol& of) {
    if (of.kind == SymbolKind::function) {
        const bool is_native = of.function->module->is_standard;
        return is_native ? native_function(runtime_, *of.function, {})
                         : Value(method(*of.function, nullptr));
    }
    if (of.kind != SymbolKind::variable) {
        throw InternalError{"no value: " + std::string(of.name.text)};
    }
    if (of.module->is_standard) {
        const Given none;
        return run_now(construct(*known(of.type)->info, none));
    }
    const Binding* global = find_global(*of.module, of.name.text);
    if (global == nullptr) {
        runtime_.fail("Error", "`" + std::string(of.name.text) + "` has no value yet");
    }
    return global->value;
}

const TypeInfo* Evaluator::written_type(const TypeNode& node, const Home& home) const {
    const Builtins& types = runtime_.program.types.builtins;
    if (node.kind == TypeKind::list) return types.list;
    if (node.kind == TypeKind::option) return types.option;
    if (node.kind == TypeKind::tuple && node.parts.empty()) return types.nothing;
    if (node.kind != TypeKind::name) return nullptr;
    const std::string_view first = node.path[0].text;
    if (home.type != nullptr) {
        for (const TypeInfo* nested : home.type->nested) {
            if (nested->name.text == first) return nested;
        }
    }
    const Symbol* found = type_symbol(*home.module, first);
    const bool is_in_module =
        found != nullptr && found->kind == SymbolKind::module && node.path.size() == 2;
    if (is_in_module) found = type_symbol(*found->target, node.path[1].text);
    if (found == nullptr) return nullptr;
    if (found->kind == SymbolKind::type) return found->info;
    if (found->kind != SymbolKind::alias) return nullptr;
    return written_type(*found->alias->type, Home{found->module, nullptr, nullptr});
}

bool Evaluator::matches(const Pattern& node, const Value& value, Place& at) {
    const auto all_match = [&](const Values& parts) {
        if (parts.size() != node.parts.size()) return false;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!matches(*node.parts[i], parts[i], at)) return false;
        }
        return true;
    };
    switch (node.kind) {
        case PatternKind::wildcard:
            return true;
        case PatternKind::bind:
            declare(at, node.path[0].text, value);
            return true;
        case PatternKind::literal:
            return are_equal(run_now(expr(*node.value, at)), value);
        case PatternKind::tuple:
            return value.as<Tuple>() != nullptr && all_match(value.as<Tuple>()->items);
        case PatternKind::variant: {
            const auto* variant = value.as<EnumValue>();
            return variant != nullptr && variant->name == node.path.back().text &&
                   all_match(variant->payload);
        }
        case PatternKind::alternatives:
            return std::any_of(node.parts.begin(), node.parts.end(), [&](const Pattern* part) {
                Place inside = at;
                if (!matches(*part, value, inside)) return false;
                at = inside;
                return true;
            });
    }
    return false;
}

}  // namespace gyre::vela::internal
