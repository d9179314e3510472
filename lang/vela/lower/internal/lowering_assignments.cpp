// SPDX-License-Identifier: Apache-2.0
// Assignments: to variables, fields, elements, and the variables of modules.
#include "lang/vela/lower/internal/lowering.hpp"

namespace gyre::vela::internal {

void Lowering::set_global(std::string_view name, Register value) {
    const auto found = module_.declared.find(name);
    if (found == module_.declared.end()) return;
    emitter_.emit(Op::set_global, no_register, {value}).symbol = &found->second;
}

// A variable declared at the top of a file belongs to the module.
void Lowering::assign_global_statement(const Stmt& node) {
    emitter_.set_place(node.span);
    if (node.kind == StmtKind::variable) {
        const auto& variable = as<VariableStmt>(node);
        return set_global(variable.name.text, kept(*variable.value));
    }
    // Of other kinds only in an input of a prompt.
    if (node.kind != StmtKind::assign) return statement(node);
    const auto& assigned = as<AssignStmt>(node);
    const Expr& target = *assigned.target;
    if (target.kind == ExprKind::name && assigned.op == TokenKind::assign) {
        return assign_global(as<NameExpr>(target), kept(*assigned.value));
    }
    if (target.kind != ExprKind::tuple) return assignment(assigned);
    const Register whole = value(*assigned.value);
    std::uint32_t number = 0;
    for (const Expr* part : as<ItemsExpr>(target).items) {
        const Register item = emitter_.make_register(type_of(*part));
        emitter_.emit(Op::item, item, {whole}).number = number++;
        assign_global(as<NameExpr>(*part), copied(item));
    }
}

// A variable of another module, or a new local.
void Lowering::assign_global(const NameExpr& target, Register given) {
    if (meaning_of(target).kind == MeaningKind::global) return assign_name(target, given);
    set_global(target.text, given);
}

void Lowering::assign_name(const NameExpr& target, Register given) {
    const Meaning& meaning = meaning_of(target);
    if (meaning.kind == MeaningKind::global) {
        emitter_.emit(Op::set_global, no_register, {given}).symbol = meaning.symbol;
    } else if (meaning.kind == MeaningKind::field) {
        const Register object = this_register();
        emitter_.emit(Op::set_field, no_register, {object, given}).field = meaning.field;
    } else if (meaning.kind == MeaningKind::local && meaning.place == target.span.begin) {
        declare({target.text, target.span}, type_of(target), given);
    } else if (meaning.kind == MeaningKind::local) {
        assign_local(meaning.place, given);
    }
}

void Lowering::assignment(const AssignStmt& node) {
    const Expr& target = *node.target;
    if (node.op != TokenKind::assign) return compound(node);
    if (target.kind == ExprKind::name) {
        const Meaning& meaning = meaning_of(target);
        const auto& named = as<NameExpr>(target);
        // Evaluates directly into the register of the variable if it has one.
        if (meaning.kind == MeaningKind::local && meaning.place != target.span.begin) {
            const Variable variable = find(meaning.place);
            if (!variable.is_cell) {
                kept(*node.value, false, variable.reg);
                return;
            }
        }
        if (meaning.kind == MeaningKind::local && meaning.place == target.span.begin) {
            return declare_value({named.text, named.span}, type_of(target), *node.value);
        }
        return assign_name(named, kept(*node.value));
    }
    if (target.kind == ExprKind::tuple) {
        const Register whole = value(*node.value);
        std::uint32_t number = 0;
        for (const Expr* part : as<ItemsExpr>(target).items) {
            const Register item = emitter_.make_register(type_of(*part));
            emitter_.emit(Op::item, item, {whole}).number = number++;
            assign_name(as<NameExpr>(*part), copied(item));
        }
        return;
    }
    const bool is_changed = may_assign(*node.value);
    if (target.kind == ExprKind::member) {
        const auto& of = as<MemberExpr>(target);
        if (meaning_of(target).kind == MeaningKind::global) {
            const Register given = kept(*node.value);
            emitter_.emit(Op::set_global, no_register, {given}).symbol = meaning_of(target).symbol;
            return;
        }
        const Register object = stable(*of.object, is_changed);
        const Register given = kept(*node.value);
        if (meaning_of(target).kind != MeaningKind::field) return;
        emitter_.emit(Op::set_field, no_register, {object, given}).field = meaning_of(target).field;
    } else if (target.kind == ExprKind::index) {
        const auto& of = as<IndexExpr>(target);
        const Register object = stable(*of.object, is_changed || may_assign(*of.position));
        const Register position = stable(*of.position, is_changed);
        const Register given = kept(*node.value);
        emitter_.emit(Op::set_index, no_register, {object, position, given});
    }
}

// `x += e`: evaluates the left side once and reads it before the right side.
void Lowering::compound(const AssignStmt& node) {
    using enum TokenKind;
    const TokenKind op = node.op == plus_assign    ? plus
                         : node.op == minus_assign ? minus
                         : node.op == star_assign  ? star
                         : node.op == slash_assign ? slash
                                                   : percent;
    const Expr& target = *node.target;
    const bool is_changed = may_assign(*node.value);
    if (target.kind == ExprKind::member && meaning_of(target).kind == MeaningKind::field) {
        const auto& of = as<MemberExpr>(target);
        const FieldInfo& field = *meaning_of(target).field;
        const Register object = stable(*of.object, is_changed);
        const Register before = field_of(object, field, type_of(target), no_register);
        const Register sum = arithmetic(op, before, value(*node.value), no_register);
        emitter_.emit(Op::set_field, no_register, {object, sum}).field = &field;
    } else if (target.kind == ExprKind::index) {
        const auto& of = as<IndexExpr>(target);
        const Register object = stable(*of.object, is_changed || may_assign(*of.position));
        const Register position = stable(*of.position, is_changed);
        const Register before = emitter_.make_register(type_of(target));
        emitter_.emit(Op::get_index, before, {object, position});
        const Register sum = arithmetic(op, before, value(*node.value), no_register);
        emitter_.emit(Op::set_index, no_register, {object, position, sum});
    } else if (target.kind == ExprKind::name) {
        const Register before = stable(target, is_changed);
        const Register given = value(*node.value);
        const Meaning& meaning = meaning_of(target);
        if (meaning.kind == MeaningKind::local && !find(meaning.place).is_cell) {
            arithmetic(op, before, given, find(meaning.place).reg);
            return;
        }
        const Register sum = arithmetic(op, before, given, no_register);
        assign_name(as<NameExpr>(target), sum);
    } else if (meaning_of(target).kind == MeaningKind::global) {
        const Register before = value(target);
        const Register sum = arithmetic(op, before, value(*node.value), no_register);
        emitter_.emit(Op::set_global, no_register, {sum}).symbol = meaning_of(target).symbol;
    }
}

}  // namespace gyre::vela::internal
