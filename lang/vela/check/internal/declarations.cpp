// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/internal/declarations.hpp"

#include <string_view>
#include <unordered_set>

#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

void Declarations::declare(Module& module, Symbol symbol) {
    symbol.module = &module;
    const auto [place, is_new] = module.declared.try_emplace(symbol.name.text, symbol);
    if (is_new) return;
    // A bare variant is hidden by any other declaration of its name, and by a variant of a later
    // enum.
    const bool gives_way = place->second.kind == SymbolKind::variant;
    if (gives_way) {
        place->second = symbol;
        return;
    }
    if (symbol.kind == SymbolKind::variant) return;
    program_.diagnostics
        .error("E0317", *module.source, symbol.name.span,
               concat("`", symbol.name.text, "` is declared twice"))
        .note(*module.source, place->second.name.span, "first here");
}

TypeInfo* Declarations::make_info(const Module& module, const Decl& node) {
    TypeInfo& info = program_.infos.emplace_back();
    info.kind = node.kind;
    info.name = node.name;
    info.module = &module;
    info.node = &node;
    info.is_standard = module.is_standard;
    for (const Generic& generic : node.generics) {
        info.params.push_back(types_.parameter(generic.name.text, nullptr));
    }
    info.self = nullptr;
    info.self = types_.nominal(&info, info.params);
    return &info;
}

void Declarations::declare_names(Module& module) {
    module.declared.reserve(2 * module.tree.declarations.size());
    for (const Decl* node : module.tree.declarations) {
        Symbol symbol;
        symbol.name = node->name;
        symbol.is_private = node->visibility == Visibility::is_private;
        switch (node->kind) {
            case DeclKind::structure:
            case DeclKind::klass:
            case DeclKind::actor:
            case DeclKind::interface:
            case DeclKind::enumeration:
                symbol.kind = SymbolKind::type;
                symbol.info = make_info(module, *node);
                declare(module, symbol);
                break;
            case DeclKind::alias:
                symbol.kind = SymbolKind::alias;
                symbol.alias = &as<AliasDecl>(*node);
                declare(module, symbol);
                break;
            default:
                break;
        }
    }
}

void Declarations::bind_builtins() {
    const auto find = [&](std::string_view name) -> TypeInfo* {
        return program_.standard.declared.at(name).info;
    };
    types_.builtins = {
        .number = find("Number"),
        .real = find("Float"),
        .string = find("String"),
        .boolean = find("Bool"),
        .nothing = find("void"),
        .sequence = find("Sequence"),
        .list = find("List"),
        .range = find("Range"),
        .queue = find("Queue"),
        .set = find("Set"),
        .map = find("Map"),
        .option = find("Option"),
        .result = find("Result"),
        .error = find("Error"),
        .cancelled = find("CancelledError"),
        .future = find("Future"),
        .task = find("TaskHandle"),
        .iterator = find("AsyncIterator"),
        .actor_ref = find("ActorRef"),
        .eventual = find("Eventual"),
        .route_path = find("RoutePath"),
        .json = find("Json"),
    };
    find("Option")->members = find("OptionMembers");
    find("Result")->members = find("ResultMembers");
}

// Null where the name of the declaration is no type: another declaration may have it.
static TypeInfo* type_declared_by(Module& module, const Decl& node) {
    const auto found = module.declared.find(node.name.text);
    return found == module.declared.end() ? nullptr : found->second.info;
}

void Declarations::declare_types(Module& module) {
    for (const Decl* node : module.tree.declarations) {
        TypeInfo* info = type_declared_by(module, *node);
        if (info != nullptr && info->node == node) fill_type(module, *info);
    }
    for (const Decl* node : module.tree.declarations) {
        if (node->kind == DeclKind::klass) cut_circle(module, *node);
    }
    // In source order, so that the variant of the last enum is the bare one.
    for (const Decl* node : module.tree.declarations) {
        if (node->kind != DeclKind::enumeration) continue;
        const TypeInfo* info = type_declared_by(module, *node);
        if (info == nullptr) continue;
        for (const VariantInfo& variant : info->variants) {
            Symbol symbol;
            symbol.kind = SymbolKind::variant;
            symbol.name = variant.name;
            symbol.variant = &variant;
            symbol.is_private = node->visibility == Visibility::is_private;
            declare(module, symbol);
        }
    }
}

