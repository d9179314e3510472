// SPDX-License-Identifier: Apache-2.0
// Checker: checks the bodies of one module after another, with bidirectional typing: expr() infers
// the type of an expression, expect() checks it against a wanted type and reports a mismatch. Every
// expression is visited once. Types and meanings are recorded in the module (checker_facts.cpp) for
// later passes. Lives for one check.
#pragma once

#include "lang/vela/check/internal/declarations.hpp"
#include "lang/vela/check/internal/isolation.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

class Checker {
public:
    Checker(Program& program, Declarations& declarations, const CheckOptions& options)
        : program_(program),
          types_(program.types),
          declarations_(declarations),
          options_(options) {}

    void check_module(Module& module);
    // The rules between actors, after all modules.
    void check_isolation();

private:
    struct Local {
        std::string_view name;
        const Type* type = nullptr;
        Span place;
        bool is_state = false;
        const FunctionInfo* function = nullptr;
        std::size_t fact = 0;
        int function_depth = 0;
    };
    // The function, lambda or async block whose body is being checked.
    struct Frame {
        bool is_async = false;
        bool is_lambda = false;
        Span place;  // of its name, or of the lambda
        std::string_view name;
        const Type* result = nullptr;
        bool is_open = false;  // its result type is inferred from its returns
        const Type* yields = nullptr;
        int loop_depth = 0;
        bool has_break = false;  // seen in the innermost loop so far
        // Each `?` of a lambda whose result type is not known yet.
        std::vector<const WrapExpr*> undecided;
    };
    // The use of the value of a block or branch.
    enum class Use {
        nothing,  // dropped
        value,    // must fit the wanted type
        result,   // the result of the function if it fits; otherwise a path without a value
    };
    // Something that can be called, with its types as seen from the call.
    struct Signature {
        std::string_view name;
        std::vector<ParamInfo> params;
        const Type* result = nullptr;
        const Module* module = nullptr;
        Span place;  // of the declaration
        bool is_construction = false;
        // The variables of type parameters that were not written.
        std::vector<const Type*> variables;
        // The value and the bound of each type parameter.
        std::vector<std::pair<const Type*, const Type*>> bounds;
    };
    class Scope;

    // ---- checker_facts.cpp
    Fact& fact(const Expr& node);
    const Type* means(const Expr& node, const Type* type, Meaning meaning);
    void declare_local(Local local);
    void drop_locals(std::size_t count);
    void change(const Local& local);
    Meaning use(const Local& local);

    // ---- checker_uses.cpp
    struct Named;
    static Span name_span(const NameExpr& node) {
        return {node.span.begin, node.span.begin + static_cast<std::uint32_t>(node.text.size())};
    }
    void note_meaning(Span span, const Meaning& meaning, const Type* type);
    void note_callee(const CallExpr& node, const Meaning& meaning);
    void note_object(const Expr& node, const Named& meant);
    bool is_asked(std::string_view name) const;
    Asked& note_asked(AskedKind kind);

    // ---- checker_reports.cpp
    Diagnostic& error(std::string_view code, Span span, std::string message);
    const Type* mismatch(const Expr& expr, const Type* wanted, const Type* found);
    const Type* mismatch_text(const Expr& expr, std::string_view wanted, const Type* found);
    Diagnostic& report_mismatch(const Expr& expr, const Type* wanted, const Type* found);
    void explain_invariance(Diagnostic& diagnostic, const Type* wanted, const Type* found);
    void explain_plain(Diagnostic& diagnostic, const Expr& node, const Type* wanted,
                       const Type* found);
    void explain_condition(Diagnostic& diagnostic, const Type* found);
    const Type* wrong_operand(const BinaryExpr& node, const Expr& operand, const Type* wanted,
                              const Type* found);
    Diagnostic& blame(const Expr& node, const Type* wanted);
    bool misses_await(const Expr& node, const Type* found, const std::string& wanted);
    void lacks_value(const Name& field, const Module& module, Span made_at);
    void unknown(const Name& name, std::string_view what,
                 const std::vector<std::string_view>& candidates);
    void declared_here(Diagnostic& diagnostic, const Module* module, Span place) const;
    void require_async(std::string_view code, Span keyword, std::string_view what);

    // ---- checker_hints.cpp
    bool add_hint(Diagnostic& diagnostic, const Name& name);
    bool add_member_hint(Diagnostic& diagnostic, const Name& name);

    // ---- checker_functions.cpp
    void function(const FunctionInfo& info);
    const Type* own_result(Frame& frame);
    const Type* lambda(const LambdaExpr& node, const Type* wanted);
    const Type* async_block(const AsyncBlockExpr& node, const Type* wanted);
    void body(const Stmt& stmt, Frame& frame, std::string_view what);

