// SPDX-License-Identifier: Apache-2.0
// Calls: the meaning of the callee, and its arguments.
#include <algorithm>

#include "lang/vela/reference/internal/evaluator.hpp"

namespace gyre::vela::internal {
namespace {

const Variant* variant_in(const EnumDecl& node, std::string_view name) {
    const auto found =
        std::find_if(node.variants.begin(), node.variants.end(),
                     [&](const Variant& variant) { return variant.name.text == name; });
    return found == node.variants.end() ? nullptr : &*found;
}

std::vector<std::string_view> names_of(const std::vector<ParamInfo>& params) {
    std::vector<std::string_view> names;
    for (const ParamInfo& param : params) names.push_back(param.name.text);
    return names;
}

// The type of the result, before `?.` wraps it.
const Type* called_type(const CallExpr& node, const Place& at) {
    const std::vector<Fact>& facts = at.frame->home.module->facts;
    const bool is_wrapped = node.callee->kind == ExprKind::member &&
                            as<MemberExpr>(*node.callee).op == TokenKind::question_dot;
    return facts[is_wrapped ? node.callee->index : node.index].type;
}

}  // namespace

Eval<Value> Evaluator::call(const CallExpr& node, Place& at) {
    const Expr& callee = *node.callee;
    if (callee.kind == ExprKind::member) {
        const Value value = co_await call_member(node, as<MemberExpr>(callee), at);
        co_return value;
    }
    if (callee.kind == ExprKind::name) {
        const Value value = co_await call_by_name(node, as<NameExpr>(callee), at);
        co_return value;
    }
    const Value function = co_await expr(callee, at);
    const Value value = co_await call_value(node, function, at);
    co_return value;
}

Eval<Value> Evaluator::call_by_name(const CallExpr& node, const NameExpr& callee, Place& at) {
    const std::string_view text = callee.text;
    Object* self = at.frame->home.self;
    Value function;
    if (const Binding* local = find(at, text)) {
        function = local->value;
    } else if (self != nullptr && self->field(text) != nullptr &&
               self->field(text)->as<Function>() != nullptr) {
        function = *self->field(text);
    } else {
        const Named type = named(callee, at);
        const Variant* variant = find_variant(text, at);
        // The checker has resolved it by the wanted type.
        const Meaning& noted = at.frame->home.module->facts[node.index].meaning;
        if (variant == nullptr && noted.kind == MeaningKind::variant) {
            variant = variant_in(as<EnumDecl>(*noted.variant->owner->node), text);
        }
        const bool hides_type = variant != nullptr && (!variant->args.empty() || node.args.empty());
        if (variant != nullptr && (type.type == nullptr || hides_type)) {
            const Value value = co_await make_variant(node, *variant, at);
            co_return value;
        }
        if (type.type != nullptr) {
            const Value value = co_await make_object(node, *type.type, at);
            co_return value;
        }
        const Symbol* known_symbol = symbol(*at.frame->home.module, text);
        if (known_symbol != nullptr && known_symbol->kind == SymbolKind::function) {
            const Value value = co_await call_function(node, *known_symbol->function, {}, at);
            co_return value;
        }
        if (known_symbol == nullptr && text == "spawn") {
            const Value what = co_await expr(*node.args[0].value, at);
            co_return spawned(what, at.group);
        }
        if (known_symbol == nullptr && text == "super") {
            co_await call_super(node, at);
            co_return Value();
        }
        if (known_symbol == nullptr) throw InternalError{"unknown name " + std::string(text)};
        function = symbol_value(*known_symbol);
    }
    const Value value = co_await call_value(node, function, at);
    co_return value;
}

Eval<Value> Evaluator::call_member(const CallExpr& node, const MemberExpr& callee, Place& at) {
    const Named outer = named(*callee.object, at);
    const std::string_view text = callee.name.text;
    if (outer.module != nullptr) {
        const Symbol* found = symbol(*outer.module, text);
        if (found == nullptr) throw InternalError{"unknown name " + std::string(text)};
        Value value;
        if (found->kind == SymbolKind::function) {
            value = co_await call_function(node, *found->function, {}, at);
        } else if (found->kind == SymbolKind::type) {
            value = co_await make_object(node, *found->info, at);
        } else {
            value = co_await call_value(node, symbol_value(*found), at);
        }
        co_return value;
    }
    if (outer.local != nullptr) {
        const Value value = co_await make_variant(node, *variant_in(*outer.local, text), at);
        co_return value;
    }
    if (outer.type != nullptr) {
        const Value value = co_await call_on_type(node, callee, *outer.type, at);
        co_return value;
    }
    const Value object = co_await expr(*callee.object, at);
    if (object.as<Tuple>() != nullptr) {
        const Value value = co_await call_value(node, member_of(object, text), at);
        co_return value;
    }
    if (callee.op != TokenKind::question_dot) {
        const Value value = co_await call_on_value(node, text, object, at);
        co_return value;
    }
    if (is_variant(object, "None") || is_variant(object, "Err")) co_return heap_.none();
    const Value inner = object.as<EnumValue>()->payload[0];
    const Value value = co_await call_on_value(node, text, inner, at);
    const bool is_option = is_variant(value, "Some") || is_variant(value, "None");
    co_return is_option ? value : heap_.some(value);
}

Eval<Value> Evaluator::call_on_type(const CallExpr& node, const MemberExpr& callee,
                                    const TypeInfo& type, Place& at) {
    const std::string_view text = callee.name.text;
    Value value;
    if (type.kind == DeclKind::enumeration) {
        const Variant* variant = variant_in(as<EnumDecl>(*type.node), text);
        if (variant == nullptr) throw InternalError{"unknown variant " + std::string(text)};
        value = co_await make_variant(node, *variant, at);
    } else if (text == "new") {
        value = co_await make_object(node, type, at);
    } else {
        const FoundMember found = find_member(&type, text, true);
        if (found.method == nullptr) throw InternalError{"unknown name " + std::string(text)};
        value = co_await call_function(node, *found.method, {}, at);
    }
    co_return value;
}

Eval<Value> Evaluator::call_on_value(const CallExpr& node, std::string_view text, Value object,
                                     Place& at) {
    const bool is_own = at.frame->home.self != nullptr && object.thing() == at.frame->home.self &&
                        at.frame->home.self->type->kind == DeclKind::actor;
    const bool is_relay = is_own && text == "send" && node.args.size() == 2;
    Value to = object;
    if (is_relay) to = co_await expr(*node.args[0].value, at);
    if (text == "send" && (is_relay || to.as<ActorRef>() != nullptr)) {
        const Value message = co_await expr(*node.args[is_relay ? 1 : 0].value, at);
        if (auto* reference = to.as<ActorRef>()) {
            runtime_.send(*reference, message);
            co_return Value();
        }
        const Values args{message};
        const Value sent = co_await invoke(member_of(to, "send"), args);
        co_return sent;
    }
    const FoundMember found = find_member(type_of(runtime_, object), text);
    if (found.method != nullptr) {
        const Value value = co_await call_function(node, *found.method, object, at);
        co_return value;
    }
    const Value field = member_of(object, text);
    const bool is_property =
        found.field != nullptr && found.field->owner->is_standard && node.args.empty();
    if (is_property) co_return field;
    const Value value = co_await call_value(node, field, at);
    co_return value;
}

Eval<Value> Evaluator::call_function(const CallExpr& node, const FunctionInfo& function, Value self,
                                     Place& at) {
    const std::vector<std::string_view> params = names_of(function.params);
    Given given;
    co_await arguments(node, params, given, at);
    if (function.module->is_standard) {
        while (!given.empty() && !given.back()) given.pop_back();
        Values args;
        for (const std::optional<Value>& value : given) args.push_back(value.value_or(Value()));
        const Value made = call_native(runtime_, function, self, args);
        co_return with_zero_of(runtime_, made, called_type(node, at));
    }
    Closure* closure = method(function, self.as<Object>());
    const Value value = co_await invoke_closure(*closure, given);
    co_return value;
}

Eval<Value> Evaluator::call_value(const CallExpr& node, Value function, Place& at) {
    auto* closure = function.as<Closure>();
    std::vector<std::string_view> params;
    if (closure != nullptr && closure->info != nullptr) params = names_of(closure->info->params);
    Given given;
    co_await arguments(node, params, given, at);
    if (closure != nullptr) {
        const Value value = co_await invoke_closure(*closure, given);
        co_return closure->drops_value ? Value() : value;
    }
    Values args;
    for (const std::optional<Value>& value : given) args.push_back(value.value_or(Value()));
    const Value value = co_await invoke(function, args);
    co_return value;
}

Eval<Value> Evaluator::make_variant(const CallExpr& node, const Variant& variant, Place& at) {
    std::vector<std::string_view> params;
    for (const Param& param : variant.args) params.push_back(param.name.text);
    Given given;
    co_await arguments(node, params, given, at);
    Values payload;
    for (const std::optional<Value>& value : given) payload.push_back(value.value());
    co_return heap_.variant(variant.name.text, payload);
}

// Runs the constructor of the base class on `this`, or gives its fields values.
Eval<bool> Evaluator::call_super(const CallExpr& node, Place& at) {
    Object& self = *at.frame->home.self;
    const TypeInfo& base = *known(at.frame->home.type->base)->info;
    const FunctionInfo* constructor = constructor_of(base);
    std::vector<std::string_view> params;
    if (constructor != nullptr) {
        params = names_of(constructor->params);
    } else {
        for (const FieldInfo& field : base.fields) params.push_back(field.name.text);
    }
    Given given;
    co_await arguments(node, params, given, at);
    if (constructor == nullptr || constructor->module->is_standard) {
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (given[i]) *self.field(params[i]) = *given[i];
        }
        co_return true;
    }
    co_await invoke_closure(*method(*constructor, &self), given);
    co_return true;
}

