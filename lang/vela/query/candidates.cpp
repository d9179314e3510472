// SPDX-License-Identifier: Apache-2.0
// The names that could stand at the place an editor asks about.
#include <algorithm>
#include <map>

#include "lang/vela/query/index.hpp"

namespace gyre::vela {
namespace {

constexpr std::string_view keywords[] = {
#define GYRE_VELA_KEYWORD_TEXT(word) #word,
    GYRE_VELA_KEYWORDS(GYRE_VELA_KEYWORD_TEXT)
#undef GYRE_VELA_KEYWORD_TEXT
};
// They are names elsewhere.
constexpr std::string_view contextual_words[] = {"actor", "hide",  "scope", "self", "show",
                                                 "spawn", "state", "type",  "as"};

class Collector {
public:
    // The first candidate of a name stays: inner ones are added first.
    void add(std::string_view name, EntityKind kind, std::string detail) {
        if (name.empty() || name == "_") return;
        found_.try_emplace(std::string(name),
                           Candidate{std::string(name), kind, false, std::move(detail)});
    }
    void add_keyword(std::string_view word) {
        found_.try_emplace(std::string(word),
                           Candidate{std::string(word), EntityKind::variable, true, "keyword"});
    }
    std::vector<Candidate> take() {
        std::vector<Candidate> all;
        for (auto& [name, candidate] : found_) all.push_back(std::move(candidate));
        return all;
    }

private:
    std::map<std::string, Candidate> found_;
};

std::string function_text(const FunctionInfo& function) {
    Entity entity;
    entity.kind = EntityKind::function;
    entity.name = function.name.text;
    entity.module = function.module;
    entity.node = function.node;
    return declaration_text(entity);
}

void add_symbol(Collector& to, const Symbol& symbol, bool only_types) {
    const std::string_view name = symbol.name.text;
    switch (symbol.kind) {
        case SymbolKind::variable:
            if (only_types) return;
            return to.add(name, EntityKind::variable,
                          symbol.type == nullptr ? "" : type_text(symbol.type));
        case SymbolKind::function:
            if (only_types || symbol.function == nullptr) return;
            return to.add(name, EntityKind::function, function_text(*symbol.function));
        case SymbolKind::type:
            return to.add(name, EntityKind::type, "type");
        case SymbolKind::alias:
            return to.add(name, EntityKind::alias, "type");
        case SymbolKind::variant:
            if (only_types || symbol.variant == nullptr) return;
            return to.add(name, EntityKind::variant, std::string(symbol.variant->owner->name.text));
        case SymbolKind::module:
            return to.add(name, EntityKind::module, "module");
    }
}

// Names of the standard surface that stand for the compiler, not for programs.
bool is_hidden(std::string_view name) {
    return name == "void" || name == "Eventual" || name.ends_with("Members");
}

void add_module_names(Collector& to, const Program& program, const Module& module,
                      bool only_types) {
    for (const auto& [name, symbol] : module.declared) add_symbol(to, symbol, only_types);
    for (const auto& [name, symbol] : module.imported) {
        if (symbol->kind == SymbolKind::module || symbol->module != nullptr) {
            add_symbol(to, *symbol, only_types);
        }
    }
    for (const auto& [name, symbol] : program.standard.declared) {
        if (!is_hidden(name)) add_symbol(to, symbol, only_types);
    }
}

void add_members(Collector& to, const Program& program, const Type* type, const TypeInfo* inside) {
    type = known(type);
    if (type->sort == TypeSort::parameter && type->bound != nullptr) type = known(type->bound);
    if (type->sort != TypeSort::nominal) return;
    if (type->info == program.types.builtins.actor_ref) {
        to.add("send", EntityKind::method, "fn send(self, message) -> void");
    }
    for (const Type* at = type; at != nullptr && at->sort == TypeSort::nominal;) {
        const TypeInfo& info = at->info->members != nullptr ? *at->info->members : *at->info;
        const auto is_visible = [&](Visibility visibility) {
            return visibility != Visibility::is_private || inside == &info;
        };
        for (const FieldInfo& field : info.fields) {
            const bool is_of_actor = info.kind == DeclKind::actor && inside != &info;
            if (is_of_actor || !is_visible(field.node->visibility)) continue;
            to.add(field.name.text, EntityKind::field, type_text(field.type));
        }
        for (const FunctionInfo* method : info.methods) {
            if (method->is_static || !is_visible(method->visibility)) continue;
            to.add(method->name.text, EntityKind::method, function_text(*method));
        }
        at = info.base == nullptr ? nullptr : known(info.base);
    }
}

void add_statics(Collector& to, const TypeInfo& info) {
    Entity of;
    of.kind = EntityKind::variant;
    of.info = &info;
    for (const VariantInfo& variant : info.variants) {
        of.name = variant.name.text;
        to.add(variant.name.text, EntityKind::variant, declaration_text(of));
    }
    for (const FunctionInfo* method : info.methods) {
        if (method->is_static) {
            to.add(method->name.text, EntityKind::method, function_text(*method));
        }
    }
    for (const TypeInfo* nested : info.nested) to.add(nested->name.text, EntityKind::type, "type");
    const bool can_be_made = info.kind != DeclKind::enumeration &&
                             info.kind != DeclKind::interface && !info.is_abstract &&
                             !info.is_standard;
    if (can_be_made) to.add("new", EntityKind::method, concat("makes a ", info.name.text));
}

void add_names(Collector& to, const Program& program, const Module& module, const Asked& asked) {
    for (auto local = asked.locals.rbegin(); local != asked.locals.rend(); ++local) {
        to.add(local->name, EntityKind::variable,
               local->type == nullptr ? "" : type_text(local->type));
    }
    if (asked.inside != nullptr) {
        for (const FieldInfo& field : asked.inside->fields) {
            to.add(field.name.text, EntityKind::field, type_text(field.type));
        }
    }
    // The variants of the enum that is wanted here, of another file too.
    const Type* wanted = asked.type == nullptr ? nullptr : known(asked.type);
    if (wanted != nullptr && wanted->sort == TypeSort::nominal) {
        for (const VariantInfo& variant : wanted->info->variants) {
            to.add(variant.name.text, EntityKind::variant, std::string(wanted->info->name.text));
        }
    }
    add_module_names(to, program, module, false);
}

}  // namespace

std::vector<Candidate> candidates(const Program& program, const Module& module) {
    Collector to;
    const Asked asked = program.editor == nullptr ? Asked{} : program.editor->asked;
    switch (asked.kind) {
        case AskedKind::member:
            add_members(to, program, asked.type, asked.inside);
            return to.take();
        case AskedKind::static_member:
            add_statics(to, *asked.info);
            return to.take();
        case AskedKind::module_member:
            for (const auto& [name, symbol] : asked.module->declared) {
                if (!symbol.is_private) add_symbol(to, symbol, false);
            }
            return to.take();
        case AskedKind::variant:
            for (const VariantInfo& variant : asked.info->variants) {
                to.add(variant.name.text, EntityKind::variant, std::string(asked.info->name.text));
            }
            return to.take();
        case AskedKind::type:
            for (const Type* generic : asked.generics) {
                to.add(generic->name, EntityKind::generic, "type parameter");
            }
            add_module_names(to, program, module, true);
            to.add("void", EntityKind::type, "type");
            return to.take();
        case AskedKind::name:
        case AskedKind::none:
            break;
    }
    add_names(to, program, module, asked);
    for (const std::string_view word : keywords) to.add_keyword(word);
    for (const std::string_view word : contextual_words) to.add_keyword(word);
    return to.take();
}

}  // namespace gyre::vela
