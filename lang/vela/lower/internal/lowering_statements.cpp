// SPDX-License-Identifier: Apache-2.0
// Statements, blocks, branches and loops.
#include "lang/vela/lower/internal/lowering.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

void Lowering::statement(const Stmt& node) {
    emitter_.set_place(node.span);
    switch (node.kind) {
        case StmtKind::variable: {
            const auto& variable = as<VariableStmt>(node);
            const LocalFact* fact = local_fact(variable.name.span.begin);
            const Type* type = fact == nullptr ? type_of(*variable.value) : fact->type;
            return declare_value(variable.name, type, *variable.value);
        }
        case StmtKind::assign:
            return assignment(as<AssignStmt>(node));
        case StmtKind::expression:
            return sink(*as<ValueStmt>(node).value, {});
        case StmtKind::return_value: {
            const Expr* given = as<ValueStmt>(node).value;
            return give_back(given == nullptr ? nothing_value() : value(*given));
        }
        case StmtKind::throw_value: {
            const Register error = value(*as<ValueStmt>(node).value);
            emitter_.emit(Op::throw_value, no_register, {error});
            return;
        }
        case StmtKind::yield_value: {
            const Register given = value(*as<ValueStmt>(node).value);
            const Register is_closed = emitter_.make_register(types().boolean());
            const Label goes_on = emitter_.make_label();
            const Label closed = emitter_.make_label();
            emitter_.emit(Op::yield, is_closed, {given});
            // A closed generator returns here.
            emitter_.branch(is_closed, closed, goes_on);
            emitter_.place(closed);
            give_back(nothing_value());
            emitter_.place(goes_on);
            return;
        }
        case StmtKind::break_loop:
            return go_out(ExitKind::broken);
        case StmtKind::continue_loop:
            return go_out(ExitKind::continued);
        case StmtKind::while_loop:
            return while_loop(as<WhileStmt>(node));
        case StmtKind::for_loop:
            return as<ForStmt>(node).is_await ? for_await(as<ForStmt>(node))
                                              : for_loop(as<ForStmt>(node));
        case StmtKind::try_catch:
            return try_catch(as<TryStmt>(node));
        case StmtKind::scope:
            return scope(as<ScopeStmt>(node), {});
        case StmtKind::declaration:
            return;
        case StmtKind::block:
            return block(as<BlockStmt>(node), {});
    }
}

void Lowering::block(const BlockStmt& node, Sink into) {
    hoist(node);
    for (std::size_t i = 0; i + 1 < node.statements.size(); ++i) statement(*node.statements[i]);
    if (!node.statements.empty()) last(*node.statements.back(), into);
    if (node.statements.empty() && into.use == Use::keep) nothing_value(into.to);
}

void Lowering::last(const Stmt& node, Sink into) {
    if (node.kind == StmtKind::expression) return sink(*as<ValueStmt>(node).value, into);
    if (node.kind == StmtKind::block) return block(as<BlockStmt>(node), into);
    if (node.kind == StmtKind::scope && into.use == Use::give_back) {
        return scope(as<ScopeStmt>(node), into);
    }
    statement(node);
    if (into.use == Use::keep) nothing_value(into.to);
}

// Functions of a block may be called before their declaration.
void Lowering::hoist(const BlockStmt& node) {
    for (const Stmt* stmt : node.statements) {
        if (stmt->kind != StmtKind::declaration) continue;
        const Decl& decl = *as<DeclStmt>(*stmt).declaration;
        const LocalFact* fact = local_fact(decl.name.span.begin);
        if (decl.kind != DeclKind::function || fact == nullptr || fact->function == nullptr)
            continue;
        const FunctionInfo& function = *fact->function;
        if (function.node->body == nullptr) continue;
        Code& code = session_.code_of(function);
        code.name = concat(code_.name, ".", function.name.text);
        Lowering inner(session_, code, module_, this);
        inner.function(function);
        const Register made = closure(code, inner, fact->type, no_register);
        declare(decl.name, fact->type, made);
    }
}

void Lowering::sink(const Expr& node, Sink into) {
    const Expr& inner = bare(node);
    if (inner.kind == ExprKind::if_else) return if_else(as<IfExpr>(inner), into);
    if (inner.kind == ExprKind::match) return match(as<MatchExpr>(inner), into);
    emitter_.set_place(node.span);
    if (into.use == Use::keep) {
        value(node, into.to);
        return;
    }
    const Register result = value(node);
    if (into.use == Use::give_back && !emitter_.is_dead()) give_back(result);
}

