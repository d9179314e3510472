// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/internal/sendable.hpp"

#include <algorithm>
#include <array>

#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// Immutable, or copied when sent.
constexpr std::array plain_names = {"Number", "Float",    "Bool",           "String",  "void",
                                    "Bytes",  "Json",     "RoutePath",      "Request", "Response",
                                    "Range",  "ActorRef", "CancelledError", "DbValue", "Row"};
// Sendable if their arguments are.
constexpr std::array container_names = {"List", "Map",     "Set",    "Option",     "Result",
                                        "Poll", "Promise", "Sender", "PromiseLike"};

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<Obstacle> Sendable::obstacle(const Type* type) {
    open_.clear();
    return find(type);
}

std::optional<Obstacle> Sendable::find(const Type* type) {
    type = known(type);
    switch (type->sort) {
        case TypeSort::function:
            return Obstacle{"a function may have captured state of its sender", nullptr, {}};
        case TypeSort::tuple:
            return in_args(type);
        case TypeSort::nominal:
            return of_nominal(type);
        default:
            return {};
    }
}

std::optional<Obstacle> Sendable::in_args(const Type* type) {
    for (const Type* arg : type->args) {
        if (auto found = find(arg)) return found;
    }
    return {};
}

std::optional<Obstacle> Sendable::of_nominal(const Type* type) {
    const TypeInfo& info = *type->info;
    if (types_.as_base(type, types_.builtins.error) != nullptr) return of_error(type);
    if (info.is_standard) return of_standard(type);
    if (info.kind == DeclKind::structure || info.kind == DeclKind::enumeration) {
        return in_fields(type);
    }
    std::string what =
        concat("an instance of the class `", info.name.text, "` is shared, not copied");
    if (info.kind == DeclKind::actor) {
        what = concat("`", info.name.text, "` is the actor itself; `spawn` gives its reference");
    } else if (info.kind == DeclKind::interface) {
        what = concat("a value of the interface `", info.name.text, "` may be of any class");
    }
    return Obstacle{std::move(what), nullptr, {}};
}

std::optional<Obstacle> Sendable::of_standard(const Type* type) {
    const std::string_view name = type->info->name.text;
    if (is_one_of(name, plain_names)) return {};
    if (is_one_of(name, container_names)) return in_args(type);
    const std::string_view article =
        std::string_view("AEIOU").find(name.front()) == std::string_view::npos ? "a " : "an ";
    return Obstacle{
        concat(article, type_text(type), " belongs to the loop that made it"), nullptr, {}};
}

// A variable of an error type may hold an error of any class below it.
std::optional<Obstacle> Sendable::of_error(const Type* type) {
    for (const Type* at = type; at->info != types_.builtins.error;) {
        if (!at->info->is_standard) {
            if (auto found = in_fields(at)) return found;
        }
        at = known(types_.seen_from(at->info->base, at));
    }
    for (const TypeInfo& below : program_.infos) {
        const bool is_below = !below.is_standard && &below != type->info &&
                              types_.as_base(below.self, type->info) != nullptr;
        if (!is_below) continue;
        if (auto found = in_fields(below.self)) return found;
    }
    return {};
}

std::optional<Obstacle> Sendable::in_fields(const Type* type) {
    const TypeInfo& info = *type->info;
    if (!open_.insert(&info).second) return {};
    const auto named = [&](Obstacle found, std::string_view what, const Name& name) {
        if (found.module != nullptr) return found;
        found.what = concat("the ", what, " `", name.text, "` of `", info.name.text,
                            "` cannot: ", found.what);
        found.module = info.module;
        found.place = name.span;
        return found;
    };
    for (const FieldInfo& field : info.fields) {
        if (auto found = find(types_.seen_from(field.type, type))) {
            return named(std::move(*found), "field", field.name);
        }
    }
    for (const VariantInfo& variant : info.variants) {
        for (const ParamInfo& arg : variant.args) {
            if (auto found = find(types_.seen_from(arg.type, type))) {
                return named(std::move(*found), "variant", variant.name);
            }
        }
    }
    open_.erase(&info);
    return {};
}

namespace {

bool is_key_part(Types& types, const Type* type, std::set<const TypeInfo*>& open) {
    type = known(type);
    const auto is_part = [&](const Type* part) { return is_key_part(types, part, open); };
    if (type->sort == TypeSort::tuple) {
        return std::all_of(type->args.begin(), type->args.end(), is_part);
    }
    if (type->sort != TypeSort::nominal) return type->sort != TypeSort::function;
    const TypeInfo& info = *type->info;
    const Builtins& b = types.builtins;
    for (const TypeInfo* plain : {b.number, b.real, b.string, b.boolean, b.nothing, b.route_path}) {
        if (&info == plain) return true;
    }
    if (info.kind != DeclKind::structure && info.kind != DeclKind::enumeration) return false;
    if (!open.insert(&info).second) return true;
    const auto is_field = [&](const FieldInfo& field) {
        return is_part(types.seen_from(field.type, type));
    };
    const auto is_variant = [&](const VariantInfo& variant) {
        return std::all_of(variant.args.begin(), variant.args.end(), [&](const ParamInfo& arg) {
            return is_part(types.seen_from(arg.type, type));
        });
    };
    const bool is_fine = std::all_of(info.fields.begin(), info.fields.end(), is_field) &&
                         std::all_of(info.variants.begin(), info.variants.end(), is_variant);
    open.erase(&info);
    return is_fine;
}

}  // namespace

bool is_key(Types& types, const Type* type) {
    std::set<const TypeInfo*> open;
    return is_key_part(types, type, open);
}

}  // namespace gyre::vela::internal