// Breaks a cycle of bases, and a chain that is too long: the class loses its base.
void Declarations::cut_circle(const Module& module, const Decl& node) {
    const auto found = module.declared.find(node.name.text);
    if (found == module.declared.end() || found->second.info == nullptr) return;
    TypeInfo& info = *found->second.info;
    constexpr std::size_t class_depth_max = 256;
    std::size_t depth = 0;
    for (const Type* base = info.base; base != nullptr; base = base->info->base) {
        if (base->info != &info && ++depth <= class_depth_max) continue;
        program_.diagnostics.error("E0315", *module.source, info.name.span,
                                   base->info == &info
                                       ? concat("`", info.name.text, "` extends itself")
                                       : concat("the limit on classes above a class is ",
                                                std::to_string(class_depth_max)));
        info.base = nullptr;
        return;
    }
}

Generics Declarations::with_generics(const Module& module, const Decl& node, Generics generics) {
    for (const Generic& generic : node.generics) {
        const Type* bound =
            generic.bound == nullptr ? nullptr : type(module, *generic.bound, generics);
        generics.push_back(types_.parameter(generic.name.text, bound));
    }
    return generics;
}

void Declarations::fill_bounds(const Module& module, const TypeInfo& info,
                               const Generics& generics) {
    for (std::size_t i = 0; i < info.params.size(); ++i) {
        const TypeNode* bound = info.node->generics[i].bound;
        if (bound != nullptr) info.params[i]->bound = type(module, *bound, generics);
    }
}

void Declarations::fill_type(const Module& module, TypeInfo& info) {
    if (info.kind == DeclKind::enumeration) return fill_variants(module, info, {});
    const auto& node = as<TypeDecl>(*info.node);
    fill_bounds(module, info, info.params);
    info.is_abstract = node.is_abstract;
    for (const Decl* member : node.members) {
        if (member->kind != DeclKind::enumeration) continue;
        TypeInfo* nested = make_info(module, *member);
        info.nested.push_back(nested);
    }
    if (node.base != nullptr) {
        const Type* base = known(type(module, *node.base, info.params));
        const bool is_class =
            base->sort == TypeSort::nominal && base->info->kind == DeclKind::klass;
        const bool is_closed = is_class && base->info->is_standard && !info.is_standard &&
                               types_.as_base(base, types_.builtins.error) == nullptr;
        if (is_closed) {
            program_.diagnostics
                .error("E0315", *module.source, node.base->span,
                       concat("`", base->info->name.text,
                              "` is built in: of the built-in classes only errors can be extended"))
                .note("a class can have one as a field, and pass calls on to it");
        } else if (is_class) {
            info.base = base;
        } else if (base->sort != TypeSort::error) {
            program_.diagnostics.error(
                "E0315", *module.source, node.base->span,
                concat("a class extends a class; `", type_text(base), "` is none"));
        }
    }
    for (const TypeNode* interface : node.interfaces) {
        const Type* made = type(module, *interface, info.params);
        // Its members are those of a base class: it has them all but `poll`.
        const bool is_future = known(made)->sort == TypeSort::nominal &&
                               known(made)->info == types_.builtins.future &&
                               info.kind == DeclKind::klass && info.base == nullptr;
        if (is_future) {
            info.base = made;
        } else {
            info.interfaces.push_back(made);
        }
    }
}

