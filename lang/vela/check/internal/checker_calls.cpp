// SPDX-License-Identifier: Apache-2.0
// Calls: of functions, methods, variants and types.
#include <algorithm>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

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
    // A field that is not callable does not hide a function of the same name.
    const Member own = own_field(of.text);
    if (own && !is_sort(own.field->type, TypeSort::nominal)) {
        return apply_value(node, expr(callee));
    }
    const Named type = named(callee);
    const VariantInfo* variant = find_variant(of.text, wanted);
    // A variant without payload does not hide a type of the same name that can be constructed.
    const bool is_variant =
        variant != nullptr && (type.info == nullptr || !variant->args.empty() || node.args.empty());
    if (is_variant) {
        return apply(node, of_variant(*variant, wanted), Meaning::of(variant));
    }
    if (type.info != nullptr) return construct(node, type, wanted);
    const Symbol* symbol = find_symbol(program_, *module_, of.text);
    if (symbol != nullptr && symbol->kind == SymbolKind::function) {
        Signature signature = of_function(*symbol->function, nullptr, of.type_args);
        const std::vector<const Type*> variables = signature.variables;
        const Type* result =
            apply(node, std::move(signature), Meaning::of(MeaningKind::function, symbol->function));
        number_rules(node, *symbol->function, variables);
        return result;
    }
    if (symbol == nullptr && of.text == "spawn") return spawn(node);
    if (symbol == nullptr && of.text == "super") return super(node);
    return apply_value(node, expr(callee));
}

