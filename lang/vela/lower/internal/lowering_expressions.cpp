// SPDX-License-Identifier: Apache-2.0
// Expressions: each becomes the register that holds its value.
#include <algorithm>

#include "lang/vela/lower/internal/literals.hpp"
#include "lang/vela/lower/internal/lowering.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

const Type* Lowering::type_of(const Expr& node) const {
    const Type* type = module_.facts[node.index].type;
    return type == nullptr ? session_.program.types.error() : known(type);
}

const Meaning& Lowering::meaning_of(const Expr& node) const {
    return module_.facts[node.index].meaning;
}

Register Lowering::out(Register to, const Type* type) {
    return to != no_register ? to : emitter_.make_register(known(type));
}

Register Lowering::constant(Constant value, const Type* type, Register to) {
    to = out(to, type);
    emitter_.constant(to, std::move(value));
    return to;
}

Register Lowering::nothing_value(Register to) {
    return constant(std::monostate{}, types().nothing(), to);
}

Register Lowering::stable(const Expr& node, bool is_changed_later) {
    const Register found = value(node);
    const bool is_variable = !code_.registers[found].name.empty();
    if (!is_changed_later || !is_variable) return found;
    const Register copy = emitter_.make_register(code_.registers[found].type);
    emitter_.move(copy, found);
    return copy;
}

bool Lowering::may_be_struct(const Type* type) const {
    type = known(type);
    switch (type->sort) {
        case TypeSort::nominal:
            return type->info->kind == DeclKind::structure ||
                   type->info->kind == DeclKind::interface;
        case TypeSort::parameter:
        case TypeSort::variable:
        case TypeSort::error:
            return true;
        default:
            return false;
    }
}

Register Lowering::copied(Register given) {
    const Type* type = code_.registers[given].type;
    if (!may_be_struct(type)) return given;
    const Register copy = emitter_.make_register(type);
    emitter_.emit(Op::copy, copy, {given});
    return copy;
}

Register Lowering::kept(const Expr& node, bool is_changed_later, Register to) {
    const Expr& inner = bare(node);
    const bool is_new =
        inner.kind == ExprKind::struct_literal ||
        (inner.kind == ExprKind::call && meaning_of(inner).kind == MeaningKind::construction);
    if (is_new || !may_be_struct(type_of(node))) {
        return to == no_register ? stable(node, is_changed_later) : value(node, to);
    }
    const Register given = value(node);
    to = out(to, code_.registers[given].type);
    emitter_.emit(Op::copy, to, {given});
    return to;
}

Register Lowering::lambda_value(const LambdaExpr& node, Register to) {
    const Type* type = type_of(node);
    const bool is_function = type->sort == TypeSort::function;
    const Type* result = is_function ? known(type->result) : types().error();
    if (node.is_async) {
        const Type* awaited = types().future_value(result);
        if (awaited != nullptr) result = awaited;
    }
    Code& code =
        session_.make_code(concat(code_.name, ".lambda", std::to_string(++inner_count_)), module_,
                           node.is_async ? CodeKind::async : CodeKind::plain, result);
    code.place = node.span;
    Lowering inner(session_, code, module_, this);
    inner.lambda(node, type);
    return closure(code, inner, type, to);
}

Register Lowering::async_block_value(const AsyncBlockExpr& node, Register to) {
    const Type* type = type_of(node);
    const Type* awaited = types().future_value(type);
    Code& code =
        session_.make_code(concat(code_.name, ".async", std::to_string(++inner_count_)), module_,
                           CodeKind::async, awaited == nullptr ? types().error() : awaited);
    code.place = node.span;
    Lowering inner(session_, code, module_, this);
    inner.async_block(node);
    const Register made = closure(code, inner, types().function({}, type), no_register);
    to = out(to, type);
    emitter_.emit(Op::call_value, to, {made});
    return to;
}

Register Lowering::value(const Expr& node, Register to) {
    const bool may_be_literal = node.kind == ExprKind::integer || node.kind == ExprKind::real ||
                                node.kind == ExprKind::string || node.kind == ExprKind::unary;
    const Meaning& meaning = meaning_of(node);
    if (!may_be_literal || meaning.kind != MeaningKind::variant) return plain_value(node, to);
    // A literal that was put into a variant of DbValue.
    const Register literal = plain_value(node, no_register);
    to = out(to, type_of(node));
    emitter_.emit(Op::variant, to, {literal}).variant = meaning.variant;
    return to;
}

