// SPDX-License-Identifier: Apache-2.0
// Bodies of modules, functions, lambdas and async blocks.
#include <algorithm>
#include <utility>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

void Checker::check_module(Module& module) {
    module_ = &module;
    last_error_ = {};
    noted_ = &module;
    module.facts.assign(module.tree.expr_count, {});
    module.locals.clear();
    if (module.is_interactive) {
        Frame frame;
        frame.is_async = true;
        frame.result = types_.nothing();
        frames_.push_back(frame);
    }
    for (const Decl* node : module.tree.declarations) {
        for (const Decorator& decorator : node->decorators) {
            if (decorator.name.text != "test") unknown(decorator.name, "decorator", {"test"});
        }
        if (node->kind == DeclKind::alias) declarations_.check_alias(module, as<AliasDecl>(*node));
        if (node->kind != DeclKind::statement) continue;
        const Stmt& stmt = *as<StatementDecl>(*node).statement;
        const bool is_variable = stmt.kind == StmtKind::variable || stmt.kind == StmtKind::assign;
        if (!is_variable && !module.is_interactive) {
            const std::string_view text = module.source->text(stmt.span);
            const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n({.["));
            error("E0201", {stmt.span.begin, stmt.span.begin + 1},
                  concat("expected a declaration, found `", word, "`"))
                .note("statements stand in functions; a program begins with `main`");
            continue;
        }
        statement(stmt);
        // A variable declared at the top of a file belongs to the module.
        for (const Local& local : locals_) {
            Symbol symbol;
            symbol.name = {local.name, local.place};
            symbol.type = local.type;
            symbol.is_state = local.is_state;
            symbol.module = &module;
            symbol.is_private = node->visibility == Visibility::is_private;
            declarations_.declare(module, symbol);
        }
        drop_locals(0);
    }
    if (module.is_interactive) frames_.pop_back();
    for (const Decl* node : module.tree.declarations) {
        if (node->kind != DeclKind::function) continue;
        const auto found = module.declared.find(node->name.text);
        if (found == module.declared.end() || found->second.function == nullptr) continue;
        if (found->second.function->node == node) function(*found->second.function);
    }
    for (TypeInfo& info : program_.infos) {
        if (info.module == &module && info.kind != DeclKind::enumeration &&
            info.node->kind != DeclKind::enumeration) {
            type_declaration(info);
        }
    }
    // After the body: its assignments are known then.
    for (const TypeInfo& info : program_.infos) {
        if (info.module == &module && info.kind != DeclKind::enumeration) field_values(info);
        if (info.module == &module && info.kind == DeclKind::structure) refuse_self(info);
    }
    check_keys();
}

void Checker::check_isolation() {
    Isolation(program_, std::move(reassigned_)).check(sent_);
}

void Checker::function(const FunctionInfo& info) {
    const FunctionDecl& node = *info.node;
    const Scope scope(*this);
    ++function_depth_;
    for (const Decorator& decorator : node.decorators) {
        if (decorator.name.text != "test" && info.owner != nullptr) {
            unknown(decorator.name, "decorator", {"test"});
        }
    }
    generics_.insert(generics_.end(), info.generics.begin(), info.generics.end());
    if (node.has_self && class_ != nullptr) {
        const bool is_actor = class_->kind == DeclKind::actor;
        const Type* self =
            is_actor ? types_.nominal(types_.builtins.actor_ref, {class_->self}) : class_->self;
        declare_local({"self", self, node.span, true});
    }
    // Default arguments are evaluated by the call, before the body: they cannot await.
    Frame before_body;
    before_body.result = types_.error();
    frames_.push_back(before_body);
    const std::size_t mark = locals_.size();
    for (std::size_t i = 0; i < info.params.size(); ++i) {
        const ParamInfo& param = info.params[i];
        if (node.params[i].value != nullptr) expect(*node.params[i].value, param.type);
        declare_local({param.name.text, param.type, param.name.span, true});
    }
    frames_.pop_back();
    refuse_twins(mark);
    if (node.body == nullptr) {
        --function_depth_;
        return;
    }
    Frame frame;
    frame.is_async = node.is_async;
    frame.place = info.name.span;
    frame.name = info.name.text;
    frame.result = info.body_result;
    frame.yields = info.yields;
    frames_.push_back(frame);
    if (node.kind == DeclKind::constructor) super_call_ = super_call_of(node);
    const bool has_result = !Types::is(frame.result, types_.builtins.nothing);
    const Type* end = block(*node.body, has_result ? Use::result : Use::nothing, frame.result);
    frames_.pop_back();
    --function_depth_;
    const bool is_left_out = node.kind == DeclKind::constructor || module_->is_standard;
    if (has_result && !is_left_out && Types::is(end, types_.builtins.nothing) &&
        !Types::is(frame.result, types_.builtins.nothing)) {
        error("E0308", info.name.span,
              concat("fn `", info.name.text, "` must return ", type_text(frame.result),
                     " on every path"));
    }
}

// Checks the body of a lambda or async block; afterwards the frame's result is known.
void Checker::body(const Stmt& stmt, Frame& frame, std::string_view what) {
    frame.is_open =
        frame.result->sort == TypeSort::variable && is_sort(frame.result, TypeSort::variable);
    frames_.push_back(frame);
    const bool has_result = !Types::is(frame.result, types_.builtins.nothing);
    if (stmt.kind == StmtKind::block) {
        const Type* end =
            block(as<BlockStmt>(stmt), has_result ? Use::result : Use::nothing, frame.result);
        const bool is_missing = has_result && Types::is(end, types_.builtins.nothing);
        if (is_missing && !types_.assign(types_.nothing(), frame.result)) {
            error("E0308", {frame.place.begin, frame.place.begin + 1},
                  concat(what, " must return ", type_text(frame.result), " on every path"));
        }
    } else if (stmt.kind == StmtKind::expression && has_result) {
        const Expr& value = *as<ValueStmt>(stmt).value;
        const Type* end = branch(value, Use::value, frame.result);
        const bool is_missing = Types::is(end, types_.builtins.nothing);
        if (is_missing && !types_.assign(end, frame.result)) mismatch(value, frame.result, end);
    } else if (stmt.kind == StmtKind::expression) {
        branch(*as<ValueStmt>(stmt).value, Use::nothing, nullptr);
    } else {
        statement(stmt);
        if (has_result) types_.assign(types_.nothing(), frame.result);
    }
    for (const WrapExpr* node : frames_.back().undecided) decide(*node);
    frames_.pop_back();
}

// If the returns of the body determine the type of its result, gives it a variable of its own: they
// widen it one after another, and others may refer to the wanted one. Returns the wanted one, or null.
const Type* Checker::own_result(Frame& frame) {
    if (!is_sort(frame.result, TypeSort::variable)) return nullptr;
    return std::exchange(frame.result, types_.fresh());
}

const Type* Checker::lambda(const LambdaExpr& node, const Type* wanted) {
    const Type* function = wanted == nullptr ? nullptr : known(wanted);
    const bool is_wanted = function != nullptr && function->sort == TypeSort::function;
    const Scope scope(*this);
    ++function_depth_;
    std::vector<const Type*> params;
    for (std::size_t i = 0; i < node.params.size(); ++i) {
        const Param& param = node.params[i];
        const Type* type = param.type != nullptr ? written(*param.type) : types_.fresh();
        if (is_wanted && i < function->args.size()) {
            // A mismatch with a written type is reported when the whole type is compared.
            types_.assign(function->args[i], type);
        }
        params.push_back(type);
        declare_local({param.name.text, type, param.name.span, true});
    }
    refuse_twins(locals_.size() - params.size());
    Frame frame;
    frame.is_async = node.is_async;
    frame.is_lambda = true;
    frame.place = node.span;
    const Type* result = is_wanted ? known(function->result) : types_.fresh();
    frame.result = result;
    if (node.is_async) {
        const Type* value = types_.future_value(result);
        if (Types::is(result, types_.builtins.eventual)) value = result->args[0];
        frame.result = value != nullptr ? value : types_.fresh();
    }
    const Type* open = own_result(frame);
    body(*node.body, frame, "the lambda");
    --function_depth_;
    if (open != nullptr) settle(frame.result, open, node);
    const Type* given = node.is_async ? types_.future(frame.result) : frame.result;
    if (node.is_async && Types::is(result, types_.builtins.nothing)) {
        program_.diagnostics
            .warning("W0401", *module_->source, {node.span.begin, node.span.begin + 1},
                     concat("the ", type_text(given),
                            " of this lambda is never awaited or spawned, nothing will run"))
            .note("`spawn(..)` in a plain lambda starts it without waiting for it");
    }
    return types_.function(std::move(params), given);
}

const Type* Checker::async_block(const AsyncBlockExpr& node, const Type* wanted) {
    Frame frame;
    frame.is_async = true;
    frame.is_lambda = true;
    frame.place = node.span;
    const Type* value = wanted == nullptr ? nullptr : types_.future_value(wanted);
    frame.result = value != nullptr ? value : types_.fresh();
    const Scope scope(*this);
    ++function_depth_;
    const Type* open = own_result(frame);
    body(*node.body, frame, "the async block");
    --function_depth_;
    if (open != nullptr) settle(frame.result, open, node);
    return types_.future(frame.result);
}

}  // namespace gyre::vela::internal
