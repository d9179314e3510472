// SPDX-License-Identifier: Apache-2.0
// Functions, lambdas and generated functions, and their parameters.
#include <algorithm>

#include "lang/vela/lower/internal/lowering.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
Lowering::Lowering(Session& session, Code& code, const Module& module, Lowering* parent)
    : session_(session),
      code_(code),
      module_(module),
      locals_(session.locals[&module]),
      parent_(parent),
      depth_(parent == nullptr ? 1 : parent->depth_ + 1),
      emitter_(code) {
    if (parent == nullptr) return;
    class_ = parent->class_;
    message_name_ = parent->message_name_;
}

// Makes the parameter registers, `this` first.
std::vector<Register> Lowering::begin(const FunctionInfo& function) {
    const bool has_this = function.owner != nullptr && !function.is_static;
    class_ = function.owner != nullptr ? function.owner : class_;
    std::vector<Register> registers;
    if (has_this) {
        registers.push_back(emitter_.make_register(function.owner->self, "this"));
        variables_[this_place] = {registers[0]};
    }
    for (const ParamInfo& param : function.params) {
        registers.push_back(emitter_.make_register(param.type, param.name.text));
    }
    code_.param_count = static_cast<std::uint32_t>(registers.size());
    const FunctionDecl& node = *function.node;
    if (!node.has_self || class_ == nullptr) return registers;
    const LocalFact* self = local_fact(node.span.begin);
    if (class_->kind == DeclKind::actor && self != nullptr) {
        const Register made = emitter_.make_register(self->type, "self");
        emitter_.emit(Op::actor_self, made, {this_register()});
        variables_[node.span.begin] = {made};
    } else {
        variables_[node.span.begin] = {this_register()};
    }
    return registers;
}

void Lowering::function(const FunctionInfo& function) {
    const std::vector<Register> registers = begin(function);
    const FunctionDecl& node = *function.node;
    const bool has_defaults =
        std::any_of(node.params.begin(), node.params.end(),
                    [](const Param& param) { return param.value != nullptr; });
    const auto params = std::span(registers).last(function.params.size());
    if (!has_defaults || code_.kind == CodeKind::plain) {
        if (has_defaults) defaults(node.params, params);
        return function_body(function, params);
    }
    // Default arguments are evaluated by the call, but the body runs later: the function becomes a
    // plain function that evaluates them and passes all to the body.
    Code& machine =
        session_.make_code(concat(code_.name, ".body"), module_, code_.kind, code_.result);
    machine.function = &function;
    machine.yields = std::exchange(code_.yields, nullptr);
    machine.place = code_.place;
    code_.kind = CodeKind::plain;
    code_.result = known(function.result);
    for (std::size_t i = 0; i < params.size(); ++i) {
        variables_[node.params[i].name.span.begin] = {params[i]};
    }
    defaults(node.params, params);
    Lowering inner(session_, machine, module_, parent_);
    const std::vector<Register> inner_registers = inner.begin(function);
    inner.function_body(function, std::span(inner_registers).last(params.size()));
    Register made = emitter_.make_register(code_.result);
    if (inner.captured_outside_.empty()) {
        emitter_.emit(Op::call, made, registers).code = &machine;
    } else {
        // Captures of the body are captured here too, and passed on.
        made = call_inner(machine, inner, registers);
    }
    emitter_.emit(Op::return_value, no_register, {made});
    end();
}

void Lowering::function_body(const FunctionInfo& function, std::span<const Register> params) {
    const FunctionDecl& node = *function.node;
    const bool is_actor = class_ != nullptr && class_->kind == DeclKind::actor;
    const std::string_view name = function.name.text;
    const bool is_handler = function.owner != nullptr && is_actor && !function.params.empty() &&
                            (name == "handleMessage" || name == "receive");
    message_name_ = is_handler ? function.params[0].name.text : std::string_view();
    declare_params(node.params, params);
    body(*node.body);
    end();
}

// Evaluates the default of an omitted parameter, which may use the parameters before it.
void Lowering::defaults(std::span<const Param> params, std::span<const Register> registers) {
    for (std::size_t i = 0; i < params.size(); ++i) {
        variables_[params[i].name.span.begin] = {registers[i]};
        if (params[i].value == nullptr) continue;
        const Register is_given = emitter_.make_register(types().boolean());
        const Label missing = emitter_.make_label();
        const Label after = emitter_.make_label();
        emitter_.emit(Op::is_given, is_given, {registers[i]});
        emitter_.branch(is_given, after, missing);
        emitter_.place(missing);
        value(*params[i].value, registers[i]);
        emitter_.place(after);
    }
}

// A parameter that an inner function changes moves into a cell.
void Lowering::declare_params(std::span<const Param> params, std::span<const Register> registers) {
    for (std::size_t i = 0; i < params.size(); ++i) {
        const Name& name = params[i].name;
        const LocalFact* fact = local_fact(name.span.begin);
        variables_.erase(name.span.begin);
        if (fact != nullptr && fact->is_captured && fact->is_changed) {
            declare(name, code_.registers[registers[i]].type, registers[i]);
        } else {
            variables_[name.span.begin] = {registers[i]};
        }
    }
}

