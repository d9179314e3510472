// SPDX-License-Identifier: Apache-2.0
// Statements and blocks. An error is stored while cleanups run, because C++ cannot await inside a
// catch.
#include "lang/vela/reference/internal/evaluator.hpp"

namespace gyre::vela::internal {

Eval<Completion> Evaluator::statement(const Stmt& node, Place& at) {
    runtime_.count_step();
    Completion done;
    try {
        done = co_await statement_inside(node, at);
    } catch (const Leave& leave) {
        done.flow = leave.flow;
    }
    co_return done;
}

Eval<Completion> Evaluator::statement_inside(const Stmt& node, Place& at) {
    Completion done;
    switch (node.kind) {
        case StmtKind::variable: {
            const auto& of = as<VariableStmt>(node);
            Value value = co_await expr(*of.value, at);
            if (of.type != nullptr) {
                value = fitted(runtime_, value, written_type(*of.type, at.frame->home));
                const TypeNode* result = of.type->result;
                const bool drops = result != nullptr && written_type(*result, at.frame->home) ==
                                                            runtime_.program.types.builtins.nothing;
                if (drops) value = without_value(value);
            }
            declare(at, of.name.text, value);
            break;
        }
        case StmtKind::assign:
            co_await assignment(as<AssignStmt>(node), at);
            break;
        case StmtKind::expression:
            done = co_await branch(*as<ValueStmt>(node).value, at);
            break;
        case StmtKind::return_value: {
            Value value;
            if (as<ValueStmt>(node).value != nullptr) {
                value = co_await expr(*as<ValueStmt>(node).value, at);
            }
            at.frame->result = value;
            done.flow = Flow::returns;
            break;
        }
        case StmtKind::throw_value: {
            const Value error = co_await expr(*as<ValueStmt>(node).value, at);
            throw Thrown{error};
        }
        case StmtKind::yield_value: {
            const Value value = co_await expr(*as<ValueStmt>(node).value, at);
            const Resume with = co_await Stop{{StepKind::yields, value}, nullptr};
            if (with.kind == ResumeKind::close) done.flow = Flow::returns;
            break;
        }
        case StmtKind::break_loop:
            done.flow = Flow::breaks;
            break;
        case StmtKind::continue_loop:
            done.flow = Flow::continues;
            break;
        case StmtKind::while_loop:
            done = co_await while_loop(as<WhileStmt>(node), at);
            break;
        case StmtKind::for_loop:
            if (as<ForStmt>(node).is_await) {
                done = co_await for_await(as<ForStmt>(node), at);
            } else {
                done = co_await for_loop(as<ForStmt>(node), at);
            }
            break;
        case StmtKind::try_catch:
            done = co_await try_catch(as<TryStmt>(node), at);
            break;
        case StmtKind::scope:
            done = co_await scope(as<ScopeStmt>(node), at);
            break;
        case StmtKind::declaration:
            break;
        case StmtKind::block:
            done = co_await block(as<BlockStmt>(node), at);
            break;
    }
    co_return done;
}

// Functions of a block may be called before their declaration; returned in order.
std::deque<Closure*> Evaluator::hoist(const BlockStmt& node, Place& at) {
    std::deque<Closure*> closures;
    for (const Stmt* stmt : node.statements) {
        if (stmt->kind != StmtKind::declaration) continue;
        const Decl& decl = *as<DeclStmt>(*stmt).declaration;
        if (decl.kind == DeclKind::enumeration) {
            declare(at, decl.name.text, heap_.make<LocalEnum>(as<EnumDecl>(decl)));
        } else if (decl.kind == DeclKind::function) {
            const FunctionInfo* info = functions_.at(&as<FunctionDecl>(decl));
            closures.push_back(heap_.make<Closure>(*this, info, nullptr));
            closures.back()->home = at.frame->home;
            closures.back()->group = at.group;
            declare(at, decl.name.text, closures.back());
        }
    }
    return closures;
}

Eval<Completion> Evaluator::block(const BlockStmt& node, Place at) {
    std::deque<Closure*> ahead = hoist(node, at);
    Completion done;
    for (const Stmt* stmt : node.statements) {
        // A function sees the names declared before it.
        for (Closure* closure : ahead) closure->names = at.names;
        const bool is_function = stmt->kind == StmtKind::declaration &&
                                 as<DeclStmt>(*stmt).declaration->kind == DeclKind::function;
        if (is_function) ahead.pop_front();
        done = co_await statement(*stmt, at);
        if (done.flow != Flow::next) break;
    }
    co_return done;
}

Eval<Completion> Evaluator::branch(const Expr& node, Place& at) {
    const Expr& inner = bare(node);
    Completion done;
    if (inner.kind == ExprKind::if_else) {
        done = co_await if_else(as<IfExpr>(inner), at);
    } else if (inner.kind == ExprKind::match) {
        done = co_await match(as<MatchExpr>(inner), at);
    } else {
        done.value = co_await expr(node, at);
    }
    co_return done;
}

Eval<Completion> Evaluator::if_else(const IfExpr& node, Place at) {
    const Value condition = co_await expr(*node.condition, at);
    Place inside = at;
    const bool is_true =
        node.pattern == nullptr ? *condition.truth() : matches(*node.pattern, condition, inside);
    Completion done;
    if (is_true) {
        done = co_await block(*node.then_block, inside);
    } else if (node.else_branch != nullptr) {
        done = co_await statement(*node.else_branch, at);
    }
    co_return done;
}

Eval<Completion> Evaluator::match(const MatchExpr& node, Place& at) {
    const Value subject = co_await expr(*node.subject, at);
    for (const MatchArm& arm : node.arms) {
        Place inside = at;
        if (!matches(*arm.pattern, subject, inside)) continue;
        if (arm.guard != nullptr) {
            const Value guard = co_await expr(*arm.guard, inside);
            if (!*guard.truth()) continue;
        }
        const Completion done = co_await statement(*arm.body, inside);
        co_return done;
    }
    // A message without an arm is a dead letter.
    const TypeInfo* type = at.frame->home.type;
    const bool is_message = type != nullptr && type->kind == DeclKind::actor;
    if (!is_message) throw InternalError{"no arm for " + printed(subject)};
    co_return Completion();
}

Eval<Completion> Evaluator::while_loop(const WhileStmt& node, Place& at) {
    while (true) {
        const Value condition = co_await expr(*node.condition, at);
        Place inside = at;
        const bool goes_on = node.pattern == nullptr ? *condition.truth()
                                                     : matches(*node.pattern, condition, inside);
        if (!goes_on) break;
        const Completion done = co_await block(*node.body, inside);
        if (done.flow == Flow::breaks) break;
        if (done.flow == Flow::returns) co_return done;
    }
    co_return Completion();
}

Eval<Completion> Evaluator::for_loop(const ForStmt& node, Place& at) {
    const Value sequence = co_await expr(*node.sequence, at);
    const Values all = items_of(runtime_, sequence);
    for (const Value& item : all) {
        Place inside = at;
        if (!matches(*node.pattern, item, inside)) continue;
        const Completion done = co_await block(*node.body, inside);
        if (done.flow == Flow::breaks) break;
        if (done.flow == Flow::returns) co_return done;
    }
    co_return Completion();
}

Eval<Completion> Evaluator::for_await(const ForStmt& node, Place& at) {
    const Value stream = co_await expr(*node.sequence, at);
    auto* iterator = stream.as<Iterator>();
    if (iterator == nullptr) throw InternalError{"no stream: " + printed(stream)};
    Completion done;
    while (true) {
        const Value next = co_await awaited(runtime_.next(*iterator));
        if (is_variant(next, "None")) co_return Completion();
        Place inside = at;
        if (!matches(*node.pattern, next.as<EnumValue>()->payload[0], inside)) continue;
        std::optional<Value> error;
        try {
            done = co_await block(*node.body, inside);
        } catch (const Thrown& thrown) {
            error = thrown.error;
        }
        const bool goes_on = done.flow == Flow::next || done.flow == Flow::continues;
        if (goes_on && !error) continue;
        co_await awaited(runtime_.close(*iterator));
        if (error) throw Thrown{*error};
        if (done.flow == Flow::breaks) co_return Completion();
        co_return done;
    }
}

Eval<Completion> Evaluator::try_catch(const TryStmt& node, Place& at) {
    Completion done;
    std::optional<Value> error;
    try {
        done = co_await block(*node.body, at);
    } catch (const Thrown& thrown) {
        error = thrown.error;
    }
    if (error) {
        const Value caught = *error;
        error.reset();
        try {
            done = co_await catches(node, caught, at);
        } catch (const Thrown& thrown) {
            error = thrown.error;
        }
    }
    if (node.cleanup != nullptr) {
        // A return keeps its value while the cleanup runs.
        const Value result = at.frame->result;
        const Completion end = co_await block(*node.cleanup, at);
        if (end.flow != Flow::next) co_return end;
        at.frame->result = result;
    }
    if (error) throw Thrown{*error};
    done.value = {};
    co_return done;
}

Eval<Completion> Evaluator::catches(const TryStmt& node, Value error, Place& at) {
    auto* object = error.as<Object>();
    for (const CatchClause& clause : node.clauses) {
        const TypeInfo* type = clause.type == nullptr ? runtime_.program.types.builtins.error
                                                      : written_type(*clause.type, at.frame->home);
        if (object == nullptr || !is_kind_of(object->type, type)) continue;
        Place inside = at;
        declare(inside, clause.name.text, error);
        const Completion done = co_await block(*clause.body, inside);
        co_return done;
    }
    throw Thrown{error};
}

Eval<Completion> Evaluator::scope(const ScopeStmt& node, Place& at) {
    Place inside = at;
    inside.group = runtime_.open_scope();
    Completion done;
    std::optional<Value> error;
    try {
        done = co_await block(*node.body, inside);
    } catch (const Thrown& thrown) {
        error = thrown.error;
    }
    const bool is_left_early = error.has_value() || done.flow != Flow::next;
    const Value result = at.frame->result;
    try {
        co_await awaited(runtime_.close_scope(*inside.group, is_left_early, error));
    } catch (const Thrown& thrown) {
        error = thrown.error;
    }
    at.frame->result = result;
    if (error) throw Thrown{*error};
    co_return done;
}

namespace {

TokenKind operator_of(TokenKind assignment) {
    switch (assignment) {
        case TokenKind::plus_assign:
            return TokenKind::plus;
        case TokenKind::minus_assign:
            return TokenKind::minus;
        case TokenKind::star_assign:
            return TokenKind::star;
        case TokenKind::slash_assign:
            return TokenKind::slash;
        default:
            return TokenKind::percent;
    }
}

}  // namespace

// The left side is evaluated first, with its old value.
Eval<bool> Evaluator::assignment(const AssignStmt& node, Place& at) {
    const Expr& target = *node.target;
    const bool is_plain = node.op == TokenKind::assign;
    Value object;
    Value position;
    Value old;
    if (target.kind == ExprKind::member) {
        object = co_await expr(*as<MemberExpr>(target).object, at);
        if (!is_plain) old = member_of(object, as<MemberExpr>(target).name.text);
    } else if (target.kind == ExprKind::index) {
        object = co_await expr(*as<IndexExpr>(target).object, at);
        position = co_await expr(*as<IndexExpr>(target).position, at);
        if (!is_plain) old = element(runtime_, object, position);
    } else if (target.kind == ExprKind::name && !is_plain) {
        old = name(as<NameExpr>(target), at);
    }
    Value value = co_await expr(*node.value, at);
    if (!is_plain) value = binary(runtime_, operator_of(node.op), old, value);
    if (target.kind == ExprKind::member) {
        auto* of = object.as<Object>();
        Value* field = of == nullptr ? nullptr : of->field(as<MemberExpr>(target).name.text);
        if (field == nullptr) throw InternalError{"no field to set of " + printed(object)};
        *field = fitted(runtime_, heap_.copied(value), type_of(runtime_, *field));
    } else if (target.kind == ExprKind::index) {
        set_element(runtime_, object, position, heap_.copied(value));
    } else if (target.kind == ExprKind::name) {
        assign_name(as<NameExpr>(target).text, value, at);
    } else {
        const Values parts = value.as<Tuple>()->items;
        const auto& names = as<ItemsExpr>(target).items;
        for (std::size_t i = 0; i < names.size(); ++i) {
            assign_name(as<NameExpr>(*names[i]).text, parts[i], at);
        }
    }
    co_return true;
}

}  // namespace gyre::vela::internal
