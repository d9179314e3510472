// SPDX-License-Identifier: Apache-2.0
// Signatures of callables: functions, variants and constructors.
#include <algorithm>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

// The type of a callable as a value: a function, or the enum for a variant without payload.
const Type* Checker::function_value(const Signature& signature) {
    if (signature.params.empty()) return signature.result;
    std::vector<const Type*> params;
    for (const ParamInfo& param : signature.params) params.push_back(param.type);
    return types_.function(std::move(params), signature.result);
}

Checker::Signature Checker::of_function(const FunctionInfo& function, const Type* owner,
                                        std::span<TypeNode* const> type_args) {
    check_type_args(function.name.text, function.generics.size(), type_args);
    std::vector<const Type*> variables;
    for (std::size_t i = 0; i < function.generics.size(); ++i) {
        variables.push_back(i < type_args.size() ? written(*type_args[i]) : types_.fresh());
    }
    Signature signature;
    if (type_args.empty()) signature.variables = variables;
    const auto seen = [&](const Type* type) {
        type = types_.substitute(type, function.generics, variables);
        return owner == nullptr ? type : types_.seen_from(type, owner);
    };
    signature.name = function.name.text;
    signature.module = function.module;
    signature.place = function.name.span;
    for (const ParamInfo& param : function.params) {
        signature.params.push_back({param.name, seen(param.type), param.has_value});
    }
    signature.result = seen(function.result);
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Type* bound = function.generics[i]->bound;
        if (bound != nullptr) signature.bounds.emplace_back(variables[i], seen(bound));
    }
    return signature;
}

// The bounds of type parameters for the arguments of an instance.
void Checker::add_bounds(Signature& signature, const Type* instance) {
    const TypeInfo& info = *instance->info;
    for (std::size_t i = 0; i < info.params.size() && i < instance->args.size(); ++i) {
        const Type* bound = info.params[i]->bound;
        if (bound == nullptr) continue;
        signature.bounds.emplace_back(instance->args[i], types_.seen_from(bound, instance));
    }
}

Checker::Signature Checker::of_variant(const VariantInfo& variant, const Type* wanted) {
    const TypeInfo& info = *variant.owner;
    std::vector<const Type*> variables;
    for (std::size_t i = 0; i < info.params.size(); ++i) variables.push_back(types_.fresh());
    Signature signature;
    signature.name = variant.name.text;
    signature.module = info.module;
    signature.place = variant.name.span;
    signature.result = types_.nominal(&info, variables);
    signature.variables = variables;
    add_bounds(signature, signature.result);
    // Passes the wanted type down to the payload, so that an error is reported there.
    if (wanted != nullptr && Types::is(wanted, &info)) types_.assign(signature.result, wanted);
    for (const ParamInfo& arg : variant.args) {
        signature.params.push_back(
            {arg.name, types_.substitute(arg.type, info.params, variables), false});
    }
    return signature;
}

Checker::Signature Checker::of_construction(const Named& type, const Type* wanted, Span place) {
    const TypeInfo& info = *type.info;
    Signature signature;
    signature.name = info.name.text;
    signature.module = info.module;
    signature.place = info.name.span;
    signature.is_construction = true;
    signature.result = instance_of(type);
    add_bounds(signature, signature.result);
    if (type.args.empty()) {
        const auto& args = signature.result->args;
        signature.variables.assign(args.begin(), args.end());
    }
    if (wanted != nullptr && Types::is(wanted, &info)) types_.assign(signature.result, wanted);

    const FunctionInfo* constructor = constructor_of(info);
    if (constructor != nullptr) {
        const Type* owner = types_.as_base(signature.result, constructor->owner);
        if (constructor->visibility == Visibility::is_private && class_ != constructor->owner) {
            error("E0313", place, concat("`", info.name.text, "` cannot be made this way"));
        }
        for (const ParamInfo& param : constructor->params) {
            signature.params.push_back(
                {param.name, types_.seen_from(param.type, owner), param.has_value});
        }
        signature.is_construction = false;
        return signature;
    }
    // Properties of standard types are not constructor arguments.
    if (info.is_standard && &info != types_.builtins.cancelled) return signature;
    for (const FieldInfo& field : info.fields) {
        const Type* field_type = types_.seen_from(field.type, signature.result);
        const bool may_lack = field.node->value != nullptr || info.kind != DeclKind::structure ||
                              is_fillable(field_type);
        signature.params.push_back({field.name, field_type, may_lack});
    }
    return signature;
}

