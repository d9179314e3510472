// SPDX-License-Identifier: Apache-2.0
// A run from beginning to end; bodies of functions; construction of objects.
#include <algorithm>
#include <filesystem>

#include "lang/vela/reference/evaluator.hpp"
#include "lang/vela/reference/internal/evaluator.hpp"

namespace gyre::vela {

Outcome evaluate(const Program& program, const std::string& path, RuntimeOptions options) {
    internal::Evaluator evaluator(program, options);
    return evaluator.run(path);
}

}  // namespace gyre::vela

namespace gyre::vela::internal {
namespace {

// Nested calls of natives that call back.
constexpr int nesting_max = 200;
constexpr int call_depth_max = 20'000;

// The default value of a field without an initializer.
bool is_fillable(const Type* type, const Builtins& types, int depth = 0) {
    type = known(type);
    if (type->sort != TypeSort::nominal || depth > 8) return false;
    const TypeInfo& info = *type->info;
    const auto simple = {types.number, types.real, types.string, types.boolean, types.nothing,
                         types.list,   types.map,  types.set,    types.queue,   types.option};
    if (std::find(simple.begin(), simple.end(), &info) != simple.end()) return true;
    const bool is_class = info.kind == DeclKind::klass || info.kind == DeclKind::actor;
    if (!is_class || info.is_abstract) return false;
    if (!info.constructors.empty()) {
        const auto& params = info.constructors[0]->params;
        return std::all_of(params.begin(), params.end(),
                           [](const ParamInfo& param) { return param.has_value; });
    }
    if (info.base != nullptr && !is_fillable(info.base, types, depth + 1)) return false;
    return info.is_standard ||
           std::all_of(info.fields.begin(), info.fields.end(), [&](const FieldInfo& field) {
               return field.node->value != nullptr || is_fillable(field.type, types, depth + 1);
           });
}

const TypeInfo* info_of(const Type* type) {
    if (type == nullptr) return nullptr;
    type = known(type);
    return type->sort == TypeSort::nominal ? type->info : nullptr;
}

}  // namespace

Value Closure::call(const Values& args) {
    return evaluator.call_closure(*this, args);
}

Value SpawnFunction::call(const Values& args) {
    return evaluator.spawned(args[0], group);
}

Evaluator::Evaluator(const Program& program, RuntimeOptions options)
    : runtime_(program, options), heap_(runtime_.heap), entry_(options.entry) {
    for (const FunctionInfo& info : program.functions) functions_[info.node] = &info;
    runtime_.method_of = [this](const Value& object, std::string_view text) {
        return member_of(object, text);
    };
}

Outcome Evaluator::run(const std::string& path) {
    const Program& program = runtime_.program;
    const auto found =
        program.modules.find(std::filesystem::path(path).lexically_normal().string());
    if (found == program.modules.end()) {
        runtime_.outcome.internal_error = "no module " + path;
        return runtime_.outcome;
    }
    const Module& module = *found->second;
    Function* main = nullptr;
    try {
        initialise(module);
        const Symbol* symbol_of_main = symbol(module, entry_);
        const bool is_there =
            symbol_of_main != nullptr && symbol_of_main->kind == SymbolKind::function;
        if (is_there) main = method(*symbol_of_main->function, nullptr);
    } catch (const Thrown& thrown) {
        runtime_.outcome.errors.push_back("Uncaught " + printed(thrown.error));
        runtime_.outcome.exit_code = 1;
    } catch (const InternalError& error) {
        runtime_.outcome.internal_error = error.what;
        return runtime_.outcome;
    }
    runtime_.run(main);
    return runtime_.outcome;
}

// Initializes the variables of a module, after those of its imports.
void Evaluator::initialise(const Module& module) {
    if (!globals_.emplace(&module, nullptr).second) return;
    for (const Decl* decl : module.tree.declarations) {
        if (decl->kind == DeclKind::import) {
            const auto folder = std::filesystem::path(module.path).parent_path();
            const auto path = (folder / as<ImportDecl>(*decl).path.text).lexically_normal();
            const auto found = runtime_.program.modules.find(path.string());
            if (found != runtime_.program.modules.end()) initialise(*found->second);
        }
        if (decl->kind != DeclKind::statement) continue;
        Frame frame;
        frame.home.module = &module;
        Place at{&frame, globals_[&module], nullptr};
        run_now(statement(*as<StatementDecl>(*decl).statement, at));
        globals_[&module] = at.names;
    }
}

template <class T>
T Evaluator::run_now(Eval<T> eval) {
    if (nesting_ > nesting_max) runtime_.fail("Error", "Too many calls inside one another");
    ++nesting_;
    Machine machine;
    eval.begin(machine);
    const bool has_ended = machine.run();
    --nesting_;
    if (!has_ended) throw InternalError{"a plain function waits"};
    return eval.result();
}

template Value Evaluator::run_now(Eval<Value> eval);

Value Evaluator::call_closure(Closure& closure, const Values& args) {
    const Given given(args.begin(), args.end());
    const Value value = run_now(invoke_closure(closure, given));
    return closure.drops_value ? Value() : value;
}

Eval<Value> Evaluator::invoke(Value function, const Values& args) {
    auto* callee = function.as<Function>();
    if (callee == nullptr) throw InternalError{"no function: " + printed(function)};
    auto* closure = function.as<Closure>();
    if (closure == nullptr) co_return callee->call(args);
    const Given given(args.begin(), args.end());
    const Value value = co_await invoke_closure(*closure, given);
    co_return closure->drops_value ? Value() : value;
}

Eval<Value> Evaluator::invoke_closure(Closure& closure, const Given& args) {
    Frame frame;
    frame.home = closure.home;
    Place at{&frame, closure.names, closure.group};
    const auto given_at = [&](std::size_t i) { return i < args.size() && args[i].has_value(); };
    if (closure.lambda != nullptr) {
        const LambdaExpr& node = *closure.lambda;
        for (std::size_t i = 0; i < node.params.size(); ++i) {
            if (given_at(i)) declare(at, node.params[i].name.text, *args[i]);
        }
        frame.passing = Passing::noted;
        if (node.is_async) {
            Eval<Value> inside = body(*node.body, frame, at, true, nullptr);
            co_return runtime_.make_future("lambda",
                                           std::make_unique<EvalRoutine>(std::move(inside)));
        }
        const Value value = co_await body(*node.body, frame, at, true, nullptr);
        co_return value;
    }
    const FunctionInfo& info = *closure.info;
    const FunctionDecl& node = *info.node;
    if (node.has_self && closure.home.self != nullptr) {
        Object* self = closure.home.self;
        declare(at, "self", self->actor != nullptr ? Value(self->actor) : Value(self));
    }
    for (std::size_t i = 0; i < info.params.size(); ++i) {
        Value value;
        if (given_at(i)) {
            value = *args[i];
        } else if (node.params[i].value != nullptr) {
            value = co_await expr(*node.params[i].value, at);
        } else {
            throw InternalError{"no argument for " + std::string(info.params[i].name.text)};
        }
        declare(at, info.params[i].name.text, as_wanted(value, info.params[i].type));
    }
    if (node.body == nullptr) throw InternalError{"no body: " + std::string(info.name.text)};
    const Builtins& types = runtime_.program.types.builtins;
    const TypeInfo* result = info_of(info.body_result);
    if (result == types.option) frame.passing = Passing::option;
    if (result == types.result) frame.passing = Passing::result;
    const bool has_value = result != types.nothing && node.kind != DeclKind::constructor;
    if (node.is_async) {
        auto routine =
            std::make_unique<EvalRoutine>(body(*node.body, frame, at, has_value, info.body_result));
        if (info.yields != nullptr) co_return runtime_.make_iterator(std::move(routine));
        co_return runtime_.make_future(std::string(info.name.text), std::move(routine));
    }
    if (call_depth_ > call_depth_max) {
        runtime_.fail("Error", "Too many calls inside one another");
    }
    ++call_depth_;
    Value value;
    std::exception_ptr error;
    try {
        value = co_await body(*node.body, frame, at, has_value, info.body_result);
    } catch (...) {
        error = std::current_exception();
    }
    --call_depth_;
    if (error) std::rethrow_exception(error);
    co_return value;
}

// Has its own frame: the caller's may be gone when it continues.
Eval<Value> Evaluator::body(const Stmt& stmt, Frame frame, Place at, bool has_value,
                            const Type* wanted) {
    at.frame = &frame;
    const Completion done = co_await statement(stmt, at);
    if (!has_value) co_return Value();
    const Value value = done.flow == Flow::returns ? frame.result : done.value;
    co_return wanted == nullptr ? value : as_wanted(value, wanted);
}

Eval<Value> Evaluator::construct(const TypeInfo& type, const Given& args) {
    const std::optional<Value> native = make_native(runtime_, type);
    if (native) co_return *native;
    auto* object = heap_.make<Object>(&type);
    // The nearest constructor; a type with fields and without a constructor is constructed from its
    // fields.
    const FunctionInfo* constructor = nullptr;
    for (const TypeInfo* at = &type; at != nullptr; at = info_of(at->base)) {
        if (!at->constructors.empty()) constructor = at->constructors[0];
        if (constructor != nullptr || !at->fields.empty()) break;
    }
    co_await fill_fields(*object, type, constructor == nullptr ? &args : nullptr);
    if (constructor == nullptr) co_return Value(object);
    if (constructor->module->is_standard) {
        if (!args.empty() && args[0]) *object->field("message") = *args[0];
        co_return Value(object);
    }
    co_await invoke_closure(*method(*constructor, object), args);
    co_return Value(object);
}

// The fields of the base class first; `args` are for its own fields.
Eval<bool> Evaluator::fill_fields(Object& object, const TypeInfo& type, const Given* args) {
    const TypeInfo* base = info_of(type.base);
    if (base != nullptr) co_await fill_fields(object, *base, nullptr);
    Frame frame;
    frame.home = {type.module, &type, &object};
    Place at{&frame, nullptr, nullptr};
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
        const FieldInfo& field = type.fields[i];
        Value value;
        if (args != nullptr && i < args->size() && (*args)[i]) {
            value = *(*args)[i];
        } else if (field.node->value != nullptr) {
            value = co_await expr(*field.node->value, at);
        } else {
            value = co_await filled(field.type);
        }
        value = as_wanted(value, field.type);
        object.fields.emplace_back(field.name.text, value);
    }
    co_return true;
}

