// SPDX-License-Identifier: Apache-2.0
// Evaluator: one run of one program. In five files: bodies and calls of functions, calls of
// everything by its name, expressions, statements, names and patterns. Lives for one run.
#pragma once

#include <deque>
#include <map>
#include <unordered_map>

#include "lang/vela/reference/internal/eval.hpp"
#include "lang/vela/reference/natives.hpp"

namespace gyre::vela::internal {

// A visible name and its value. Names form a linked list that grows at its head, so that a lambda
// keeps exactly the names declared before it.
struct Binding : Thing {
    Binding(std::string_view of, Value as, Binding* before) : name(of), value(as), outer(before) {}
    std::string_view name;
    Value value;
    Binding* outer;
};

// The context of a body, shared by all lambdas in it.
struct Home {
    const Module* module = nullptr;
    const TypeInfo* type = nullptr;
    Object* self = nullptr;  // `this`
};

// What `?` does without a value. For a lambda the checker has inferred it from its result.
enum class Passing : std::uint8_t { option, result, noted, rejects };

// One call of a function, lambda or block.
struct Frame {
    Home home;
    Passing passing = Passing::rejects;
    Value result;  // of a return
};

// The visible names at a point of a body. Copied for every block.
struct Place {
    Frame* frame = nullptr;
    Binding* names = nullptr;
    ScopeGroup* group = nullptr;
};

enum class Flow : std::uint8_t { next, breaks, continues, returns };

// How a statement or block ended, and the value of its last expression.
struct Completion {
    Flow flow = Flow::next;
    Value value;
};

// A return, break or continue inside an expression.
struct Leave {
    Flow flow = Flow::next;
};

class Evaluator;

// A function of the program with its captured names.
struct Closure : Function {
    Closure(Evaluator& of, const FunctionInfo* function, const LambdaExpr* as_lambda)
        : evaluator(of), info(function), lambda(as_lambda) {}
    Value call(const Values& args) override;
    [[nodiscard]] bool is_async() const {
        return info != nullptr ? info->node->is_async : lambda->is_async;
    }

    Evaluator& evaluator;
    const FunctionInfo* info;  // or
    const LambdaExpr* lambda;
    Home home;
    Binding* names = nullptr;
    ScopeGroup* group = nullptr;
    bool drops_value = false;  // its static type has no result
};

// `spawn` as a value: it belongs to the scope that it is written in.
struct SpawnFunction : Function {
    SpawnFunction(Evaluator& of, ScopeGroup* in) : evaluator(of), group(in) {}
    Value call(const Values& args) override;

    Evaluator& evaluator;
    ScopeGroup* group;
};

// An enum declared in a block.
struct LocalEnum : Thing {
    explicit LocalEnum(const EnumDecl& of) : node(of) {}
    const EnumDecl& node;
};

class Evaluator {
public:
    Evaluator(const Program& program, RuntimeOptions options);

    Outcome run(const std::string& path);
    Value call_closure(Closure& closure, const Values& args);
    // A future becomes a task, an actor a reference.
    Value spawned(Value value, ScopeGroup* group);

private:
    // ---- evaluate_functions.cpp
    void initialise(const Module& module);
    template <class T>
    T run_now(Eval<T> eval);
    // Omitted arguments are empty.
    using Given = std::vector<std::optional<Value>>;
    Eval<Value> invoke(Value function, const Values& args);
    Eval<Value> invoke_closure(Closure& closure, const Given& args);
    Eval<Value> body(const Stmt& stmt, Frame frame, Place at, bool has_value, const Type* wanted);
    Eval<Value> construct(const TypeInfo& type, const Given& args);
    Eval<bool> fill_fields(Object& object, const TypeInfo& type, const Given* args);
    Eval<Value> filled(const Type* type);
    Closure* method(const FunctionInfo& info, Object* self);
    // Converts to that type: a list to a set, a function to one without a result.
    Value as_wanted(Value value, const Type* type);
    Value without_value(Value function);