const Type* Checker::construct(const CallExpr& node, const Named& type, const Type* wanted) {
    const TypeInfo& info = *type.info;
    const bool is_makeable = info.kind == DeclKind::structure || info.kind == DeclKind::klass ||
                             info.kind == DeclKind::actor;
    if (!is_makeable || info.is_abstract) {
        error("E0315", node.callee->span,
              concat("`", info.name.text, "` cannot be made: it is ",
                     info.kind == DeclKind::interface ? "an interface"
                     : is_makeable                    ? "abstract"
                                                      : "an enum; name one of its variants"));
        for (const Argument& argument : node.args) infer(*argument.value);
        return types_.error();
    }
    if (info.kind == DeclKind::actor) {
        for (const Argument& argument : node.args) sent_.push_back({module_, argument.value});
    }
    const Type* made =
        apply(node, of_construction(type, wanted, node.callee->span), Meaning::of(&info));
    const bool has_keys = &info == types_.builtins.map || &info == types_.builtins.set;
    if (has_keys) declarations_.keyed.push_back({module_, node.callee->span, known(made)->args[0]});
    return made;
}

const Type* Checker::struct_literal(const StructExpr& node, const Type* wanted) {
    const Type* type = known(written(*node.type));
    if (type->sort != TypeSort::nominal || type->info->kind == DeclKind::enumeration) {
        if (type->sort != TypeSort::error) {
            error("E0303", node.type->span, concat("expected a struct, found ", type_text(type)));
        }
        for (const FieldValue& field : node.fields) infer(*field.value);
        return types_.error();
    }
    if (type->info->is_standard) {
        error("E0315", node.type->span,
              concat("`", type_text(type), "` is a standard type, which is not made from fields"));
        for (const FieldValue& field : node.fields) infer(*field.value);
        return types_.error();
    }
    if (wanted != nullptr && Types::is(wanted, type->info)) types_.assign(type, wanted);
    Signature signature;
    for (const Type* arg : type->args) {
        if (is_sort(arg, TypeSort::variable)) signature.variables.push_back(known(arg));
    }
    add_bounds(signature, type);
    Given given;
    std::vector<std::string_view> names;
    for (const FieldValue& field : node.fields) {
        const Member found = types_.find_member(type, field.name.text);
        if (std::find(names.begin(), names.end(), field.name.text) != names.end()) {
            error("E0317", field.name.span, concat("`", field.name.text, "` is given twice"));
        }
        names.push_back(field.name.text);
        if (found.field == nullptr) {
            unknown_member(type, field.name);
            infer(*field.value);
            continue;
        }
        check_visible(found, field.name);
        note_meaning(field.name.span, Meaning::of(MeaningKind::field, found.field), nullptr);
        const Type* field_type = types_.seen_from(found.field->type, found.owner);
        signature.params.push_back({field.name, field_type, false});
        given.args.push_back(field.value);
        given.found.push_back(nullptr);
    }
    for (std::size_t i = 0; i < given.args.size(); ++i) argument(signature, given, i);
    check_bounds(signature, node.span);
    for (const FieldInfo& field : type->info->fields) {
        const bool is_given =
            std::find(names.begin(), names.end(), field.name.text) != names.end() ||
            field.node->value != nullptr || is_fillable(types_.seen_from(field.type, type));
        if (is_given) continue;
        lacks_value(field.name, *type->info->module, node.span);
    }
    return type;
}

}  // namespace gyre::vela::internal
