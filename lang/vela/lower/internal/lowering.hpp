// SPDX-License-Identifier: Apache-2.0
// Lowering: the body of one function, lambda or async block becomes a Code. An expression becomes
// the register that holds its value; statements become instructions one after the other. Suspension
// needs no rewriting: `await` is an instruction, and liveness finds the registers that must survive
// it. In files by subject: functions, variables, statements, assignments, exits (try, scope, `for
// await`), patterns, expressions, operators, members, calls, construction.
//
// Every node of the tree is lowered once. Lives while its function is lowered.
#pragma once

#include <functional>

#include "lang/vela/lower/internal/emitter.hpp"

namespace gyre::vela::internal {

// State shared by the functions of one program.
struct Session {
    Program& program;
    Lowered& lowered;
    // For each module, the facts of its locals by place.
    using Locals = std::unordered_map<std::uint32_t, const LocalFact*>;
    std::unordered_map<const Module*, Locals> locals;

    Code& make_code(std::string name, const Module& module, CodeKind kind, const Type* result);
    // The Code of a function with a body; made on first use and filled later.
    Code& code_of(const FunctionInfo& function);
    Code& fields_of(const TypeInfo& info);
};

class Lowering {
public:
    Lowering(Session& session, Code& code, const Module& module, Lowering* parent);

    // Each is called once and fills the Code.
    void function(const FunctionInfo& function);
    void lambda(const LambdaExpr& node, const Type* type);
    void async_block(const AsyncBlockExpr& node);
    void fields(const TypeInfo& info);
    void globals();
    // A function of type `type` that forwards its arguments to `meaning`, with the object first if
    // there is one.
    void wrapper(const Meaning& meaning, const Type* type, Register object_outside,
                 const Type* object_type);

private:
    using Label = Emitter::Label;

    struct Variable {
        Register reg = no_register;
        bool is_cell = false;
        bool is_early = false;  // its cell was made before its declaration, for a function above it
    };
    // The destination of the value of an expression, block or branch.
    enum class Use { drop, keep, give_back };
    struct Sink {
        Use use = Use::drop;
        Register to = no_register;
    };
    enum class ExitKind { normal, thrown, returned, broken, continued };
    // A construct that `return`, `break` and `continue` leave, innermost last.
    struct Exit {
        static constexpr Label no_label = UINT32_MAX;

        bool is_cleanup = false;
        Label break_label = no_label;
        Label continue_label = no_label;
        // For a cleanup: its entry, the register with the exit to take, and the value or error it
        // carries.
        Label entry = no_label;
        Register way = no_register;
        Register error = no_register;
        Register value = no_register;
        std::vector<ExitKind> ways;
    };

    // ---- lowering_functions.cpp
    std::vector<Register> begin(const FunctionInfo& function);
    void function_body(const FunctionInfo& function, std::span<const Register> params);
    void defaults(std::span<const Param> params, std::span<const Register> registers);
    void declare_params(std::span<const Param> params, std::span<const Register> registers);
    Register call_inner(const Code& code, const Lowering& inner, std::span<const Register> args);
    void body(const Stmt& node);
    void end();
    Register closure(const Code& code, const Lowering& inner, const Type* type, Register to);

    // ---- lowering_variables.cpp
    Variable& find(std::uint32_t place);
    const LocalFact* local_fact(std::uint32_t place) const;
    void declare(const Name& name, const Type* type, Register value);
    void declare_value(const Name& name, const Type* type, const Expr& node);
    void assign_local(std::uint32_t place, Register value);
    Register this_register();

    // ---- lowering_statements.cpp
    void statement(const Stmt& node);
    void last(const Stmt& node, Sink sink);
    void block(const BlockStmt& node, Sink sink);
    void hoist(const BlockStmt& node);
    void sink(const Expr& node, Sink into);
    void while_loop(const WhileStmt& node);
    void for_loop(const ForStmt& node);
    void if_else(const IfExpr& node, Sink into);
    void match(const MatchExpr& node, Sink into);

    // ---- lowering_assignments.cpp
    void assignment(const AssignStmt& node);
    void compound(const AssignStmt& node);
    void assign_name(const NameExpr& target, Register value);
    void assign_global_statement(const Stmt& node);
    void assign_global(const NameExpr& target, Register given);
    void set_global(std::string_view name, Register value);

    // ---- lowering_exits.cpp
    void give_back(Register value);
    void leave(Exit& cleanup, ExitKind kind, Register value);
    void go_out(ExitKind kind);
    // A cleanup for early exits is lowered twice: for an error that propagates, and for other
    // exits. Only the first has a register with the error.
    enum class CleanupAt { every_exit, early_exits };
    void guarded(const std::function<void()>& inside,
                 const std::function<void(Register error)>& cleanup, CleanupAt when);
    void try_catch(const TryStmt& node);
    void catches(const TryStmt& node);
    void scope(const ScopeStmt& node, Sink into);
    void for_await(const ForStmt& node);
    Register await_future(Register future, const Type* type, Register to);