    // ---- checker_classes.cpp
    void type_declaration(TypeInfo& info);
    void class_rules(TypeInfo& info);
    void override_rules(const TypeInfo& info, const FunctionInfo& method);
    void interface_rules(const TypeInfo& info);
    void fields(TypeInfo& info);
    void refuse_self(const TypeInfo& info);
    bool contains(const Type* type, const TypeInfo& wanted, std::set<const TypeInfo*>& seen);
    void check_keys();
    bool is_fillable(const Type* type, int depth = 0);

    // ---- checker_field_values.cpp
    static const CallExpr* super_call_of(const FunctionDecl& constructor);
    static bool is_given_to_super(const FunctionInfo& constructor, const FieldInfo& field);
    void field_values(const TypeInfo& info);
    void field_value(const TypeInfo& info, const FieldInfo& field, const FunctionInfo* constructor);

    // ---- checker_assignments.cpp
    void variable(const VariableStmt& node);
    void assignment(const AssignStmt& node);
    void tuple_assignment(const AssignStmt& node);
    const Type* assigned(const NameExpr& target);
    void declare_target(const NameExpr& target, const Type* type);
    void warn_unmarked(const NameExpr& target, const Module& module, Span place);
    void refuse_twins(std::size_t mark);
    void refuse_fixed(const MemberExpr& target);

    // ---- checker_statements.cpp
    const Type* block(const BlockStmt& node, Use use, const Type* wanted = nullptr);
    const Type* last(const Stmt& node, Use use, const Type* wanted);
    bool statement(const Stmt& node);
    bool returned(const ValueStmt& node);
    void returned_from_void(const Expr& node);
    bool loop(const Stmt& node);
    bool loop_body(const BlockStmt& node);
    bool try_catch(const TryStmt& node);
    void hoist(const BlockStmt& node);

    // ---- checker_branches.cpp
    const Type* branch(const Expr& node, Use use, const Type* wanted);
    const Type* if_else(const IfExpr& node, Use use, const Type* wanted);
    const Type* match(const MatchExpr& node, Use use, const Type* wanted);
    bool is_branched(const Type* type) const;
    void join_into(const Type* open, const Expr& node);
    void settle(const Type* open, const Type* wanted, const Expr& node);
    const Type* taken_apart(const Expr& subject, bool has_parts);
    void warn_dropped(const Expr& node, const Type* type);
    Diagnostic& warn_unreachable(Span place, std::string message);

    // ---- checker_expressions.cpp
    const Type* expr(const Expr& node, const Type* wanted = nullptr);
    // The variant of a DbValue that holds such a value; null if another type is wanted.
    [[nodiscard]] static const VariantInfo* variant_of_value(const Type* wanted, const Type* found);
    const Type* literal_as(const Expr& node, const Type* type, const Type* wanted);
    const Type* type_of(const Expr& node, const Type* wanted);
    void expect(const Expr& node, const Type* wanted);
    const Type* branched(const Expr& node, const Type* wanted);
    const Type* infer(const Expr& node);
    static bool takes_wish_of_others(const Expr& node);
    const Type* one_of(const Expr& node, const Type* others);
    const Type* items(const ItemsExpr& node, const Type* wanted);
    const Type* map(const MapExpr& node, const Type* wanted);
    const Type* index(const IndexExpr& node);

    // ---- checker_operators.cpp
    bool is_numeric(const Type* type) const;
    void check_fits(const LiteralExpr& node, bool is_negative);
    const Type* unary(const UnaryExpr& node);
    const Type* binary(const BinaryExpr& node);
    const Type* arithmetic(const BinaryExpr& node, const Type* left, const Type* right);
    const Type* await(const AwaitExpr& node, const Type* wanted);
    const Type* propagate(const WrapExpr& node);
    void decide(const WrapExpr& node);

    // ---- checker_members.cpp
    const Type* name(const NameExpr& node, const Type* wanted);
    const Type* member(const MemberExpr& node, const Type* wanted);
    const Local* find_local(std::string_view name) const;
    Member own_field(std::string_view name);
    const VariantInfo* find_variant(std::string_view name, const Type* wanted);
    const VariantInfo* variant_of(const TypeInfo* info, std::string_view name) const;
    // The type or module that an expression names, rather than a value.
    struct Named {
        const TypeInfo* info = nullptr;
        std::span<TypeNode* const> args;
        const Module* module = nullptr;
        const Type* meant = nullptr;  // by an alias
    };
    Named named(const Expr& node);
    const Type* instance_of(const Named& type);
    const Type* not_known(const Expr& node);
    const Type* object_type(const MemberExpr& node);
    void check_visible(const Member& found, const Name& name);
    void unknown_member(const Type* type, const Name& name);
    const Type* written(const TypeNode& node);
    static bool is_item(const MemberExpr& node);
    const Type* tuple_item(const MemberExpr& node, const Type* object);