void Lowering::body(const Stmt& node) {
    const bool has_result = code_.yields == nullptr && !Types::is(code_.result, builtins().nothing);
    const Sink into{has_result ? Use::give_back : Use::drop};
    if (node.kind == StmtKind::block) {
        block(as<BlockStmt>(node), into);
    } else {
        last(node, into);
    }
}

void Lowering::end() {
    if (!emitter_.is_dead()) emitter_.emit(Op::return_value, no_register, {nothing_value()});
    emitter_.finish();
}

void Lowering::lambda(const LambdaExpr& node, const Type* type) {
    std::vector<Register> registers;
    for (std::size_t i = 0; i < node.params.size(); ++i) {
        const Type* param = i < type->args.size() ? type->args[i] : types().error();
        registers.push_back(emitter_.make_register(param, node.params[i].name.text));
    }
    code_.param_count = static_cast<std::uint32_t>(registers.size());
    declare_params(node.params, registers);
    body(*node.body);
    end();
}

void Lowering::async_block(const AsyncBlockExpr& node) {
    body(*node.body);
    end();
}

void Lowering::fields(const TypeInfo& info) {
    depth_ = 0;
    class_ = &info;
    const Register object = emitter_.make_register(info.self, "this");
    std::vector<Register> given;
    for (const FieldInfo& field : info.fields) {
        given.push_back(emitter_.make_register(field.type, field.name.text));
    }
    code_.param_count = static_cast<std::uint32_t>(code_.registers.size());
    // Field defaults cannot use `this`.
    if (info.base != nullptr) fill_fields(object, *known(info.base)->info, {});
    for (std::size_t i = 0; i < info.fields.size(); ++i) {
        const FieldInfo& field = info.fields[i];
        const Register is_given = emitter_.make_register(types().boolean());
        const Label missing = emitter_.make_label();
        const Label set = emitter_.make_label();
        const Label after = emitter_.make_label();
        emitter_.emit(Op::is_given, is_given, {given[i]});
        emitter_.branch(is_given, set, missing);
        emitter_.place(missing);
        bool is_filled = true;
        if (field.node->value != nullptr) {
            value(*field.node->value, given[i]);
        } else {
            is_filled = fill(field.type, given[i]) != no_register;
        }
        if (!is_filled) emitter_.jump(after);
        emitter_.place(set);
        emitter_.emit(Op::set_field, no_register, {object, given[i]}).field = &field;
        emitter_.place(after);
    }
    end();
}

void Lowering::globals() {
    depth_ = 0;
    for (const Decl* node : module_.tree.declarations) {
        if (node->kind != DeclKind::statement) continue;
        assign_global_statement(*as<StatementDecl>(*node).statement);
    }
    end();
}

void Lowering::wrapper(const Meaning& meaning, const Type* type, Register object_outside,
                       const Type* object_type) {
    std::vector<Register> args;
    for (const Type* param : type->args) args.push_back(emitter_.make_register(param));
    code_.param_count = static_cast<std::uint32_t>(args.size());
    if (object_outside != no_register) {
        const Register object = emitter_.make_register(object_type, "this");
        code_.captures.push_back(object);
        captured_outside_.push_back(object_outside);
        args.insert(args.begin(), object);
    }
    Register result = no_register;
    if (meaning.kind == MeaningKind::variant) {
        result = emitter_.make_register(type->result);
        emitter_.emit(Op::variant, result, args).variant = meaning.variant;
    } else if (meaning.kind == MeaningKind::spawn) {
        result = spawn(args[0], known(type->result), no_register);
    } else {
        result = function_call(*meaning.function, args, type->result, no_register, {});
    }
    emitter_.emit(Op::return_value, no_register, {result});
    end();
}

// Makes a closure and calls it at once; its captures are variables of enclosing functions.
Register Lowering::call_inner(const Code& code, const Lowering& inner,
                              std::span<const Register> args) {
    std::vector<const Type*> params;
    for (const Register arg : args) params.push_back(code_.registers[arg].type);
    const Type* type = types().function(std::move(params), code_.result);
    std::vector<Register> brought;
    for (const Register outside : inner.captured_outside_) {
        const auto known_here =
            std::find(captured_outside_.begin(), captured_outside_.end(), outside);
        if (known_here != captured_outside_.end()) {
            brought.push_back(
                code_.captures[static_cast<std::size_t>(known_here - captured_outside_.begin())]);
            continue;
        }
        const RegisterInfo info = parent_->code_.registers[outside];
        brought.push_back(emitter_.make_register(info.type, info.name, info.is_cell));
        code_.captures.push_back(brought.back());
        captured_outside_.push_back(outside);
    }
    const Register made = emitter_.make_register(type);
    emitter_.emit(Op::closure, made, brought).code = &code;
    std::vector<Register> all{made};
    all.insert(all.end(), args.begin(), args.end());
    const Register result = emitter_.make_register(code_.result);
    emitter_.emit(Op::call_value, result, all);
    return result;
}

Register Lowering::closure(const Code& code, const Lowering& inner, const Type* type, Register to) {
    to = out(to, type);
    emitter_.emit(Op::closure, to, inner.captured_outside_).code = &code;
    return to;
}

}  // namespace gyre::vela::internal
