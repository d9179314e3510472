// SPDX-License-Identifier: Apache-2.0
// Calls: of functions, methods, values, variants and types; spawn and send.
#include <algorithm>

#include "lang/vela/lower/internal/lowering.hpp"

namespace gyre::vela::internal {

// Evaluates arguments in source order; an omitted parameter gets an empty register.
std::vector<Register> Lowering::arguments(std::span<const Argument> args,
                                          const std::vector<ParamInfo>& params) {
    std::vector<bool> is_changed(args.size() + 1);
    for (std::size_t i = args.size(); i > 0; --i) {
        is_changed[i - 1] = is_changed[i] || may_assign(*args[i - 1].value);
    }
    std::vector<Register> result(params.size(), no_register);
    std::size_t position = 0;
    for (std::size_t i = 0; i < args.size(); ++i) {
        std::size_t index = position;
        if (args[i].name.text.empty()) {
            ++position;
        } else {
            const auto found = std::find_if(
                params.begin(), params.end(),
                [&](const ParamInfo& param) { return param.name.text == args[i].name.text; });
            index = static_cast<std::size_t>(found - params.begin());
        }
        const Register given = kept(*args[i].value, is_changed[i + 1]);
        if (index < result.size()) result[index] = given;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] != no_register) continue;
        result[i] = emitter_.make_register(params[i].type);
        emitter_.emit(Op::clear, result[i], {});
    }
    return result;
}

// A call that never returns ends the block.
void Lowering::end_if_never(const Type* type) {
    if (is_sort(type, TypeSort::never)) emitter_.emit(Op::left_out, no_register, {});
}

Register Lowering::function_call(const FunctionInfo& function, std::span<const Register> args,
                                 const Type* type, Register to, Span place) {
    to = out(to, type);
    emitter_.set_place(place);
    const bool is_method = function.owner != nullptr && !function.is_static &&
                           function.node->kind != DeclKind::constructor;
    const bool is_interface =
        function.owner != nullptr && function.owner->kind == DeclKind::interface;
    if (function.module->is_standard && !is_interface) {
        emitter_.emit(Op::call_native, to, args).function = &function;
    } else if (is_method || function.node->body == nullptr) {
        emitter_.emit(Op::call_method, to, args).function = &function;
    } else {
        emitter_.emit(Op::call, to, args).code = &session_.code_of(function);
    }
    end_if_never(type);
    return to;
}

Register Lowering::method_call(const CallExpr& node, const FunctionInfo& method, Register object,
                               const Type* type, Register to) {
    std::vector<Register> args = arguments(node.args, method.params);
    args.insert(args.begin(), object);
    return function_call(method, args, type, to, node.span);
}

// Calls a function value.
Register Lowering::call_of_value(const CallExpr& node, bool is_changed, Register to) {
    const Type* type = type_of(node);
    const auto apply = [&](Register called, const Type* result, Register place) {
        std::vector<Register> args{called};
        const std::vector<Register> given = arguments(node.args, params_of_value(node));
        args.insert(args.end(), given.begin(), given.end());
        // A function without a declared result may return a value, which is dropped.
        const bool is_hidden = Types::is(result, builtins().nothing);
        const Register given_back =
            is_hidden ? emitter_.make_register(types().error()) : out(place, result);
        emitter_.set_place(node.span);
        emitter_.emit(Op::call_value, given_back, args);
        end_if_never(result);
        return is_hidden ? nothing_value(place) : given_back;
    };
    const bool is_optional = node.callee->kind == ExprKind::member &&
                             as<MemberExpr>(*node.callee).op == TokenKind::question_dot;
    if (is_optional && meaning_of(*node.callee).kind == MeaningKind::field) {
        const auto& callee = as<MemberExpr>(*node.callee);
        const FieldInfo& field = *meaning_of(callee).field;
        const Type* inner = type_of(callee);
        const Type* function_type = types().error();
        return optional(callee, type, to, inner, [&](Register object) {
            return apply(field_of(object, field, function_type, no_register), inner, no_register);
        });
    }
    return apply(stable(*node.callee, is_changed), type, to);
}