Eval<Value> Evaluator::make_object(const CallExpr& node, const TypeInfo& type, Place& at) {
    std::vector<std::string_view> params;
    for (const TypeInfo* of = &type; of != nullptr;) {
        if (!of->constructors.empty()) params = names_of(of->constructors[0]->params);
        if (!of->constructors.empty() || !of->fields.empty()) break;
        of = of->base == nullptr ? nullptr : known(of->base)->info;
    }
    if (params.empty()) {
        for (const FieldInfo& field : type.fields) params.push_back(field.name.text);
    }
    Given given;
    co_await arguments(node, params, given, at);
    const Value value = co_await construct(type, given);
    co_return value;
}

Eval<bool> Evaluator::arguments(const CallExpr& node, const std::vector<std::string_view>& params,
                                Given& given, Place& at) {
    given.resize(params.size());
    std::size_t position = 0;
    for (const Argument& argument : node.args) {
        std::size_t index = position;
        if (argument.name.text.empty()) {
            ++position;
        } else {
            const auto found = std::find(params.begin(), params.end(), argument.name.text);
            index = static_cast<std::size_t>(found - params.begin());
        }
        if (index >= given.size()) given.resize(index + 1);
        const Value value = co_await expr(*argument.value, at);
        given[index] = heap_.copied(value);
    }
    co_return true;
}

}  // namespace gyre::vela::internal
