// SPDX-License-Identifier: Apache-2.0
// Isolation: the rules that keep actors apart, checked after all modules. A message and the
// arguments of an actor's construction are values (E0311); an actor's code reaches no state of a
// module, also not through functions (E0312). Lives for one check.
#pragma once

#include <map>
#include <set>

#include "lang/vela/check/internal/sendable.hpp"
#include "lang/vela/check/internal/walk.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

// An expression whose value goes to an actor.
struct Sent {
    const Module* module = nullptr;
    const Expr* value = nullptr;
};

class Isolation {
public:
    // `reassigned` are the variables of modules that have a second assignment.
    Isolation(Program& program, std::set<const Symbol*> reassigned)
        : program_(program), sendable_(program), changed_(std::move(reassigned)) {}

    void check(const std::vector<Sent>& all);

private:
    // A use of a function, a type's construction or a variable in a body.
    struct Use {
        Span place;
        std::string_view name;
        const Symbol* variable = nullptr;
        const void* unit = nullptr;
    };
    // A function, or the values of the fields of a type: a body and what it uses.
    struct Unit {
        const Module* module = nullptr;
        const void* key = nullptr;
        std::vector<Use> uses;
        // The state that it reaches, by its own use or the use that leads there; null: none.
        const Use* leads = nullptr;
        const Symbol* state = nullptr;
    };

    // ---- isolation.cpp
    void collect();
    void collect_function(const FunctionInfo& function);
    void collect_fields(const TypeInfo& info);
    void collect_overrides();
    void add_uses(Unit& unit, const Expr& node);
    void note_change(const Module& module, const Stmt& node);
    void note_change(const Module& module, const CallExpr& node);
    Walk walk_of(Unit& unit);
    void spread();
    bool is_state(const Symbol& variable);
    std::string why_state(const Symbol& variable);
    void refuse_state(const Module& module, const Use& use);

    // ---- isolation_sends.cpp
    void check_sent(const Module& module, const Expr& node);
    bool check_parts(const Module& module, const Expr& node);
    void check_closure(const Module& module, const LambdaExpr& node);
    void refuse_type(const Module& module, const Expr& node, const Obstacle& found);
    const LocalFact* local_at(const Module& module, std::uint32_t place);

    Program& program_;
    Sendable sendable_;
    std::set<const Symbol*> changed_;
    std::map<const void*, Unit> units_;  // by FunctionInfo or TypeInfo
    std::vector<const void*> order_;     // of the units, for the same report in every run
    std::map<const Symbol*, bool> is_state_;
    std::map<const Module*, std::unordered_map<std::uint32_t, const LocalFact*>> locals_;
};

}  // namespace gyre::vela::internal
