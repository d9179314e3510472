// SPDX-License-Identifier: Apache-2.0
// The rules of structs, classes and actors: their members, their bases, their interfaces.
#include <algorithm>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

void Checker::type_declaration(TypeInfo& info) {
    class_ = &info;
    declarations_.inside = &info;
    const Scope scope(*this);
    generics_.insert(generics_.end(), info.params.begin(), info.params.end());
    fields(info);
    class_rules(info);
    for (const FunctionInfo* constructor : info.constructors) {
        has_this_ = true;
        function(*constructor);
    }
    for (const FunctionInfo* method : info.methods) {
        has_this_ = !method->is_static;
        const std::string_view name = method->name.text;
        const bool is_handler = info.kind == DeclKind::actor && !method->params.empty() &&
                                (name == "handleMessage" || name == "receive");
        message_name_ = is_handler ? method->params[0].name.text : std::string_view();
        function(*method);
        message_name_ = {};
    }
    has_this_ = false;
    class_ = nullptr;
    declarations_.inside = nullptr;
}

void Checker::fields(TypeInfo& info) {
    std::unordered_map<std::string_view, Span> first;
    for (const FieldInfo& field : info.fields) {
        const auto [place, is_new] = first.emplace(field.name.text, field.name.span);
        if (!is_new) {
            error("E0317", field.name.span, concat("`", field.name.text, "` is declared twice"))
                .note(*module_->source, place->second, "first here");
        }
        if (field.node->value != nullptr) expect(*field.node->value, field.type);
    }
}

// A value of a struct has a size only if it does not contain another value of the same struct.
void Checker::refuse_self(const TypeInfo& info) {
    for (const FieldInfo& field : info.fields) {
        std::set<const TypeInfo*> seen;
        if (!contains(field.type, info, seen)) continue;
        if (self_containing_.contains(&info)) return;
        // Of the structs of a circle, the first is reported.
        self_containing_.merge(seen);
        error("E0315", field.name.span,
              concat("the struct `", info.name.text, "` cannot contain itself"))
            .note(concat("write `", type_text(field.type), "?` or a List: these can be empty"));
        return;
    }
}

bool Checker::contains(const Type* type, const TypeInfo& wanted, std::set<const TypeInfo*>& seen) {
    type = known(type);
    if (type->sort == TypeSort::tuple) {
        return std::any_of(type->args.begin(), type->args.end(),
                           [&](const Type* item) { return contains(item, wanted, seen); });
    }
    if (type->sort != TypeSort::nominal || type->info->kind != DeclKind::structure) return false;
    if (type->info == &wanted) return true;
    if (!seen.insert(type->info).second) return false;
    const auto& fields = type->info->fields;
    return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& field) {
        return contains(types_.seen_from(field.type, type), wanted, seen);
    });
}

void Checker::check_keys() {
    std::set<std::uint32_t> told;
    for (const auto& [module, place, key] : declarations_.keyed) {
        if (module != module_ || is_key(types_, key) || !told.insert(place.begin).second) continue;
        error("E0303", place, concat("expected a type for keys, found ", type_text(key)))
            .note(
                "keys never change and can be compared: Number, Float, String, Bool, and enums, "
                "structs and tuples of such");
    }
    std::erase_if(declarations_.keyed, [&](const auto& one) { return one.module == module_; });
}

// Whether a type has a default value.
bool Checker::is_fillable(const Type* type, int depth) {
    type = known(type);
    if (type->sort == TypeSort::error) return true;
    if (type->sort != TypeSort::nominal || depth > 8) return false;
    const Builtins& b = types_.builtins;
    const auto simple = {b.number, b.real, b.string, b.boolean, b.nothing,
                         b.list,   b.map,  b.set,    b.queue,   b.option};
    if (std::find(simple.begin(), simple.end(), type->info) != simple.end()) return true;
    const TypeInfo& info = *type->info;
    if ((info.kind != DeclKind::klass && info.kind != DeclKind::actor) || info.is_abstract) {
        return false;
    }
    const auto takes_nothing = [](const FunctionInfo* constructor) {
        return constructor->visibility != Visibility::is_private &&
               constructor->visibility != Visibility::is_protected &&
               std::all_of(constructor->params.begin(), constructor->params.end(),
                           [](const ParamInfo& param) { return param.has_value; });
    };
    if (!info.constructors.empty()) {
        return std::any_of(info.constructors.begin(), info.constructors.end(), takes_nothing);
    }
    if (info.base != nullptr && !is_fillable(info.base, depth + 1)) return false;
    return info.is_standard ||
           std::all_of(info.fields.begin(), info.fields.end(), [&](const FieldInfo& field) {
               return field.node->value != nullptr || is_fillable(field.type, depth + 1);
           });
}