Register Lowering::call(const CallExpr& node, Register to) {
    const Meaning meaning = meaning_of(node);
    const Type* type = type_of(node);
    const bool is_member = node.callee->kind == ExprKind::member;
    const bool is_optional =
        is_member && as<MemberExpr>(*node.callee).op == TokenKind::question_dot;
    bool is_changed = false;
    for (const Argument& arg : node.args) is_changed = is_changed || may_assign(*arg.value);

    switch (meaning.kind) {
        case MeaningKind::spawn:
            return spawn(value(*node.args[0].value), type, to);
        case MeaningKind::send_to:
            return send_to(node, to);
        case MeaningKind::send: {
            const Register actor = stable(*as<MemberExpr>(*node.callee).object, is_changed);
            if (!node.args.empty()) {
                const Register message = value(*node.args[0].value);
                emitter_.emit(Op::send, no_register, {actor, message});
            }
            return nothing_value(to);
        }
        case MeaningKind::variant: {
            const std::vector<Register> args = arguments(node.args, meaning.variant->args);
            to = out(to, type);
            emitter_.emit(Op::variant, to, args).variant = meaning.variant;
            return to;
        }
        case MeaningKind::construction:
            return construct(node, *meaning.type, to);
        case MeaningKind::construction_of_base:
            return super(node, *meaning.type, to);
        case MeaningKind::function: {
            const std::vector<Register> args = arguments(node.args, meaning.function->params);
            return function_call(*meaning.function, args, type, to, node.span);
        }
        case MeaningKind::property:
        case MeaningKind::method: {
            const auto& callee = as<MemberExpr>(*node.callee);
            const auto on = [&](Register object, const Type* result, Register place) {
                if (meaning.kind == MeaningKind::property) {
                    return field_of(object, *meaning.field, result, place);
                }
                return method_call(node, *meaning.function, object, result, place);
            };
            if (!is_optional) return on(stable(*callee.object, is_changed), type, to);
            const Type* inner = type_of(callee);
            return optional(callee, type, to, inner,
                            [&](Register object) { return on(object, inner, no_register); });
        }
        default:
            break;
    }
    return call_of_value(node, is_changed, to);
}

// A local function has parameter names and defaults; any other function value takes all arguments
// by position.
std::vector<ParamInfo> Lowering::params_of_value(const CallExpr& node) const {
    const Meaning& callee = meaning_of(*node.callee);
    const LocalFact* fact = callee.kind == MeaningKind::local ? local_fact(callee.place) : nullptr;
    if (fact != nullptr && fact->function != nullptr) return fact->function->params;
    std::vector<ParamInfo> params(node.args.size());
    for (ParamInfo& param : params) param.type = session_.program.types.error();
    return params;
}

// The innermost enclosing `scope`, which may be in an enclosing function.
std::optional<Register> Lowering::scope_around() {
    const Lowering* at = this;
    while (at != nullptr && at->scopes_.empty()) at = at->parent_;
    if (at == nullptr) return std::nullopt;
    return find(at->scopes_.back()).reg;
}

Register Lowering::spawn(Register what, const Type* type, Register to) {
    std::vector<Register> args{what};
    to = out(to, type);
    if (Types::is(type, builtins().actor_ref)) {
        emitter_.emit(Op::spawn_actor, to, args);
        return to;
    }
    if (const std::optional<Register> scope = scope_around()) args.push_back(*scope);
    emitter_.emit(Op::spawn_task, to, args);
    return to;
}

// `this.send(to, message)`.
Register Lowering::send_to(const CallExpr& node, Register to) {
    const Register receiver = stable(*node.args[0].value, may_assign(*node.args[1].value));
    const Register message = value(*node.args[1].value);
    const Type* type = code_.registers[receiver].type;
    if (Types::is(type, builtins().actor_ref)) {
        emitter_.emit(Op::send, no_register, {receiver, message});
        return nothing_value(to);
    }
    const FunctionInfo* method = types().find_member(type, "send").method;
    if (method == nullptr) return nothing_value(to);
    const Register args[] = {receiver, message};
    return function_call(*method, args, types().nothing(), to, node.span);
}

}  // namespace gyre::vela::internal