void Declarations::fill_variants(const Module& module, TypeInfo& info, const Generics& outer) {
    Generics generics = outer;
    generics.insert(generics.end(), info.params.begin(), info.params.end());
    fill_bounds(module, info, generics);
    std::unordered_set<std::string_view> names;
    for (const Variant& variant : as<EnumDecl>(*info.node).variants) {
        VariantInfo made;
        made.name = variant.name;
        made.owner = &info;
        for (const Param& arg : variant.args) {
            made.args.push_back({arg.name, type(module, *arg.type, generics), false});
        }
        if (!names.insert(variant.name.text).second) {
            program_.diagnostics.error("E0317", *module.source, variant.name.span,
                                       concat("`", variant.name.text, "` is declared twice"));
        }
        info.variants.push_back(std::move(made));
    }
}

void Declarations::declare_members(Module& module) {
    for (const Decl* node : module.tree.declarations) {
        if (node->kind == DeclKind::function) {
            Symbol symbol;
            symbol.kind = SymbolKind::function;
            symbol.name = node->name;
            symbol.is_private = node->visibility == Visibility::is_private;
            symbol.function = make_function(module, as<FunctionDecl>(*node), nullptr, {});
            declare(module, symbol);
        }
    }
    for (TypeInfo& info : program_.infos) {
        if (info.module != &module || info.kind == DeclKind::enumeration) continue;
        inside = &info;
        for (TypeInfo* nested : info.nested) {
            if (nested->variants.empty()) fill_variants(module, *nested, info.params);
        }
        for (const Decl* member : as<TypeDecl>(*info.node).members) {
            if (member->kind == DeclKind::field) {
                const auto& field = as<FieldDecl>(*member);
                info.fields.push_back(
                    {field.name, type(module, *field.type, info.params), &field, &info});
            } else if (member->kind == DeclKind::constructor) {
                info.constructors.push_back(
                    make_function(module, as<FunctionDecl>(*member), &info, info.params));
            } else if (member->kind == DeclKind::function) {
                info.methods.push_back(
                    make_function(module, as<FunctionDecl>(*member), &info, info.params));
            }
        }
        inside = nullptr;
    }
}

FunctionInfo* Declarations::local_function(const Module& module, const FunctionDecl& node,
                                           const TypeInfo* owner, const Generics& generics) {
    inside = owner;
    FunctionInfo* made = make_function(module, node, nullptr, generics);
    inside = nullptr;
    return made;
}

TypeInfo* Declarations::local_enum(const Module& module, const EnumDecl& node,
                                   const Generics& generics) {
    TypeInfo* info = make_info(module, node);
    local_types.push_back(info);
    fill_variants(module, *info, generics);
    return info;
}

FunctionInfo* Declarations::make_function(const Module& module, const FunctionDecl& node,
                                          const TypeInfo* owner, Generics generics) {
    FunctionInfo& info = program_.functions.emplace_back();
    info.name = node.name;
    info.module = &module;
    info.node = &node;
    info.owner = owner;
    info.is_static = node.is_static;
    info.visibility = node.visibility;
    const std::size_t outer_count = generics.size();
    generics = with_generics(module, node, std::move(generics));
    info.generics.assign(generics.begin() + static_cast<std::ptrdiff_t>(outer_count),
                         generics.end());
    for (const Param& param : node.params) {
        info.params.push_back(
            {param.name, type(module, *param.type, generics), param.value != nullptr});
    }
    const Type* result =
        node.result == nullptr ? types_.nothing() : type(module, *node.result, generics);
    info.result = result;
    info.body_result = result;
    if (!node.is_async) return &info;
    const Type* bare = known(result);
    if (Types::is(bare, types_.builtins.iterator)) {
        info.yields = bare->args[0];
        info.body_result = types_.nothing();
    } else if (Types::is(bare, types_.builtins.future)) {
        info.body_result = bare->args[0];
    } else {
        info.result = types_.future(result);
    }
    return &info;
}

}  // namespace gyre::vela::internal