void Lowering::while_loop(const WhileStmt& node) {
    Exit loop;
    loop.break_label = emitter_.make_label();
    loop.continue_label = emitter_.make_label();
    const Label inside = emitter_.make_label();
    emitter_.jump(loop.continue_label);
    emitter_.place(loop.continue_label);
    const Expr& condition = bare(*node.condition);
    const bool is_endless =
        condition.kind == ExprKind::boolean && as<LiteralExpr>(condition).text == "true";
    if (node.pattern != nullptr) {
        pattern(*node.pattern, value(*node.condition), type_of(*node.condition), loop.break_label);
        emitter_.jump(inside);
    } else if (!is_endless) {
        emitter_.branch(value(*node.condition), inside, loop.break_label);
    }
    emitter_.place(inside);
    exits_.push_back(loop);
    block(*node.body, {});
    exits_.pop_back();
    emitter_.jump(loop.continue_label);
    emitter_.place(loop.break_label);
}

void Lowering::for_loop(const ForStmt& node) {
    const Type* sequence_type = type_of(*node.sequence);
    const Register sequence = value(*node.sequence);
    const Type* item_type = types().error();
    if (const Type* base = types().as_base(sequence_type, builtins().sequence)) {
        item_type = base->args[0];
    } else if (Types::is(sequence_type, builtins().map)) {
        item_type = types().tuple({sequence_type->args[0], sequence_type->args[1]});
    }
    const Register iterator = emitter_.make_register(sequence_type);
    emitter_.emit(Op::iterate, iterator, {sequence});
    Exit loop;
    loop.break_label = emitter_.make_label();
    loop.continue_label = emitter_.make_label();
    emitter_.jump(loop.continue_label);
    emitter_.place(loop.continue_label);
    const Register item = emitter_.make_register(item_type);
    emitter_.next_item(item, iterator, loop.break_label);
    // Items that the pattern does not match are skipped.
    pattern(*node.pattern, item, item_type, loop.continue_label);
    exits_.push_back(loop);
    block(*node.body, {});
    exits_.pop_back();
    emitter_.jump(loop.continue_label);
    emitter_.place(loop.break_label);
}

void Lowering::if_else(const IfExpr& node, Sink into) {
    emitter_.set_place(node.span);
    const Label yes = emitter_.make_label();
    const Label no = emitter_.make_label();
    const Label after = emitter_.make_label();
    if (node.pattern != nullptr) {
        pattern(*node.pattern, value(*node.condition), type_of(*node.condition), no);
    } else {
        emitter_.branch(value(*node.condition), yes, no);
        emitter_.place(yes);
    }
    block(*node.then_block, into);
    emitter_.jump(after);
    emitter_.place(no);
    if (node.else_branch != nullptr) {
        last(*node.else_branch, into);
    } else if (into.use == Use::keep) {
        nothing_value(into.to);
    }
    emitter_.jump(after);
    emitter_.place(after);
}

void Lowering::match(const MatchExpr& node, Sink into) {
    emitter_.set_place(node.span);
    const Type* type = type_of(*node.subject);
    bool is_changed = false;
    for (const MatchArm& arm : node.arms) {
        is_changed = is_changed || (arm.guard != nullptr && may_assign(*arm.guard));
    }
    const Register subject = stable(*node.subject, is_changed);
    const Label after = emitter_.make_label();
    for (const MatchArm& arm : node.arms) {
        const Label next = emitter_.make_label();
        emitter_.set_place(arm.span);
        pattern(*arm.pattern, subject, type, next);
        if (arm.guard != nullptr) test(value(*arm.guard), next);
        last(*arm.body, into);
        emitter_.jump(after);
        emitter_.place(next);
    }
    const Expr& of = bare(*node.subject);
    const bool is_message = of.kind == ExprKind::name && !message_name_.empty() &&
                            as<NameExpr>(of).text == message_name_;
    if (is_message) {
        emitter_.emit(Op::dead_letter, no_register, {subject});
        if (into.use == Use::keep) nothing_value(into.to);
    } else {
        // Unreachable: the check has proved the match exhaustive.
        emitter_.emit(Op::left_out, no_register, {});
    }
    emitter_.place(after);
}

}  // namespace gyre::vela::internal
