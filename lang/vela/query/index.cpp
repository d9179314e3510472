// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/query/index.hpp"

#include <algorithm>
#include <tuple>

#include "gyre/base/assert.hpp"

namespace gyre::vela {
namespace {

bool is_self(const NameUse& use) {
    return use.in == use.module && use.span == use.declared;
}

auto order_of(const NameUse& use) {
    // Of several uses at one place, those of other declarations come first.
    return std::tuple(use.in, use.span.begin, use.span.end, is_self(use), use.module,
                      use.declared.begin);
}

EntityKind kind_of(const Symbol& symbol) {
    switch (symbol.kind) {
        case SymbolKind::variable:
            return EntityKind::variable;
        case SymbolKind::function:
            return EntityKind::function;
        case SymbolKind::type:
            return EntityKind::type;
        case SymbolKind::alias:
            return EntityKind::alias;
        case SymbolKind::variant:
            return EntityKind::variant;
        case SymbolKind::module:
            return EntityKind::module;
    }
    return EntityKind::variable;
}

}  // namespace

Index::Index(const Program& program) {
    GYRE_ASSERT(program.editor != nullptr, "the check was not for an editor");
    for (const NameUse& use : program.editor->uses) {
        if (!use.in->is_standard) uses_.push_back(use);
    }
    add_module(program.standard);
    for (const auto& [path, module] : program.modules) add_module(*module);
    for (const TypeInfo& info : program.infos) add_type(info);
    for (const FunctionInfo& function : program.functions) {
        const bool is_method = function.owner != nullptr;
        if (function.node->kind == DeclKind::constructor) continue;
        add({is_method ? EntityKind::method : EntityKind::function, function.name.text,
             function.module, function.name.span, nullptr, &function, function.owner,
             function.node});
    }
    // Locals and type parameters are known by their uses alone.
    for (const NameUse& use : program.editor->uses) {
        const Key key{use.module, use.declared.begin};
        if (use.in != use.module || use.declared.end == 0 || entities_.contains(key)) continue;
        const bool is_generic = use.type == nullptr;
        Entity& made = entities_[key];
        made.kind = is_generic ? EntityKind::generic : EntityKind::variable;
        made.name = use.module->source->text(use.declared);
        made.module = use.module;
        made.declared = use.declared;
        made.type = use.type;
        if (is_generic) uses_.push_back({use.module, use.declared, use.module, use.declared, {}});
    }
    sort_uses();
}

// The declaration is a use of itself.
void Index::add(Entity entity) {
    const Key key{entity.module, entity.declared.begin};
    if (!entities_.try_emplace(key, entity).second || entity.module->is_standard) return;
    uses_.push_back({entity.module, entity.declared, entity.module, entity.declared, entity.type});
}

void Index::add_module(const Module& module) {
    Entity whole;
    whole.kind = EntityKind::module;
    whole.name = module.path;
    whole.module = &module;
    entities_.try_emplace(Key{&module, 0}, whole);
    for (const auto& [name, symbol] : module.declared) {
        // Those of types and functions come from their own tables.
        const bool is_own = symbol.kind == SymbolKind::variable || symbol.kind == SymbolKind::alias;
        if (!is_own || symbol.name.span.end == 0) continue;
        add({kind_of(symbol), symbol.name.text, &module, symbol.name.span, symbol.type, nullptr,
             nullptr, symbol.alias});
    }
    for (const Symbol& alias : module.aliases) {
        add({EntityKind::module, alias.name.text, &module, alias.name.span, nullptr, nullptr,
             nullptr, nullptr});
    }
}

void Index::add_type(const TypeInfo& info) {
    add({EntityKind::type, info.name.text, info.module, info.name.span, nullptr, nullptr, &info,
         info.node});
    for (const FieldInfo& field : info.fields) {
        add({EntityKind::field, field.name.text, info.module, field.name.span, field.type, nullptr,
             &info, field.node});
    }
    for (const VariantInfo& variant : info.variants) {
        add({EntityKind::variant, variant.name.text, info.module, variant.name.span, nullptr,
             nullptr, &info, nullptr});
        for (const ParamInfo& arg : variant.args) {
            if (arg.name.text.empty()) continue;
            add({EntityKind::variable, arg.name.text, info.module, arg.name.span, arg.type, nullptr,
                 nullptr, nullptr});
        }
    }
}

void Index::sort_uses() {
    std::sort(uses_.begin(), uses_.end(),
              [](const NameUse& a, const NameUse& b) { return order_of(a) < order_of(b); });
    const auto is_known = [](const NameUse& a, const NameUse& b) {
        const bool is_same_place = a.in == b.in && a.span == b.span;
        const bool is_same = a.module == b.module && a.declared.begin == b.declared.begin;
        return is_same_place && (is_same || is_self(b));
    };
    uses_.erase(std::unique(uses_.begin(), uses_.end(), is_known), uses_.end());
}

const NameUse* Index::use_at(const Module& module, std::uint32_t offset) const {
    const auto after = std::partition_point(uses_.begin(), uses_.end(), [&](const NameUse& use) {
        return use.in < &module || (use.in == &module && use.span.begin <= offset);
    });
    // Names do not overlap: only the last ones that begin before the offset can cover it.
    const NameUse* found = nullptr;
    for (auto use = after; use != uses_.begin();) {
        --use;
        if (use->in != &module || use->span.end < offset) break;
        // The first of several at one place, and the one that begins here rather than ends here.
        if (found != nullptr && use->span.begin != found->span.begin) break;
        found = &*use;
    }
    return found;
}

std::vector<NameUse> Index::uses_of(const NameUse& use) const {
    std::vector<NameUse> found;
    for (const NameUse& other : uses_) {
        const bool is_same =
            other.module == use.module && other.declared.begin == use.declared.begin;
        if (is_same) found.push_back(other);
    }
    return found;
}

const Entity* Index::entity_of(const NameUse& use) const {
    const auto found = entities_.find(Key{use.module, use.declared.begin});
    return found == entities_.end() ? nullptr : &found->second;
}

}  // namespace gyre::vela