// The initial value of a field; void if the constructor must set it.
Eval<Value> Evaluator::filled(const Type* type) {
    const TypeInfo* info = info_of(type);
    if (info == nullptr || !is_fillable(type, runtime_.program.types.builtins)) co_return Value();
    const std::optional<Value> simple = empty_value(runtime_, *info);
    if (simple) co_return *simple;
    const Given none;
    const Value value = co_await construct(*info, none);
    co_return value;
}

Closure* Evaluator::method(const FunctionInfo& info, Object* self) {
    auto* closure = heap_.make<Closure>(*this, &info, nullptr);
    closure->home = {info.module, info.owner, self};
    return closure;
}

Value Evaluator::as_wanted(Value value, const Type* type) {
    type = known(type);
    const bool drops = type->sort == TypeSort::function &&
                       info_of(type->result) == runtime_.program.types.builtins.nothing;
    return drops ? without_value(value) : fitted(runtime_, value, info_of(type));
}

Value Evaluator::without_value(Value function) {
    const auto* closure = function.as<Closure>();
    if (closure == nullptr || closure->drops_value) return function;
    auto* copy = heap_.make<Closure>(*this, closure->info, closure->lambda);
    copy->home = closure->home;
    copy->names = closure->names;
    copy->group = closure->group;
    copy->drops_value = true;
    return copy;
}

Value Evaluator::spawned(Value value, ScopeGroup* group) {
    if (auto* future = value.as<Future>()) return runtime_.spawn(*future, group);
    auto* actor = value.as<Object>();
    if (actor == nullptr) throw InternalError{"spawns " + printed(value)};
    for (const std::string_view handler : {"handleMessage", "receive"}) {
        const FoundMember found = find_member(actor->type, handler);
        if (found.method == nullptr) continue;
        return runtime_.make_actor(*actor, method(*found.method, actor));
    }
    return runtime_.make_actor(*actor, nullptr);
}

}  // namespace gyre::vela::internal