    // ---- evaluate_calls.cpp
    Eval<Value> call(const CallExpr& node, Place& at);
    Eval<Value> call_by_name(const CallExpr& node, const NameExpr& callee, Place& at);
    Eval<bool> call_super(const CallExpr& node, Place& at);
    Eval<Value> call_member(const CallExpr& node, const MemberExpr& callee, Place& at);
    Eval<Value> call_on_type(const CallExpr& node, const MemberExpr& callee, const TypeInfo& type,
                             Place& at);
    Eval<Value> call_on_value(const CallExpr& node, std::string_view name, Value object, Place& at);
    Eval<Value> call_function(const CallExpr& node, const FunctionInfo& function, Value self,
                              Place& at);
    Eval<Value> call_value(const CallExpr& node, Value function, Place& at);
    Eval<Value> make_variant(const CallExpr& node, const Variant& variant, Place& at);
    Eval<Value> make_object(const CallExpr& node, const TypeInfo& type, Place& at);
    // Evaluates the arguments in source order, and returns them by parameter.
    Eval<bool> arguments(const CallExpr& node, const std::vector<std::string_view>& params,
                         Given& given, Place& at);

    // ---- evaluate_expressions.cpp
    Eval<Value> expr(const Expr& node, Place& at);
    Eval<Value> string(const StringExpr& node, Place& at);
    Eval<Value> items(const ItemsExpr& node, Place& at);
    Eval<Value> map(const MapExpr& node, Place& at);
    Eval<Value> binary_expr(const BinaryExpr& node, Place& at);
    Eval<Value> awaited(Value future);
    Eval<Value> propagate(const WrapExpr& node, Place& at);
    Eval<Value> member(const MemberExpr& node, Place& at);
    Eval<Value> struct_literal(const StructExpr& node, Place& at);
    Value member_of(Value object, std::string_view name);
    Value lambda(const LambdaExpr& node, Place& at);
    Value async_block(const AsyncBlockExpr& node, Place& at);

    // ---- evaluate_statements.cpp
    Eval<Completion> statement(const Stmt& node, Place& at);
    Eval<Completion> statement_inside(const Stmt& node, Place& at);
    Eval<Completion> block(const BlockStmt& node, Place at);
    Eval<Completion> branch(const Expr& node, Place& at);
    Eval<Completion> if_else(const IfExpr& node, Place at);
    Eval<Completion> match(const MatchExpr& node, Place& at);
    Eval<Completion> while_loop(const WhileStmt& node, Place& at);
    Eval<Completion> for_loop(const ForStmt& node, Place& at);
    Eval<Completion> for_await(const ForStmt& node, Place& at);
    Eval<Completion> try_catch(const TryStmt& node, Place& at);
    Eval<Completion> catches(const TryStmt& node, Value error, Place& at);
    Eval<Completion> scope(const ScopeStmt& node, Place& at);
    Eval<bool> assignment(const AssignStmt& node, Place& at);
    std::deque<Closure*> hoist(const BlockStmt& node, Place& at);

    // ---- evaluate_names.cpp
    void declare(Place& at, std::string_view name, Value value);
    Binding* find(const Place& at, std::string_view name) const;
    Binding* find_global(const Module& module, std::string_view name);
    // The storage of a name: a local, a field of `this`, or a variable of the module.
    Value* place_of(std::string_view name, Place& at);
    Value name(const NameExpr& node, Place& at);
    void assign_name(std::string_view name, Value value, Place& at);
    const Symbol* symbol(const Module& module, std::string_view name) const;
    const Symbol* type_symbol(const Module& module, std::string_view name) const;
    const Variant* find_variant(std::string_view name, const Place& at) const;
    // The type, module or local enum that an expression names, rather than a value.
    struct Named {
        const TypeInfo* type = nullptr;
        const Module* module = nullptr;
        const EnumDecl* local = nullptr;
    };
    Named named(const Expr& node, const Place& at) const;
    Value symbol_value(const Symbol& of);
    const TypeInfo* written_type(const TypeNode& node, const Home& home) const;
    bool matches(const Pattern& node, const Value& value, Place& at);

    Runtime runtime_;
    Heap& heap_;
    std::string_view entry_;
    std::map<const Module*, Binding*> globals_;
    std::unordered_map<const FunctionDecl*, const FunctionInfo*> functions_;
    int nesting_ = 0;     // of natives that call back
    int call_depth_ = 0;  // of plain functions

    friend struct Closure;
};

}  // namespace gyre::vela::internal
