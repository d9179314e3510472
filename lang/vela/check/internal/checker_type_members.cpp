// SPDX-License-Identifier: Apache-2.0
// Members of types, and structural conformance to interfaces.
#include "lang/vela/check/detail/types.hpp"

namespace gyre::vela {

// Interfaces are structural: a type with the methods fits.
bool Types::fits_interface(const Type* from, const Type* to, int depth) {
    if (depth > 8) return true;
    for (const FunctionInfo* wanted : to->info->methods) {
        const Member found = find_member(from, wanted->name.text);
        const Type* type = nullptr;
        if (found.method != nullptr) type = method_type(found);
        if (is(from, builtins.actor_ref) && wanted->name.text == "send") {
            const Type* actor = known(from->args[0]);
            const Type* message =
                actor->sort == TypeSort::nominal ? message_type(actor->info) : nullptr;
            if (message != nullptr) type = function({message}, nothing());
        }
        if (type == nullptr) return false;
        const Type* wanted_type = method_type({.method = wanted, .owner = to});
        if (type->args.size() != wanted_type->args.size()) return false;
        if (!relate(type, wanted_type, depth + 1)) return false;
    }
    return true;
}

namespace {

// Types are declared member by member: one that has more of them than its index is indexed again.
const MemberIndex& index_of(const TypeInfo& info) {
    const std::size_t count = info.fields.size() + info.methods.size() + info.variants.size();
    if (info.index != nullptr && info.index->count == count) return *info.index;
    info.index = std::make_unique<MemberIndex>();
    info.index->count = count;
    for (const FieldInfo& field : info.fields) info.index->fields.emplace(field.name.text, &field);
    for (const FunctionInfo* method : info.methods) {
        info.index->methods[method->is_static ? 1 : 0].emplace(method->name.text, method);
    }
    for (const VariantInfo& variant : info.variants) {
        info.index->variants.emplace(variant.name.text, &variant);
    }
    return *info.index;
}

constexpr std::size_t scanned_max = 16;

Member own_member(const TypeInfo& info, std::string_view name, bool is_static) {
    if (info.fields.size() + info.methods.size() > scanned_max) {
        const MemberIndex& index = index_of(info);
        const auto field = index.fields.find(name);
        if (!is_static && field != index.fields.end()) return {.field = field->second};
        const auto& methods = index.methods[is_static ? 1 : 0];
        const auto method = methods.find(name);
        return method == methods.end() ? Member{} : Member{.method = method->second};
    }
    for (const FieldInfo& field : info.fields) {
        if (!is_static && field.name.text == name) return {.field = &field};
    }
    for (const FunctionInfo* method : info.methods) {
        if (method->name.text == name && method->is_static == is_static) return {.method = method};
    }
    return {};
}

}  // namespace

const VariantInfo* variant_named(const TypeInfo& info, std::string_view name) {
    if (info.variants.size() > scanned_max) {
        const auto& variants = index_of(info).variants;
        const auto found = variants.find(name);
        return found == variants.end() ? nullptr : found->second;
    }
    for (const VariantInfo& variant : info.variants) {
        if (variant.name.text == name) return &variant;
    }
    return nullptr;
}

Member Types::find_member(const Type* type, std::string_view name, bool is_static) {
    type = known(type);
    if (type->sort == TypeSort::parameter && type->bound != nullptr) type = known(type->bound);
    while (type->sort == TypeSort::nominal) {
        const TypeInfo* info = type->info->members != nullptr ? type->info->members : type->info;
        if (Member found = own_member(*info, name, is_static)) {
            found.owner = type;
            return found;
        }
        if (info->base == nullptr) return {};
        type = known(substitute(info->base, info->params, type->args));
    }
    return {};
}

const Type* Types::method_type(const Member& member) {
    const FunctionInfo& method = *member.method;
    std::vector<const Type*> variables(method.generics.size());
    for (const Type*& variable : variables) variable = fresh();
    const auto seen = [&](const Type* type) {
        type = substitute(type, method.generics, variables);
        return member.owner == nullptr ? type : seen_from(type, member.owner);
    };
    std::vector<const Type*> params;
    for (const ParamInfo& param : method.params) params.push_back(seen(param.type));
    return function(std::move(params), seen(method.result));
}

const Type* Types::message_type(const TypeInfo* actor) {
    for (const FunctionInfo* method : actor->methods) {
        const std::string_view name = method->name.text;
        if (name != "handleMessage" && name != "receive") continue;
        if (!method->params.empty()) return method->params[0].type;
    }
    return nullptr;
}

}  // namespace gyre::vela
