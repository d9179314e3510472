// SPDX-License-Identifier: Apache-2.0
// Bodies of functions, lambdas and classes.
#include <algorithm>

#include "gyre/vela/check/internal/checker.hpp"
#include "gyre/vela/syntax/concat.hpp"

namespace gyre::vela::internal {

void Checker::check_module(Module& module) {
    module_ = &module;
    noted_ = &module;
    module.facts.assign(module.tree.expr_count, {});
    module.locals.clear();
    for (const Decl* node : module.tree.declarations) {
        for (const Decorator& decorator : node->decorators) {
            if (decorator.name.text != "test") unknown(decorator.name, "decorator", {"test"});
        }
        if (node->kind != DeclKind::statement) continue;
        const Stmt& stmt = *as<StatementDecl>(*node).statement;
        const bool is_variable = stmt.kind == StmtKind::variable || stmt.kind == StmtKind::assign;
        if (!is_variable) {
            const std::string_view text = module.source->text(stmt.span);
            const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n({.["));
            error("E0201", {stmt.span.begin, stmt.span.begin + 1},
                  concat("expected a declaration, found `", word, "`"))
                .note("statements stand in functions; a program begins with `main`");
            continue;
        }
        statement(stmt);
        // What it declared is a name of the module.
        for (const Local& local : locals_) {
            Symbol symbol;
            symbol.name = {local.name, local.place};
            symbol.type = local.type;
            symbol.is_state = local.is_state;
            symbol.module = &module;
            symbol.is_private = node->visibility == Visibility::is_private;
            module.declared.try_emplace(symbol.name.text, symbol);
        }
        locals_.clear();
    }
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
    for (std::size_t i = 0; i < info.params.size(); ++i) {
        const ParamInfo& param = info.params[i];
        for (std::size_t j = 0; j < i; ++j) {
            if (info.params[j].name.text != param.name.text || param.name.text == "_") continue;
            error("E0311", param.name.span, concat("`", param.name.text, "` is declared twice"));
        }
        if (node.params[i].value != nullptr) expect(*node.params[i].value, param.type);
        declare_local({param.name.text, param.type, param.name.span, true});
    }
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

void Checker::type_declaration(TypeInfo& info) {
    class_ = &info;
    declarations_.inside = &info;
    const Scope scope(*this);
    generics_.insert(generics_.end(), info.params.begin(), info.params.end());
    fields(info);
    class_rules(info);
    for (const FunctionInfo* constructor : info.constructors) {
        has_this_ = true;
        function(*constructor);
    }
    for (const FunctionInfo* method : info.methods) {
        has_this_ = !method->is_static;
        const std::string_view name = method->name.text;
        const bool is_handler = info.kind == DeclKind::actor && !method->params.empty() &&
                                (name == "handleMessage" || name == "receive");
        message_name_ = is_handler ? method->params[0].name.text : std::string_view();
        function(*method);
        message_name_ = {};
    }
    has_this_ = false;
    class_ = nullptr;
    declarations_.inside = nullptr;
}

void Checker::fields(TypeInfo& info) {
    for (std::size_t i = 0; i < info.fields.size(); ++i) {
        const FieldInfo& field = info.fields[i];
        for (std::size_t j = 0; j < i; ++j) {
            if (info.fields[j].name.text != field.name.text) continue;
            error("E0311", field.name.span, concat("`", field.name.text, "` is declared twice"))
                .note(*module_->source, info.fields[j].name.span, "first here");
        }
        if (field.node->value != nullptr) {
            expect(*field.node->value, field.type);
            continue;
        }
        const bool is_given = info.kind == DeclKind::structure || info.is_abstract ||
                              module_->is_standard || is_fillable(field.type);
        if (is_given) continue;
        const bool is_assigned =
            !info.constructors.empty() &&
            std::all_of(info.constructors.begin(), info.constructors.end(),
                        [&](const FunctionInfo* constructor) {
                            return is_assigned_in(*constructor, field.name.text);
                        });
        if (is_assigned) continue;
        error("E0310", field.name.span,
              concat("field `", field.name.text, "` needs a value: `", type_text(field.type),
                     "` has none by itself"))
            .note("give it one here, or in every constructor");
    }
}

// What the language fills in by itself.
bool Checker::is_fillable(const Type* type, int depth) {
    type = known(type);
    if (type->sort == TypeSort::error) return true;
    if (type->sort != TypeSort::nominal || depth > 8) return false;
    const Builtins& b = types_.builtins;
    const auto simple = {b.number, b.real, b.string, b.boolean, b.nothing,
                         b.list,   b.map,  b.set,    b.queue,   b.option};
    if (std::find(simple.begin(), simple.end(), type->info) != simple.end()) return true;
    const TypeInfo& info = *type->info;
    if ((info.kind != DeclKind::klass && info.kind != DeclKind::actor) || info.is_abstract) {
        return false;
    }
    const auto takes_nothing = [](const FunctionInfo* constructor) {
        return constructor->visibility == Visibility::unsaid &&
               std::all_of(constructor->params.begin(), constructor->params.end(),
                           [](const ParamInfo& param) { return param.has_value; });
    };
    if (!info.constructors.empty()) {
        return std::any_of(info.constructors.begin(), info.constructors.end(), takes_nothing);
    }
    if (info.base != nullptr && !is_fillable(info.base, depth + 1)) return false;
    return info.is_standard ||
           std::all_of(info.fields.begin(), info.fields.end(), [&](const FieldInfo& field) {
               return field.node->value != nullptr || is_fillable(field.type, depth + 1);
           });
}

// By an assignment among the statements of the constructor itself.
bool Checker::is_assigned_in(const FunctionInfo& constructor, std::string_view field) const {
    if (constructor.node->body == nullptr) return false;
    const auto& statements = constructor.node->body->statements;
    return std::any_of(statements.begin(), statements.end(), [&](const Stmt* stmt) {
        if (stmt->kind != StmtKind::assign) return false;
        const Expr& target = *as<AssignStmt>(*stmt).target;
        if (target.kind == ExprKind::name) return as<NameExpr>(target).text == field;
        if (target.kind != ExprKind::member) return false;
        const auto& member_of = as<MemberExpr>(target);
        return member_of.object->kind == ExprKind::this_value && member_of.name.text == field;
    });
}

void Checker::class_rules(TypeInfo& info) {
    for (std::size_t i = 0; i < info.methods.size(); ++i) {
        const FunctionInfo& method = *info.methods[i];
        for (std::size_t j = 0; j < i; ++j) {
            const FunctionInfo& other = *info.methods[j];
            if (other.name.text != method.name.text || other.is_static != method.is_static)
                continue;
            error("E0311", method.name.span, concat("`", method.name.text, "` is declared twice"))
                .note(*module_->source, other.name.span, "first here");
        }
        const Member inherited =
            info.base == nullptr ? Member{} : types_.find_member(info.base, method.name.text);
        if (method.node->is_override && inherited.method == nullptr) {
            error("E0315", method.name.span,
                  concat("`", method.name.text, "` overrides nothing: no base class has it"));
        }
        if (method.node->is_abstract && !info.is_abstract) {
            error(
                "E0315", method.name.span,
                concat("`", method.name.text, "` is abstract, but `", info.name.text, "` is not"));
        }
    }
    for (const Type* interface : info.interfaces) {
        const Type* wanted = known(interface);
        if (wanted->sort != TypeSort::nominal || types_.assign(info.self, wanted)) continue;
        Diagnostic& diagnostic =
            error("E0315", info.name.span,
                  concat("`", info.name.text, "` does not fit `", type_text(wanted), "`"));
        for (const FunctionInfo* method : wanted->info->methods) {
            const Member found = types_.find_member(info.self, method->name.text);
            const Type* type = types_.method_type({.method = method, .owner = wanted});
            if (found.method == nullptr) {
                diagnostic.note(concat("missing: fn `", method->name.text, "`: ", type_text(type)));
            } else if (!types_.assign(types_.method_type(found), type)) {
                diagnostic.note(concat("`", method->name.text, "` must be ", type_text(type)));
            }
        }
    }
    if (info.is_abstract || info.base == nullptr) return;
    for (const Type* base = known(info.base); base->sort == TypeSort::nominal;) {
        for (const FunctionInfo* method : base->info->methods) {
            if (!method->node->is_abstract) continue;
            const Member found = types_.find_member(info.self, method->name.text);
            if (found.method != method) continue;
            error("E0315", info.name.span,
                  concat("`", info.name.text, "` must define `", method->name.text,
                         "`, which is abstract"));
        }
        if (base->info->base == nullptr) break;
        base = known(base->info->base);
    }
}

// The body of a lambda or async block; afterwards the frame's result is known.
void Checker::body(const Stmt& stmt, Frame& frame, std::string_view what) {
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
        branch(*as<ValueStmt>(stmt).value, Use::value, frame.result);
    } else if (stmt.kind == StmtKind::expression) {
        expr(*as<ValueStmt>(stmt).value);
    } else {
        statement(stmt);
        if (has_result) types_.assign(types_.nothing(), frame.result);
    }
    frames_.pop_back();
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
            // One that was written differently shows when the whole is compared.
            types_.assign(function->args[i], type);
        }
        params.push_back(type);
        declare_local({param.name.text, type, param.name.span, true});
    }
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
    body(*node.body, frame, "the lambda");
    --function_depth_;
    const Type* given = node.is_async ? types_.future(frame.result) : frame.result;
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
    body(*node.body, frame, "the async block");
    --function_depth_;
    return types_.future(frame.result);
}

}  // namespace gyre::vela::internal