Register Lowering::plain_value(const Expr& node, Register to) {
    const Type* type = type_of(node);
    switch (node.kind) {
        case ExprKind::integer:
            return constant(integer_value(as<LiteralExpr>(node).text, false), types().number(), to);
        case ExprKind::real:
            return constant(real_value(as<LiteralExpr>(node).text), types().real(), to);
        case ExprKind::boolean:
            return constant(as<LiteralExpr>(node).text == "true", types().boolean(), to);
        case ExprKind::string:
            return string(as<StringExpr>(node), to);
        case ExprKind::left_out:
            emitter_.emit(Op::left_out, no_register, {});
            return out(to, type);
        case ExprKind::this_value: {
            const Register object = this_register();
            if (to == no_register) return object;
            emitter_.move(to, object);
            return to;
        }
        case ExprKind::name:
            return name(as<NameExpr>(node), to);
        case ExprKind::group:
            return value(*as<WrapExpr>(node).inner, to);
        case ExprKind::tuple:
            if (as<ItemsExpr>(node).items.empty()) return nothing_value(to);
            return items(Op::tuple, as<ItemsExpr>(node).items, type, to);
        case ExprKind::list:
            return items(Op::list, as<ItemsExpr>(node).items, type, to);
        case ExprKind::map:
            return map(as<MapExpr>(node), to);
        case ExprKind::unary:
            return unary(as<UnaryExpr>(node), to);
        case ExprKind::binary:
            return binary(as<BinaryExpr>(node), to);
        case ExprKind::await:
            return await_future(value(*as<AwaitExpr>(node).operand), type, to);
        case ExprKind::call:
            return call(as<CallExpr>(node), to);
        case ExprKind::index:
            return index(as<IndexExpr>(node), to);
        case ExprKind::member:
            return member(as<MemberExpr>(node), to);
        case ExprKind::propagate:
            return propagate(as<WrapExpr>(node), to);
        case ExprKind::if_else:
            to = out(to, type);
            if_else(as<IfExpr>(node), {Use::keep, to});
            return to;
        case ExprKind::match:
            to = out(to, type);
            match(as<MatchExpr>(node), {Use::keep, to});
            return to;
        case ExprKind::lambda:
            return lambda_value(as<LambdaExpr>(node), to);
        case ExprKind::async_block:
            return async_block_value(as<AsyncBlockExpr>(node), to);
        case ExprKind::struct_literal:
            return struct_literal(as<StructExpr>(node), to);
    }
    return out(to, type);
}

// Whether values of the type are immutable, so that their text never changes.
bool Lowering::is_fixed(const Type* type) const {
    const Builtins& b = builtins();
    const auto simple = {b.number, b.real, b.boolean, b.string, b.nothing};
    return std::any_of(simple.begin(), simple.end(),
                       [&](const TypeInfo* info) { return Types::is(type, info); });
}

Register Lowering::string(const StringExpr& node, Register to) {
    const Type* type = types().string();
    std::vector<const StringPart*> parts;
    for (const StringPart& part : node.parts) {
        if (part.value != nullptr || !part.text.empty()) parts.push_back(&part);
    }
    const auto text_of = [&](const StringPart& part) {
        return node.is_raw ? std::string(part.text) : unescaped(part.text);
    };
    if (parts.empty()) return constant(std::string(), type, to);
    if (parts.size() == 1 && parts[0]->value == nullptr) {
        return constant(text_of(*parts[0]), type, to);
    }
    // From the right: whether a later part may assign variables, and whether a later part is an
    // expression.
    std::vector<bool> is_changed(parts.size());
    std::vector<bool> is_followed(parts.size());
    for (std::size_t i = parts.size() - 1; i > 0; --i) {
        const Expr* behind = parts[i]->value;
        is_changed[i - 1] = is_changed[i] || (behind != nullptr && may_assign(*behind));
        is_followed[i - 1] = is_followed[i] || behind != nullptr;
    }
    std::vector<Register> registers;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i]->value == nullptr) {
            registers.push_back(constant(text_of(*parts[i]), type));
            continue;
        }
        registers.push_back(stable(*parts[i]->value, is_changed[i]));
        // A value that may change while the rest is evaluated is converted to text at once.
        if (!is_followed[i] || is_fixed(code_.registers[registers[i]].type)) continue;
        const Register shown = emitter_.make_register(type);
        emitter_.emit(Op::text, shown, {registers[i]});
        registers[i] = shown;
    }
    to = out(to, type);
    emitter_.emit(Op::text, to, registers);
    return to;
}