    // ---- checker_arguments.cpp
    const Type* apply(const CallExpr& node, Signature signature, Meaning meaning);
    void arguments(const CallExpr& node, const Signature& signature);
    std::vector<const Expr*> given_arguments(const CallExpr& node, const Signature& signature,
                                             bool& is_wrong);
    // The arguments by parameter of a signature; `found` has the types of those already checked.
    struct Given {
        std::vector<const Expr*> args;
        std::vector<const Type*> found;
    };
    void argument(const Signature& signature, Given& given, std::size_t i);
    void widen(const Signature& signature, Given& given, std::size_t i, const Type* loose,
               const std::vector<const Type*>& own);
    void check_bounds(const Signature& signature, Span place);
    void check_type_args(std::string_view name, std::size_t count, std::span<TypeNode* const> args);

    // ---- checker_calls.cpp
    const Type* call(const CallExpr& node, const Type* wanted);
    const Type* spawn(const CallExpr& node);
    const Type* super(const CallExpr& node);
    const Type* spawn_value(const NameExpr& node, const Type* wanted);
    const Type* call_in_module(const CallExpr& node, const MemberExpr& callee, const Module& module,
                               const Type* wanted);
    const Type* call_of_type(const CallExpr& node, const MemberExpr& callee, const Named& outer,
                             const Type* wanted);
    const Type* send_of_own(const CallExpr& node, const MemberExpr& callee);
    const Type* member_call(const CallExpr& node, const MemberExpr& callee, const Type* wanted);
    void item_rules(const MemberExpr& callee, const FunctionInfo& method, const Type* owner,
                    const Type* result);
    bool is_comparable(const Type* type);
    void order_rules(const CallExpr& node, const MemberExpr& callee, const FunctionInfo& method,
                     std::span<const Type* const> variables);
    void number_rules(const CallExpr& node, const FunctionInfo& function,
                      std::span<const Type* const> variables);
    const FunctionInfo& declared_for(const CallExpr& node, const FunctionInfo& method) const;
    const Type* actor_send(const CallExpr& node, const Type* message);
    const Type* apply_value(const CallExpr& node, const Type* callee);

    // ---- checker_signatures.cpp
    const Type* function_value(const Signature& signature);
    Signature of_function(const FunctionInfo& function, const Type* owner,
                          std::span<TypeNode* const> type_args);
    void add_bounds(Signature& signature, const Type* instance);
    Signature of_variant(const VariantInfo& variant, const Type* wanted);
    Signature of_construction(const Named& type, const Type* wanted, Span place);
    const Type* construct(const CallExpr& node, const Named& type, const Type* wanted);
    const Type* struct_literal(const StructExpr& node, const Type* wanted);

    // ---- checker_patterns.cpp, checker_exhaustive.cpp
    void bind(const Pattern& node, const Type* subject);
    void pattern(const Pattern& node, const Type* subject);
    void variant_pattern(const Pattern& node, const Type* subject);
    Diagnostic& wrong_pattern(Span place, std::string message);
    void check_exhaustive(const MatchExpr& node, const Type* subject);
    void warn_useless_arms(const MatchExpr& node, const Type* subject);

    Program& program_;
    Types& types_;
    Declarations& declarations_;
    const CheckOptions& options_;
    const Module* module_ = nullptr;
    Module* noted_ = nullptr;          // the same, mutable: facts are recorded in it
    int function_depth_ = 0;           // nesting of functions, lambdas and async blocks
    const TypeInfo* class_ = nullptr;  // whose member is being checked
    bool has_this_ = false;
    std::string_view message_name_;  // of the handler of an actor
    std::vector<Frame> frames_;
    std::vector<Local> locals_;
    // The indices of the locals of a name, the innermost last.
    std::unordered_map<std::string_view, std::vector<std::size_t>> local_places_;
    bool has_wrong_pattern_ = false;     // in the match being checked
    std::vector<const Type*> branched_;  // types of open branches without a wanted type
    Generics generics_;
    const CallExpr* super_call_ = nullptr;  // the first statement of the constructor
    std::vector<Sent> sent_;
    std::set<const Symbol*> reassigned_;  // variables of modules
    std::set<const TypeInfo*> self_containing_;
    Span last_error_;
    Diagnostic absorbed_;  // takes the notes of a message that is not reported
};

// Locals and local types live to the end of their block.
class Checker::Scope {
public:
    explicit Scope(Checker& checker)
        : checker_(checker),
          local_count_(checker.locals_.size()),
          type_count_(checker.declarations_.local_types.size()),
          generic_count_(checker.generics_.size()) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
        checker_.drop_locals(local_count_);
        checker_.declarations_.local_types.resize(type_count_);
        checker_.generics_.resize(generic_count_);
    }

private:
    Checker& checker_;
    std::size_t local_count_;
    std::size_t type_count_;
    std::size_t generic_count_;
};

}  // namespace gyre::vela::internal
