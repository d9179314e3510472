// SPDX-License-Identifier: Apache-2.0
// Blocks and statements. The type of a block says how it ends: `never` if control does not leave
// it, `nothing` without a value, else the type of its value.
#include <algorithm>
#include <utility>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// A program may rethrow a Cancelled but not construct one: whether the expression constructs it.
bool is_made_here(const Expr& node) {
    return bare(node).kind == ExprKind::call || bare(node).kind == ExprKind::struct_literal;
}

}  // namespace

// Functions of a block may be called before their declaration.
void Checker::hoist(const BlockStmt& node) {
    for (const Stmt* stmt : node.statements) {
        if (stmt->kind != StmtKind::declaration) continue;
        const Decl& decl = *as<DeclStmt>(*stmt).declaration;
        if (decl.kind == DeclKind::enumeration) {
            declarations_.local_enum(*module_, as<EnumDecl>(decl), generics_);
        }
    }
    const std::size_t mark = locals_.size();
    for (const Stmt* stmt : node.statements) {
        if (stmt->kind != StmtKind::declaration) continue;
        const Decl& decl = *as<DeclStmt>(*stmt).declaration;
        if (decl.kind != DeclKind::function) continue;
        const FunctionInfo* info =
            declarations_.local_function(*module_, as<FunctionDecl>(decl), class_, generics_);
        declarations_.inside = class_;
        declare_local(
            {decl.name.text, types_.method_type({.method = info}), decl.name.span, false, info});
    }
    refuse_twins(mark);
}

const Type* Checker::block(const BlockStmt& node, Use use, const Type* wanted) {
    const Scope scope(*this);
    hoist(node);
    bool comes_out = true;
    bool is_told = false;
    for (std::size_t i = 0; i < node.statements.size(); ++i) {
        const Stmt& stmt = *node.statements[i];
        if (!comes_out && !is_told && stmt.kind != StmtKind::declaration) {
            is_told = true;
            warn_unreachable(stmt.span, "this can never run: the lines above do not end here");
        }
        if (i + 1 < node.statements.size() || !comes_out) {
            comes_out = statement(*node.statements[i]) && comes_out;
        } else {
            return last(*node.statements[i], use, wanted);
        }
    }
    return comes_out ? types_.nothing() : types_.never();
}

const Type* Checker::last(const Stmt& node, Use use, const Type* wanted) {
    if (node.kind == StmtKind::expression) {
        return branch(*as<ValueStmt>(node).value, use, wanted);
    }
    if (node.kind == StmtKind::block) return block(as<BlockStmt>(node), use, wanted);
    if (node.kind == StmtKind::scope && use == Use::result) {
        require_async("E0309", as<ScopeStmt>(node).keyword, "scope");
        return block(*as<ScopeStmt>(node).body, use, wanted);
    }
    return statement(node) ? types_.nothing() : types_.never();
}

// True if control leaves it.
bool Checker::statement(const Stmt& node) {
    switch (node.kind) {
        case StmtKind::variable:
            variable(as<VariableStmt>(node));
            return true;
        case StmtKind::assign:
            assignment(as<AssignStmt>(node));
            return true;
        case StmtKind::expression:
            return !is_sort(branch(*as<ValueStmt>(node).value, Use::nothing, nullptr),
                            TypeSort::never);
        case StmtKind::return_value:
        case StmtKind::throw_value:
        case StmtKind::yield_value:
            return returned(as<ValueStmt>(node));
        case StmtKind::break_loop:
        case StmtKind::continue_loop:
            if (frames_.empty() || frames_.back().loop_depth == 0) {
                error("E0318", node.span,
                      concat("`", module_->source->text(node.span),
                             "` is only allowed inside a loop"));
            } else if (node.kind == StmtKind::break_loop) {
                frames_.back().has_break = true;
            }
            return false;
        case StmtKind::while_loop:
        case StmtKind::for_loop:
            return loop(node);
        case StmtKind::try_catch:
            return try_catch(as<TryStmt>(node));
        case StmtKind::scope:
            require_async("E0309", as<ScopeStmt>(node).keyword, "scope");
            return !is_sort(block(*as<ScopeStmt>(node).body, Use::nothing), TypeSort::never);
        case StmtKind::declaration: {
            const Decl& decl = *as<DeclStmt>(node).declaration;
            const std::vector<std::size_t>& places = local_places_[decl.name.text];
            const auto place = std::find_if(places.rbegin(), places.rend(), [&](std::size_t at) {
                return locals_[at].function != nullptr && locals_[at].function->node == &decl;
            });
            if (place != places.rend()) {
                const FunctionInfo& info = *locals_[*place].function;
                const std::string_view message = std::exchange(message_name_, {});
                function(info);
                message_name_ = message;
            }
            return true;
        }
        case StmtKind::block:
            return !is_sort(block(as<BlockStmt>(node), Use::nothing), TypeSort::never);
    }
    return true;
}

