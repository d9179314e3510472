// SPDX-License-Identifier: Apache-2.0
// Calls: of functions, methods, variants and types.
#include <algorithm>

#include "gyre/vela/check/internal/checker.hpp"
#include "gyre/vela/syntax/concat.hpp"

namespace gyre::vela::internal {

const Type* Checker::call(const CallExpr& node, const Type* wanted) {
    const Expr& callee = *node.callee;
    if (callee.kind == ExprKind::member) {
        return member_call(node, as<MemberExpr>(callee), wanted);
    }
    if (callee.kind != ExprKind::name) return apply_value(node, expr(callee));
    const auto& of = as<NameExpr>(callee);
    if (const Local* local = find_local(of.text)) {
        means(callee, local->type, use(*local));
        if (local->function == nullptr) return apply_value(node, local->type);
        return apply(node, of_function(*local->function, nullptr, of.type_args),
                     Meaning::of(MeaningKind::value));
    }
    if (own_field(of.text)) return apply_value(node, expr(callee));
    const Named type = named(callee);
    const VariantInfo* variant = find_variant(of.text, wanted);
    // A variant without payload does not hide a type that can be made of arguments.
    const bool is_variant =
        variant != nullptr && (type.info == nullptr || !variant->args.empty() || node.args.empty());
    if (is_variant) {
        return apply(node, of_variant(*variant, wanted), Meaning::of(variant));
    }
    if (type.info != nullptr) return construct(node, *type.info, type.args, wanted);
    const Symbol* symbol = find_symbol(program_, *module_, of.text);
    if (symbol != nullptr && symbol->kind == SymbolKind::function) {
        return apply(node, of_function(*symbol->function, nullptr, of.type_args),
                     Meaning::of(MeaningKind::function, symbol->function));
    }
    if (symbol == nullptr && of.text == "spawn") return spawn(node);
    return apply_value(node, expr(callee));
}

// A future becomes a task, an actor a reference to it.
const Type* Checker::spawn(const CallExpr& node) {
    if (node.args.size() != 1) {
        error("E0303", node.span,
              concat("`spawn` takes 1 argument, found ", std::to_string(node.args.size())));
        for (const Argument& argument : node.args) expr(*argument.value);
        return types_.error();
    }
    const Expr& argument = *node.args[0].value;
    const Type* type = known(expr(argument));
    fact(node).meaning = Meaning::of(MeaningKind::spawn);
    if (const Type* value = types_.future_value(type)) {
        return types_.nominal(types_.builtins.task, {value});
    }
    if (type->sort == TypeSort::nominal && type->info->kind == DeclKind::actor) {
        return types_.nominal(types_.builtins.actor_ref, {type});
    }
    if (type->sort != TypeSort::error) {
        error("E0303", argument.span,
              concat("expected a Future or an actor, found ", type_text(type)));
    }
    return types_.error();
}

const Type* Checker::member_call(const CallExpr& node, const MemberExpr& callee,
                                 const Type* wanted) {
    const Named outer = named(*callee.object);
    if (outer.module != nullptr) {
        const Symbol* symbol = find_symbol(program_, *outer.module, callee.name.text);
        if (symbol != nullptr && symbol->kind == SymbolKind::function) {
            return apply(node, of_function(*symbol->function, nullptr, callee.type_args),
                         Meaning::of(MeaningKind::function, symbol->function));
        }
        if (symbol != nullptr && symbol->kind == SymbolKind::type) {
            return construct(node, *symbol->info, callee.type_args, wanted);
        }
        return apply_value(node, expr(callee, wanted));
    }
    if (outer.info != nullptr) {
        if (const VariantInfo* variant = variant_of(outer.info, callee.name.text)) {
            return apply(node, of_variant(*variant, wanted), Meaning::of(variant));
        }
        if (callee.name.text == "new" && outer.info->kind != DeclKind::enumeration) {
            return construct(node, *outer.info, outer.args, wanted);
        }
        if (const Named nested = named(callee); nested.info != nullptr) {
            return construct(node, *nested.info, nested.args, wanted);
        }
        const Member found = types_.find_member(outer.info->self, callee.name.text, true);
        if (found) {
            return apply(node, of_function(*found.method, nullptr, callee.type_args),
                         Meaning::of(MeaningKind::function, found.method));
        }
        return apply_value(node, expr(callee, wanted));
    }
    const Type* object = object_type(callee);
    const bool is_optional = callee.op == TokenKind::question_dot;
    const auto wrapped = [&](const Type* type) {
        // Noted as it is before it is wrapped.
        if (is_optional) fact(callee).type = type;
        if (!is_optional || Types::is(type, types_.builtins.option)) return type;
        return types_.option(type);
    };
    if (callee.name.text == "send") {
        if (Types::is(object, types_.builtins.actor_ref)) {
            const Type* actor = known(object->args[0]);
            const bool is_known = actor->sort == TypeSort::nominal;
            return actor_send(node, is_known ? types_.message_type(actor->info) : nullptr);
        }
        const bool is_own = class_ != nullptr && class_->kind == DeclKind::actor &&
                            object == class_->self && node.args.size() == 2;
        if (is_own) {
            fact(node).meaning = Meaning::of(MeaningKind::send_to);
            const Type* to = known(infer(*node.args[0].value));
            if (Types::is(to, types_.builtins.actor_ref)) {
                const Type* actor = known(to->args[0]);
                const Type* message =
                    actor->sort == TypeSort::nominal ? types_.message_type(actor->info) : nullptr;
                if (message != nullptr) expect(*node.args[1].value, message);
                return types_.nothing();
            }
            const Member found = types_.find_member(to, "send");
            if (found.method == nullptr) {
                unknown_member(to, callee.name);
                return types_.error();
            }
            expect(*node.args[1].value, types_.method_type(found)->args[0]);
            return types_.nothing();
        }
    }
    const Member found = types_.find_member(object, callee.name.text);
    if (!found) {
        if (!is_sort(object, TypeSort::variable)) unknown_member(object, callee.name);
        for (const Argument& argument : node.args) expr(*argument.value);
        return is_sort(object, TypeSort::variable) ? types_.fresh() : types_.error();
    }
    check_visible(found, callee.name);
    if (found.field != nullptr) {
        const Type* type = types_.seen_from(found.field->type, found.owner);
        // What is like `length` may be written with brackets too.
        const bool is_property = found.field->owner->is_standard && node.args.empty();
        means(callee, type, Meaning::of(MeaningKind::field, found.field));
        if (is_property) fact(node).meaning = Meaning::of(MeaningKind::property, found.field);
        return wrapped(is_property ? type : apply_value(node, type));
    }
    Signature signature = of_function(*found.method, found.owner, callee.type_args);
    if (found.method->owner == types_.builtins.list && callee.name.text == "flatten") {
        const Type* list = known(found.owner);
        if (!types_.assign(list->args[0], signature.result)) {
            mismatch(*callee.object, types_.list(types_.list(types_.fresh())), object);
        }
    }
    return wrapped(
        apply(node, std::move(signature), Meaning::of(MeaningKind::method, found.method)));
}

const Type* Checker::actor_send(const CallExpr& node, const Type* message) {
    Signature signature;
    signature.name = "send";
    if (message != nullptr) signature.params.push_back({{"message", {}}, message, false});
    signature.result = types_.nothing();
    return apply(node, std::move(signature), Meaning::of(MeaningKind::send));
}

const Type* Checker::apply_value(const CallExpr& node, const Type* callee) {
    callee = known(callee);
    fact(node).meaning = Meaning::of(MeaningKind::value);
    if (callee->sort == TypeSort::variable) {
        std::vector<const Type*> params;
        for (const Argument& argument : node.args) params.push_back(infer(*argument.value));
        const Type* result = types_.fresh();
        types_.assign(callee, types_.function(std::move(params), result));
        return result;
    }
    if (callee->sort != TypeSort::function) {
        if (callee->sort != TypeSort::error && callee->sort != TypeSort::never) {
            error("E0303", node.callee->span,
                  concat("expected a function, found ", type_text(callee)));
        }
        for (const Argument& argument : node.args) infer(*argument.value);
        return types_.error();
    }
    Signature signature;
    for (const Type* param : callee->args) signature.params.push_back({{}, param, false});
    signature.result = callee->result;
    return apply(node, std::move(signature), Meaning::of(MeaningKind::value));
}

// What it is when it is not called: a function, or the value of a variant without payload.
const Type* Checker::function_value(const Signature& signature) {
    if (signature.params.empty()) return signature.result;
    std::vector<const Type*> params;
    for (const ParamInfo& param : signature.params) params.push_back(param.type);
    return types_.function(std::move(params), signature.result);
}

Checker::Signature Checker::of_function(const FunctionInfo& function, const Type* owner,
                                        std::span<TypeNode* const> type_args) {
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
    // The wish goes down into the payload, so that what is wrong shows there.
    if (wanted != nullptr && Types::is(wanted, &info)) types_.assign(signature.result, wanted);
    for (const ParamInfo& arg : variant.args) {
        signature.params.push_back(
            {arg.name, types_.substitute(arg.type, info.params, variables), false});
    }
    return signature;
}

Checker::Signature Checker::of_construction(const TypeInfo& info,
                                            std::span<TypeNode* const> type_args,
                                            const Type* wanted, Span place) {
    std::vector<const Type*> variables;
    for (std::size_t i = 0; i < info.params.size(); ++i) {
        variables.push_back(i < type_args.size() ? written(*type_args[i]) : types_.fresh());
    }
    Signature signature;
    signature.name = info.name.text;
    signature.module = info.module;
    signature.place = info.name.span;
    signature.is_construction = true;
    signature.result = types_.nominal(&info, variables);
    if (wanted != nullptr && Types::is(wanted, &info)) types_.assign(signature.result, wanted);

    if (type_args.empty()) signature.variables = variables;

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
    for (const FieldInfo& field : info.fields) {
        const Type* type = types_.seen_from(field.type, signature.result);
        signature.params.push_back({field.name, type,
                                    field.node->value != nullptr ||
                                        info.kind != DeclKind::structure || is_fillable(type)});
    }
    return signature;
}

const Type* Checker::construct(const CallExpr& node, const TypeInfo& info,
                               std::span<TypeNode* const> type_args, const Type* wanted) {
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
    return apply(node, of_construction(info, type_args, wanted, node.callee->span),
                 Meaning::of(&info));
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
    if (wanted != nullptr && Types::is(wanted, type->info)) types_.assign(type, wanted);
    std::vector<std::string_view> given;
    for (const FieldValue& field : node.fields) {
        const Member found = types_.find_member(type, field.name.text);
        if (std::find(given.begin(), given.end(), field.name.text) != given.end()) {
            error("E0311", field.name.span, concat("`", field.name.text, "` is given twice"));
        }
        given.push_back(field.name.text);
        if (found.field == nullptr) {
            unknown_member(type, field.name);
            infer(*field.value);
            continue;
        }
        const Type* field_type = types_.seen_from(found.field->type, found.owner);
        expect(*field.value, field_type);
    }
    for (const FieldInfo& field : type->info->fields) {
        const bool is_given =
            std::find(given.begin(), given.end(), field.name.text) != given.end() ||
            field.node->value != nullptr || is_fillable(types_.seen_from(field.type, type));
        if (is_given) continue;
        declared_here(
            error("E0310", node.type->span, concat("field `", field.name.text, "` needs a value")),
            type->info->module, field.name.span);
    }
    return type;
}

}  // namespace gyre::vela::internal