void Checker::class_rules(TypeInfo& info) {
    if (info.constructors.size() > 1) {
        error("E0317", info.constructors[1]->name.span, "a second constructor: only one is run")
            .note(*module_->source, info.constructors[0]->name.span, "first here");
    }
    std::unordered_map<std::string_view, Span> first[2];  // of methods, of static functions
    for (const FunctionInfo* each : info.methods) {
        const FunctionInfo& method = *each;
        const auto [place, is_new] =
            first[method.is_static ? 1 : 0].emplace(method.name.text, method.name.span);
        if (!is_new && !info.is_standard) {
            error("E0317", method.name.span, concat("`", method.name.text, "` is declared twice"))
                .note(*module_->source, place->second, "first here");
        }
        if (method.node->is_abstract && !info.is_abstract) {
            error(
                "E0315", method.name.span,
                concat("`", method.name.text, "` is abstract, but `", info.name.text, "` is not"));
        }
        override_rules(info, method);
    }
    interface_rules(info);
    if (info.is_abstract || info.base == nullptr) return;
    if (!info.is_standard && known(info.base)->info == types_.builtins.future &&
        types_.find_member(info.self, "poll").method->owner != &info) {
        error("E0315", info.name.span,
              concat("`", info.name.text, "` implements Future: it must define `poll`"))
            .note("missing: fn poll(self, waker: Waker) -> Poll<T>");
    }
    for (const Type* base = known(info.base); base->sort == TypeSort::nominal;) {
        for (const FunctionInfo* method : base->info->methods) {
            if (!method->node->is_abstract) continue;
            const Member found = types_.find_member(info.self, method->name.text);
            if (found.method != method) continue;
            error("E0315", info.name.span,
                  concat("`", info.name.text, "` must define `", method->name.text,
                         "`, which is abstract"));
        }
        if (base->info->base == nullptr) break;
        base = known(base->info->base);
    }
}

// An override must be callable as the method of the base: same parameters and result.
void Checker::override_rules(const TypeInfo& info, const FunctionInfo& method) {
    const Member inherited = info.base == nullptr || method.is_static
                                 ? Member{}
                                 : types_.find_member(info.base, method.name.text);
    if (inherited.method == nullptr) {
        if (!method.node->is_override) return;
        error("E0315", method.name.span,
              concat("`", method.name.text, "` overrides nothing: no base class has it"));
        return;
    }
    if (inherited.method->visibility == Visibility::is_private) return;
    const Type* wanted = types_.method_type(inherited);
    const Type* own = types_.method_type({.method = &method, .owner = info.self});
    if (types_.assign(own, wanted)) return;
    declared_here(error("E0315", method.name.span,
                        concat("`", method.name.text, "` must be ", type_text(wanted), ", as in `",
                               type_text(inherited.owner), "`; it is ", type_text(own))),
                  inherited.method->module, inherited.method->name.span);
}

void Checker::interface_rules(const TypeInfo& info) {
    for (const Type* interface : info.interfaces) {
        const Type* wanted = known(interface);
        if (wanted->sort != TypeSort::nominal || types_.assign(info.self, wanted)) continue;
        Diagnostic& diagnostic =
            error("E0315", info.name.span,
                  concat("`", info.name.text, "` does not fit `", type_text(wanted), "`"));
        for (const FunctionInfo* method : wanted->info->methods) {
            const Member found = types_.find_member(info.self, method->name.text);
            const Type* type = types_.method_type({.method = method, .owner = wanted});
            if (found.method == nullptr) {
                diagnostic.note(concat("missing: fn `", method->name.text, "`: ", type_text(type)));
            } else if (!types_.assign(types_.method_type(found), type)) {
                diagnostic.note(concat("`", method->name.text, "` must be ", type_text(type)));
            }
        }
    }
}

}  // namespace gyre::vela::internal