bool Checker::returned(const ValueStmt& node) {
    if (node.kind == StmtKind::throw_value) {
        const Type* type = expr(*node.value);
        const bool is_error = types_.assign(type, types_.nominal(types_.builtins.error)) ||
                              (types_.assign(type, types_.nominal(types_.builtins.cancelled)) &&
                               !is_made_here(*node.value));
        if (!is_error) {
            Diagnostic& diagnostic =
                error("E0306", node.value->span,
                      concat("`throw` needs an Error, found ", type_text(type)));
            if (Types::is(type, types_.builtins.string)) {
                const std::string made =
                    concat("Error(", module_->source->text(node.value->span), ")");
                diagnostic.suggest(node.value->span, made, "an Error has a text: `Error(..)`");
            }
            if (Types::is(type, types_.builtins.cancelled)) {
                diagnostic.note("a cancellation is only passed on, where it was caught");
            }
        }
        return false;
    }
    if (node.kind == StmtKind::yield_value) {
        require_async("E0309", node.keyword, "yield");
        const Type* wanted = frames_.empty() ? nullptr : frames_.back().yields;
        if (wanted != nullptr) {
            expect(*node.value, wanted);
            return true;
        }
        if (!frames_.empty() && frames_.back().is_async) {
            error("E0309", node.keyword,
                  "`yield` is only allowed in an `async fn` that returns an AsyncIterator");
        }
        expr(*node.value);
        return true;
    }
    if (frames_.empty()) return false;
    const Type* wanted = frames_.back().result;
    if (node.value != nullptr) {
        const Frame& frame = frames_.back();
        const bool is_void = !frame.is_lambda && Types::is(wanted, types_.builtins.nothing);
        if (frame.is_open) {
            join_into(wanted, *node.value);
        } else if (is_void) {
            returned_from_void(*node.value);
        } else {
            expect(*node.value, wanted);
        }
    } else if (!types_.assign(types_.nothing(), wanted)) {
        error("E0303", node.keyword, concat("expected ", type_text(wanted), ", found void"));
    }
    return false;
}

// A function without a declared result returns nothing.
void Checker::returned_from_void(const Expr& node) {
    const Type* found = expr(node, types_.nothing());
    if (types_.assign(found, types_.nothing())) return;
    Diagnostic& diagnostic = report_mismatch(node, types_.nothing(), found);
    const Frame& frame = frames_.back();
    const bool is_plain = types_.future_value(found) == nullptr && !frame.name.empty();
    if (!is_plain || frame.name == "constructor" || frame.yields != nullptr) return;
    diagnostic.note(
        *module_->source, frame.place,
        concat("what `", frame.name, "` returns is declared behind its parameters: `-> ",
               type_text(found), "`"));
}