Register Lowering::items(Op op, std::span<Expr* const> nodes, const Type* type, Register to) {
    std::vector<bool> is_changed(nodes.size() + 1);
    for (std::size_t i = nodes.size(); i > 0; --i) {
        is_changed[i - 1] = is_changed[i] || may_assign(*nodes[i - 1]);
    }
    std::vector<Register> registers;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        registers.push_back(kept(*nodes[i], is_changed[i + 1]));
    }
    to = out(to, type);
    Instruction& made = emitter_.emit(op, to, registers);
    if (op == Op::list) made.type = type->sort == TypeSort::nominal ? type->info : builtins().list;
    return to;
}

Register Lowering::map(const MapExpr& node, Register to) {
    std::vector<Expr*> nodes;
    for (const MapEntry& entry : node.entries) {
        nodes.push_back(entry.key);
        nodes.push_back(entry.value);
    }
    return items(Op::map, nodes, type_of(node), to);
}

Register Lowering::index(const IndexExpr& node, Register to) {
    const Register object = stable(*node.object, may_assign(*node.position));
    const Register position = value(*node.position);
    to = out(to, type_of(node));
    emitter_.emit(Op::get_index, to, {object, position});
    return to;
}

Register Lowering::name(const NameExpr& node, Register to) {
    const Meaning& meaning = meaning_of(node);
    const Type* type = type_of(node);
    switch (meaning.kind) {
        case MeaningKind::local: {
            const Variable variable = find(meaning.place);
            if (variable.is_cell) {
                to = out(to, code_.registers[variable.reg].type);
                emitter_.emit(Op::get_cell, to, {variable.reg});
                return to;
            }
            if (to == no_register) return variable.reg;
            emitter_.move(to, variable.reg);
            return to;
        }
        case MeaningKind::global:
            to = out(to, type);
            emitter_.emit(Op::get_global, to, {}).symbol = meaning.symbol;
            return to;
        case MeaningKind::field:
            return field_of(this_register(), *meaning.field, type, to);
        default:
            return function_value(meaning, type, to);
    }
}

// A function or variant as a value.
Register Lowering::function_value(const Meaning& meaning, const Type* type, Register to) {
    if (meaning.kind == MeaningKind::variant && meaning.variant->args.empty()) {
        to = out(to, type);
        emitter_.emit(Op::variant, to, {}).variant = meaning.variant;
        return to;
    }
    const bool is_known =
        type->sort == TypeSort::function &&
        (meaning.kind == MeaningKind::variant || meaning.kind == MeaningKind::function ||
         meaning.kind == MeaningKind::spawn);
    if (!is_known) return out(to, type);
    if (meaning.kind == MeaningKind::function && !meaning.function->module->is_standard &&
        meaning.function->node->body != nullptr) {
        to = out(to, type);
        emitter_.emit(Op::closure, to, {}).code = &session_.code_of(*meaning.function);
        return to;
    }
    const std::string_view called =
        meaning.kind == MeaningKind::variant ? meaning.variant->name.text
        : meaning.kind == MeaningKind::spawn ? "spawn"
                                             : meaning.function->name.text;
    Code& code =
        session_.make_code(concat(code_.name, ".", called), module_, CodeKind::plain, type->result);
    code.place = code_.place;
    Lowering inner(session_, code, module_, this);
    inner.wrapper(meaning, type, no_register, nullptr);
    return closure(code, inner, type, to);
}

}  // namespace gyre::vela::internal