    // ---- lowering_patterns.cpp
    void pattern(const Pattern& node, Register subject, const Type* type, Label fail);
    void bind_alike(const Pattern& first, const Pattern& other);
    void test(Register condition, Label fail);

    // ---- lowering_expressions.cpp
    Register value(const Expr& node, Register to = no_register);
    Register plain_value(const Expr& node, Register to);
    Register lambda_value(const LambdaExpr& node, Register to);
    Register async_block_value(const AsyncBlockExpr& node, Register to);
    // Like value, but later evaluation cannot change the register.
    Register stable(const Expr& node, bool is_changed_later);
    // Like stable, for a value that is stored in a variable or an object: a struct is copied.
    Register kept(const Expr& node, bool is_changed_later = false, Register to = no_register);
    Register copied(Register value);
    bool may_be_struct(const Type* type) const;
    Register out(Register to, const Type* type);
    Register constant(Constant value, const Type* type, Register to = no_register);
    Register string(const StringExpr& node, Register to);
    bool is_fixed(const Type* type) const;
    Register name(const NameExpr& node, Register to);
    Register items(Op op, std::span<Expr* const> items, const Type* type, Register to);
    Register map(const MapExpr& node, Register to);
    Register index(const IndexExpr& node, Register to);
    Register function_value(const Meaning& meaning, const Type* type, Register to);
    const Type* type_of(const Expr& node) const;
    const Meaning& meaning_of(const Expr& node) const;

    // ---- lowering_operators.cpp
    Register unary(const UnaryExpr& node, Register to);
    Register binary(const BinaryExpr& node, Register to);
    Register arithmetic(TokenKind op, Register left, Register right, Register to);
    Register comparison(TokenKind op, Register left, Register right, Register to);
    Register widened(Register value, bool is_wanted);
    Register short_circuit(const BinaryExpr& node, Register to);
    Register otherwise(const BinaryExpr& node, Register to);
    Register propagate(const WrapExpr& node, Register to);
    const VariantInfo* good_variant(const Type* type) const;
    bool is_float(Register reg) const;

    // ---- lowering_members.cpp
    Register member(const MemberExpr& node, Register to);
    Register field_of(Register object, const FieldInfo& field, const Type* type, Register to);
    // Applies a function to the value in an Option or Result, for `?.`.
    Register optional(const MemberExpr& node, const Type* type, Register to, const Type* inner_type,
                      const std::function<Register(Register object)>& inner);

    // ---- lowering_calls.cpp
    Register call_of_value(const CallExpr& node, bool is_changed, Register to);
    Register call(const CallExpr& node, Register to);
    Register method_call(const CallExpr& node, const FunctionInfo& method, Register object,
                         const Type* type, Register to);
    Register function_call(const FunctionInfo& function, std::span<const Register> args,
                           const Type* type, Register to, Span place);
    std::vector<ParamInfo> params_of_value(const CallExpr& node) const;
    Register spawn(Register what, const Type* type, Register to);
    std::optional<Register> scope_around();
    Register send_to(const CallExpr& node, Register to);
    std::vector<Register> arguments(std::span<const Argument> args,
                                    const std::vector<ParamInfo>& params);
    void end_if_never(const Type* type);

    // ---- lowering_construction.cpp
    Register construct(const CallExpr& node, const TypeInfo& info, Register to);
    Register super(const CallExpr& node, const TypeInfo& base, Register to);
    void run_constructor(const FunctionInfo& constructor, std::span<const Register> args);
    Register struct_literal(const StructExpr& node, Register to);
    void fill_fields(Register object, const TypeInfo& info, std::vector<Register> given);
    Register fill(const Type* type, Register to, int depth = 0);

    Types& types() { return session_.program.types; }
    const Builtins& builtins() const { return session_.program.types.builtins; }
    Register nothing_value(Register to = no_register);

    Session& session_;
    Code& code_;
    const Module& module_;
    const Session::Locals& locals_;
    Lowering* parent_;
    int depth_;  // nesting of functions, counted as by the check
    Emitter emitter_;
    const TypeInfo* class_ = nullptr;
    std::string_view message_name_;  // of an actor's handler: its match need not be exhaustive
    std::unordered_map<std::uint32_t, Variable> variables_;
    // In alternatives of a pattern: maps a name to the variable of the first alternative.
    std::unordered_map<std::uint32_t, std::uint32_t> alike_;
    std::vector<Exit> exits_;
    std::vector<std::uint32_t> scopes_;  // places of the open scopes, innermost last
    std::vector<Register> captured_outside_;
    int inner_count_ = 0;
};

// The key of `this` in tables by place; no name begins there.
inline constexpr std::uint32_t this_place = UINT32_MAX;

// Whether evaluating it may run statements of this function, which may assign variables.
[[nodiscard]] bool may_assign(const Expr& node);

}  // namespace gyre::vela::internal