bool Checker::loop(const Stmt& node) {
    const Scope scope(*this);
    Frame outside;
    if (frames_.empty()) frames_.push_back(outside);
    if (node.kind == StmtKind::while_loop) {
        const auto& loop_node = as<WhileStmt>(node);
        if (loop_node.pattern != nullptr) {
            const bool has_parts = loop_node.pattern->kind != PatternKind::bind &&
                                   loop_node.pattern->kind != PatternKind::wildcard;
            bind(*loop_node.pattern, taken_apart(*loop_node.condition, has_parts));
            loop_body(*loop_node.body);
            return true;
        }
        expect(*loop_node.condition, types_.boolean());
        const bool has_break = loop_body(*loop_node.body);
        const Expr& condition = bare(*loop_node.condition);
        const bool is_endless =
            condition.kind == ExprKind::boolean && as<LiteralExpr>(condition).text == "true";
        return !is_endless || has_break;
    }
    const auto& loop_node = as<ForStmt>(node);
    if (loop_node.is_await) require_async("E0309", loop_node.keyword, "for await");
    const Type* sequence = expr(*loop_node.sequence);
    const TypeInfo* wanted =
        loop_node.is_await ? types_.builtins.iterator : types_.builtins.sequence;
    const Type* item = types_.fresh();
    const Type* base = types_.as_base(sequence, wanted);
    if (base != nullptr) {
        item = base->args[0];
    } else if (!loop_node.is_await && Types::is(sequence, types_.builtins.map)) {
        item = types_.tuple({known(sequence)->args[0], known(sequence)->args[1]});
    } else if (!types_.assign(sequence, types_.nominal(wanted, {item}))) {
        const std::string what = loop_node.is_await ? "an AsyncIterator" : "a List";
        const Type* awaited = types_.future_value(sequence);
        const bool is_told = awaited != nullptr && types_.as_base(awaited, wanted) != nullptr &&
                             misses_await(*loop_node.sequence, sequence, what);
        if (!is_told) {
            Diagnostic& diagnostic =
                error("E0303", loop_node.sequence->span,
                      concat("expected ", what, ", found ", type_text(sequence)));
            if (types_.as_base(sequence, types_.builtins.iterator) != nullptr) {
                diagnostic.note("`for await` goes over an AsyncIterator");
            } else if (Types::is(sequence, types_.builtins.number)) {
                diagnostic.note("the numbers below n are the range `0..n`");
            }
        }
        item = types_.error();
    }
    bind(*loop_node.pattern, item);
    loop_body(*loop_node.body);
    return true;
}

// Whether it contains a break of this loop, also inside an expression.
bool Checker::loop_body(const BlockStmt& node) {
    const bool is_outer_left = std::exchange(frames_.back().has_break, false);
    ++frames_.back().loop_depth;
    block(node, Use::nothing);
    --frames_.back().loop_depth;
    return std::exchange(frames_.back().has_break, is_outer_left);
}

bool Checker::try_catch(const TryStmt& node) {
    bool comes_out = !is_sort(block(*node.body, Use::nothing), TypeSort::never);
    std::vector<std::pair<const Type*, Span>> earlier;
    for (const CatchClause& clause : node.clauses) {
        const Scope scope(*this);
        const Type* type =
            clause.type == nullptr ? types_.nominal(types_.builtins.error) : written(*clause.type);
        const bool is_error = types_.assign(type, types_.nominal(types_.builtins.error)) ||
                              types_.assign(type, types_.nominal(types_.builtins.cancelled));
        if (!is_error) {
            error("E0303", clause.type->span,
                  concat("expected a class of errors, found ", type_text(type)));
        }
        const auto wider = std::find_if(earlier.begin(), earlier.end(), [&](const auto& other) {
            return is_error && types_.fits(type, other.first);
        });
        if (wider != earlier.end()) {
            warn_unreachable(
                clause.keyword,
                concat("this `catch` can never run: an earlier one takes every ", type_text(type)))
                .note(*module_->source, wider->second, "this one");
        }
        earlier.emplace_back(type, clause.keyword);
        declare_local({clause.name.text, type, clause.name.span, false});
        comes_out = !is_sort(block(*clause.body, Use::nothing), TypeSort::never) || comes_out;
    }
    if (node.cleanup == nullptr) return comes_out;
    const bool ends = !is_sort(block(*node.cleanup, Use::nothing), TypeSort::never);
    return comes_out && ends;
}

}  // namespace gyre::vela::internal