// `super(..)`: runs the constructor of the base class, or gives its fields values.
const Type* Checker::super(const CallExpr& node) {
    if (&node != super_call_ || class_ == nullptr || class_->base == nullptr) {
        error("E0316", node.callee->span,
              "`super(..)` is only allowed as the first statement of a constructor of a class that "
              "extends one");
        for (const Argument& argument : node.args) infer(*argument.value);
        return types_.error();
    }
    const Type* base = known(class_->base);
    Named named_base;
    named_base.info = base->info;
    named_base.meant = base;
    Signature signature = of_construction(named_base, nullptr, node.callee->span);
    signature.result = types_.nothing();
    Meaning meaning = Meaning::of(base->info);
    meaning.kind = MeaningKind::construction_of_base;
    return apply(node, std::move(signature), meaning);
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

// spawn as a value: a function of a future, or of the wanted actor.
const Type* Checker::spawn_value(const NameExpr& node, const Type* wanted) {
    const bool has_param =
        wanted != nullptr && is_sort(wanted, TypeSort::function) && known(wanted)->args.size() == 1;
    const Type* param = has_param ? known(known(wanted)->args[0]) : types_.error();
    const bool is_actor = param->sort == TypeSort::nominal && param->info->kind == DeclKind::actor;
    const Type* value = types_.fresh();
    const Type* from = is_actor ? param : types_.future(value);
    const Type* to = is_actor ? types_.nominal(types_.builtins.actor_ref, {param})
                              : types_.nominal(types_.builtins.task, {value});
    return means(node, types_.function({from}, to), Meaning::of(MeaningKind::spawn));
}

const Type* Checker::call_in_module(const CallExpr& node, const MemberExpr& callee,
                                    const Module& module, const Type* wanted) {
    const Symbol* symbol = find_exported(module, callee.name.text);
    if (symbol != nullptr && symbol->kind == SymbolKind::function) {
        return apply(node, of_function(*symbol->function, nullptr, callee.type_args),
                     Meaning::of(MeaningKind::function, symbol->function));
    }
    if (symbol != nullptr && symbol->kind == SymbolKind::type) {
        return construct(node, {symbol->info, callee.type_args}, wanted);
    }
    return apply_value(node, expr(callee, wanted));
}

const Type* Checker::call_of_type(const CallExpr& node, const MemberExpr& callee,
                                  const Named& outer, const Type* wanted) {
    if (const VariantInfo* variant = variant_of(outer.info, callee.name.text)) {
        return apply(node, of_variant(*variant, wanted), Meaning::of(variant));
    }
    if (callee.name.text == "new" && outer.info->kind != DeclKind::enumeration) {
        return construct(node, outer, wanted);
    }
    if (const Named nested = named(callee); nested.info != nullptr) {
        return construct(node, nested, wanted);
    }
    const Type* instance = instance_of(outer);
    if (const Member found = types_.find_member(instance, callee.name.text, true)) {
        Signature signature = of_function(*found.method, found.owner, callee.type_args);
        for (const Type* arg : instance->args) signature.variables.push_back(arg);
        return apply(node, std::move(signature), Meaning::of(MeaningKind::function, found.method));
    }
    return apply_value(node, expr(callee, wanted));
}

// `send(to, message)` inside an actor.
const Type* Checker::send_of_own(const CallExpr& node, const MemberExpr& callee) {
    fact(node).meaning = Meaning::of(MeaningKind::send_to);
    const Type* to = known(infer(*node.args[0].value));
    if (Types::is(to, types_.builtins.actor_ref)) {
        const Type* actor = known(to->args[0]);
        const Type* message =
            actor->sort == TypeSort::nominal ? types_.message_type(actor->info) : nullptr;
        if (message != nullptr) expect(*node.args[1].value, message);
        sent_.push_back({module_, node.args[1].value});
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

const Type* Checker::member_call(const CallExpr& node, const MemberExpr& callee,
                                 const Type* wanted) {
    const Named outer = named(*callee.object);
    if (outer.module != nullptr || outer.info != nullptr) note_object(*callee.object, outer);
    if (outer.module != nullptr) return call_in_module(node, callee, *outer.module, wanted);
    if (outer.info != nullptr) return call_of_type(node, callee, outer, wanted);
    const Type* object = object_type(callee);
    if (is_item(callee)) {
        fact(callee).type = tuple_item(callee, object);
        return apply_value(node, fact(callee).type);
    }
    const bool is_optional = callee.op == TokenKind::question_dot;
    const auto wrapped = [&](const Type* type) {
        // Recorded before `?.` wraps it in an Option.
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
        if (is_own) return send_of_own(node, callee);
    }
    const Member found = types_.find_member(object, callee.name.text);
    if (!found) {
        if (is_sort(object, TypeSort::variable)) {
            static_cast<void>(not_known(*callee.object));
        } else {
            unknown_member(object, callee.name);
        }
        for (const Argument& argument : node.args) expr(*argument.value);
        return types_.error();
    }
    check_visible(found, callee.name);
    if (found.field != nullptr) {
        const Type* type = types_.seen_from(found.field->type, found.owner);
        // Properties such as `length` may also be written as calls.
        const bool is_property = found.field->owner->is_standard && node.args.empty();
        means(callee, type, Meaning::of(MeaningKind::field, found.field));
        if (is_property) fact(node).meaning = Meaning::of(MeaningKind::property, found.field);
        return wrapped(is_property ? type : apply_value(node, type));
    }
    const FunctionInfo& method = declared_for(node, *found.method);
    Signature signature = of_function(method, found.owner, callee.type_args);
    item_rules(callee, method, known(found.owner), signature.result);
    const std::vector<const Type*> variables = signature.variables;
    const Type* result =
        apply(node, std::move(signature), Meaning::of(MeaningKind::method, &method));
    order_rules(node, callee, method, variables);
    number_rules(node, method, variables);
    return wrapped(result);
}

bool Checker::is_comparable(const Type* type) {
    type = known(type);
    if (type->sort == TypeSort::tuple) {
        return std::all_of(type->args.begin(), type->args.end(),
                           [this](const Type* item) { return is_comparable(item); });
    }
    if (type->sort == TypeSort::variable) return true;
    return is_numeric(type) || Types::is(type, types_.builtins.string);
}

// What `abs` takes is a number, and what `math.min` and `math.max` take has an order.
void Checker::number_rules(const CallExpr& node, const FunctionInfo& function,
                           std::span<const Type* const> variables) {
    const std::string_view name = function.name.text;
    const bool is_math = function.owner != nullptr && function.owner->name.text == "MathFunctions";
    const bool is_abs = name == "abs" && (is_math || function.owner == nullptr);
    const bool is_one = is_abs || (is_math && (name == "min" || name == "max"));
    if (!function.module->is_standard || !is_one || variables.empty() || node.args.empty()) return;
    const Type* type = known(variables[0]);
    if (Types::has_error(type) || (is_abs ? is_numeric(type) : is_comparable(type))) return;
    error("E0303", node.args[0].value->span,
          concat("`", name,
                 is_abs ? "` needs a Number or a Float"
                        : "` needs an order: Number, Float, String or tuples of such",
                 ", found ", type_text(type)));
}

// Elements or keys that are sorted have an order.
void Checker::order_rules(const CallExpr& node, const MemberExpr& callee,
                          const FunctionInfo& method, std::span<const Type* const> variables) {
    const std::string_view name = method.name.text;
    const bool is_of_list =
        method.owner == types_.builtins.list || method.owner == types_.builtins.sequence;
    if (!is_of_list) return;
    const auto refuse = [&](const Expr& place, const Type* type) {
        if (is_comparable(type) || Types::has_error(type)) return;
        error("E0303", place.span,
              concat("`", name, "` needs an order: Number, Float, String or tuples of such, found ",
                     type_text(type)))
            .note(name == "min" || name == "max"
                      ? "`sortedBy(..)` sorts by a key that has an order"
                      : "`sortBy(..)` sorts by a key that has one, `sortWith(..)` compares two");
    };
    if (name == "sort" || name == "sorted" || name == "min" || name == "max") {
        const Type* sequence = types_.as_base(fact(*callee.object).type, types_.builtins.sequence);
        if (sequence != nullptr) refuse(*callee.object, sequence->args[0]);
    }
    const bool has_key = (name == "sortBy" || name == "sortedBy") && !variables.empty();
    if (has_key && !node.args.empty()) refuse(*node.args[0].value, variables[0]);
}

// For an overloaded standard method: the overload that takes a function, if one is given.
const FunctionInfo& Checker::declared_for(const CallExpr& node, const FunctionInfo& method) const {
    if (!method.module->is_standard || node.args.size() < 2) return method;
    const auto is_function = [&](const Expr& given) {
        if (given.kind != ExprKind::name) return given.kind == ExprKind::lambda;
        const std::string_view text = as<NameExpr>(given).text;
        if (const Local* local = find_local(text)) return is_sort(local->type, TypeSort::function);
        const Symbol* symbol = find_symbol(program_, *module_, text);
        return symbol != nullptr && symbol->kind == SymbolKind::function;
    };
    const auto fits = [&](const FunctionInfo* other) {
        if (other->name.text != method.name.text || other->params.size() != node.args.size()) {
            return false;
        }
        for (std::size_t i = 0; i < node.args.size(); ++i) {
            if (!node.args[i].name.text.empty()) return false;
            const bool takes_function = is_sort(other->params[i].type, TypeSort::function);
            if (is_function(bare(*node.args[i].value)) != takes_function) return false;
        }
        return true;
    };
    const auto& methods = method.owner->methods;
    const auto found = std::find_if(methods.begin(), methods.end(), fits);
    return found == methods.end() ? method : **found;
}

// The item types that `flatten` and `sum` require, which their declarations cannot express.
void Checker::item_rules(const MemberExpr& callee, const FunctionInfo& method, const Type* owner,
                         const Type* result) {
    if (method.owner == types_.builtins.list && method.name.text == "flatten") {
        if (types_.assign(owner->args[0], result)) return;
        mismatch(*callee.object, types_.list(types_.list(types_.fresh())),
                 fact(*callee.object).type);
    }
    if (method.owner == types_.builtins.sequence && method.name.text == "sum") {
        if (is_numeric(result) || types_.assign(result, types_.number())) return;
        mismatch(*callee.object, types_.list(types_.number()), fact(*callee.object).type);
    }
}

const Type* Checker::actor_send(const CallExpr& node, const Type* message) {
    if (message == nullptr && !node.args.empty()) {
        const auto& callee = as<MemberExpr>(bare(*node.callee));
        error("E0303", callee.name.span, "this actor has no handler for messages")
            .note("it is a method `async fn handleMessage(self, msg: Message) -> void { .. }`");
        for (const Argument& argument : node.args) infer(*argument.value);
        return types_.error();
    }
    Signature signature;
    signature.name = "send";
    if (message != nullptr) signature.params.push_back({{"message", {}}, message, false});
    signature.result = types_.nothing();
    for (const Argument& argument : node.args) sent_.push_back({module_, argument.value});
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

}  // namespace gyre::vela::internal
