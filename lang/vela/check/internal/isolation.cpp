// SPDX-License-Identifier: Apache-2.0
// The state of modules that actors reach: a graph of functions and the variables they use.
#include "lang/vela/check/internal/isolation.hpp"

#include <algorithm>
#include <array>

namespace gyre::vela::internal {
namespace {

constexpr std::array changing_methods = {"push",     "pop",    "sort",     "sortBy",
                                         "sortWith", "insert", "removeAt", "set",
                                         "remove",   "update", "add",      "shuffle"};

// The variable of a module that `x`, `x.f[i]` begin with; null if it is none.
const Symbol* root_variable(const Module& module, const Expr& node) {
    const Expr* at = &bare(node);
    for (;;) {
        const Meaning& meaning = module.facts[at->index].meaning;
        if (meaning.kind == MeaningKind::global) return meaning.symbol;
        if (at->kind == ExprKind::member) {
            at = &bare(*as<MemberExpr>(*at).object);
        } else if (at->kind == ExprKind::index) {
            at = &bare(*as<IndexExpr>(*at).object);
        } else {
            return nullptr;
        }
    }
}

}  // namespace

void Isolation::check(const std::vector<Sent>& all) {
    const bool has_actors =
        std::any_of(program_.infos.begin(), program_.infos.end(),
                    [](const TypeInfo& info) { return info.kind == DeclKind::actor; });
    if (!has_actors) return;
    collect();
    spread();
    for (const Sent& sent : all) check_sent(*sent.module, *sent.value);
    const auto check_unit = [&](const void* key) {
        const auto found = units_.find(key);
        if (found == units_.end()) return;
        for (const Use& use : found->second.uses) refuse_state(*found->second.module, use);
    };
    for (const TypeInfo& info : program_.infos) {
        if (info.kind != DeclKind::actor) continue;
        check_unit(&info);
        for (const FunctionInfo* method : info.methods) check_unit(method);
        for (const FunctionInfo* constructor : info.constructors) check_unit(constructor);
    }
}

void Isolation::collect() {
    for (const FunctionInfo& function : program_.functions) {
        if (!function.module->is_standard) collect_function(function);
    }
    for (const TypeInfo& info : program_.infos) {
        if (!info.is_standard) collect_fields(info);
    }
    collect_overrides();
}

Walk Isolation::walk_of(Unit& unit) {
    return {[this, &unit](const Expr& node) { add_uses(unit, node); },
            [this, &unit](const Stmt& node) { note_change(*unit.module, node); }};
}

void Isolation::collect_function(const FunctionInfo& function) {
    Unit& unit = units_[&function];
    order_.push_back(&function);
    unit.module = function.module;
    walk_of(unit).function(*function.node);
}

// Construction runs the values of the fields, of the bases too, and the constructor.
void Isolation::collect_fields(const TypeInfo& info) {
    Unit& unit = units_[&info];
    order_.push_back(&info);
    unit.module = info.module;
    for (const FieldInfo& field : info.fields) walk_of(unit).expr(field.node->value);
    if (info.base != nullptr) {
        unit.uses.push_back({info.name.span, info.name.text, nullptr, known(info.base)->info});
    }
    if (const FunctionInfo* constructor = constructor_of(info)) {
        unit.uses.push_back({info.name.span, info.name.text, nullptr, constructor});
    }
}

// A call of a method may run the method of a class below; a call through an interface, that of any
// class which has one of this name.
void Isolation::collect_overrides() {
    std::unordered_map<std::string_view, std::vector<const FunctionInfo*>> wanted_of;
    for (const TypeInfo& info : program_.infos) {
        if (info.kind != DeclKind::interface || info.is_standard) continue;
        for (const FunctionInfo* wanted : info.methods) {
            wanted_of[wanted->name.text].push_back(wanted);
        }
    }
    for (const TypeInfo& info : program_.infos) {
        if (info.is_standard) continue;
        for (const FunctionInfo* method : info.methods) {
            const Use below{method->name.span, method->name.text, nullptr, method};
            const Member above = info.base == nullptr
                                     ? Member{}
                                     : program_.types.find_member(info.base, method->name.text);
            const bool is_own = above.method != nullptr && !above.method->module->is_standard;
            if (is_own) units_.at(above.method).uses.push_back(below);
            if (info.kind == DeclKind::interface) continue;
            const auto all = wanted_of.find(method->name.text);
            if (all == wanted_of.end()) continue;
            for (const FunctionInfo* wanted : all->second) units_.at(wanted).uses.push_back(below);
        }
    }
}

void Isolation::add_uses(Unit& unit, const Expr& node) {
    if (node.kind == ExprKind::call) note_change(*unit.module, as<CallExpr>(node));
    const Meaning& meaning = unit.module->facts[node.index].meaning;
    const auto name_of = [&](const Expr& of) {
        const Expr& inner = bare(of);
        if (inner.kind == ExprKind::member) return as<MemberExpr>(inner).name;
        return Name{unit.module->source->text(inner.span), inner.span};
    };
    const Expr& named = node.kind == ExprKind::call ? *as<CallExpr>(node).callee : node;
    const Name name = name_of(named);
    switch (meaning.kind) {
        case MeaningKind::global:
            if (meaning.symbol->module->is_standard) return;
            unit.uses.push_back({name.span, name.text, meaning.symbol, nullptr});
            return;
        case MeaningKind::function:
        case MeaningKind::method:
            if (meaning.function->module->is_standard) return;
            unit.uses.push_back({name.span, name.text, nullptr, meaning.function});
            return;
        case MeaningKind::construction:
        case MeaningKind::construction_of_base:
            if (meaning.type->is_standard) return;
            unit.uses.push_back({name.span, name.text, nullptr, meaning.type});
            return;
        default:
            break;
    }
    if (node.kind != ExprKind::struct_literal) return;
    const Type* const found = unit.module->facts[node.index].type;
    if (found == nullptr) return;  // a body that was not checked: its declaration is wrong
    const Type* type = known(found);
    if (type->sort != TypeSort::nominal || type->info->is_standard) return;
    unit.uses.push_back(
        {as<StructExpr>(node).type->span, type->info->name.text, nullptr, type->info});
}

// An assignment to a part of a variable.
void Isolation::note_change(const Module& module, const Stmt& node) {
    if (node.kind != StmtKind::assign) return;
    const Expr& target = bare(*as<AssignStmt>(node).target);
    if (target.kind != ExprKind::member && target.kind != ExprKind::index) return;
    if (const Symbol* variable = root_variable(module, target)) changed_.insert(variable);
}

// A method that changes the container in a variable.
void Isolation::note_change(const Module& module, const CallExpr& node) {
    const Expr& callee = bare(*node.callee);
    if (callee.kind != ExprKind::member) return;
    const auto& member = as<MemberExpr>(callee);
    if (std::find(changing_methods.begin(), changing_methods.end(), member.name.text) ==
        changing_methods.end()) {
        return;
    }
    const bool is_shuffle = member.name.text == "shuffle" && !node.args.empty();
    const Expr& changed = is_shuffle ? *node.args[0].value : *member.object;
    if (const Symbol* variable = root_variable(module, changed)) changed_.insert(variable);
}

bool Isolation::is_state(const Symbol& variable) {
    const auto [known_as, is_new] = is_state_.try_emplace(&variable);
    if (is_new) {
        known_as->second = variable.is_state || changed_.contains(&variable) ||
                           sendable_.obstacle(variable.type).has_value();
    }
    return known_as->second;
}

std::string Isolation::why_state(const Symbol& variable) {
    if (variable.is_state) return "it is declared here as `state`";
    if (changed_.contains(&variable)) return "it is declared here, and changed elsewhere";
    return concat("it is declared here, and cannot be sent: ",
                  sendable_.obstacle(variable.type).value_or(Obstacle{}).what);
}

// Marks the units that reach state: from those that use it to those that use them.
void Isolation::spread() {
    std::map<const void*, std::vector<std::pair<Unit*, const Use*>>> users;
    std::vector<const void*> ready;
    const auto mark = [&](const void* key, Unit& unit, const Use& use, const Symbol& state) {
        if (unit.state != nullptr) return;
        unit.leads = &use;
        unit.state = &state;
        ready.push_back(key);
    };
    for (const void* key : order_) {
        Unit& unit = units_.at(key);
        unit.key = key;
        for (const Use& use : unit.uses) {
            if (use.unit != nullptr) users[use.unit].emplace_back(&unit, &use);
            const bool is_direct = use.variable != nullptr && is_state(*use.variable);
            if (is_direct) mark(key, unit, use, *use.variable);
        }
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
        const Symbol& state = *units_.at(ready[i]).state;
        for (const auto& [unit, use] : users[ready[i]]) mark(unit->key, *unit, *use, state);
    }
}

void Isolation::refuse_state(const Module& module, const Use& use) {
    const auto declared = [this](Diagnostic& diagnostic, const Symbol& variable) {
        diagnostic.note(*variable.module->source, variable.name.span, why_state(variable));
        diagnostic.note("an actor owns its fields alone: keep it there, or send it in a message");
    };
    if (use.variable != nullptr) {
        if (!is_state(*use.variable)) return;
        declared(program_.diagnostics.error(
                     "E0312", *module.source, use.place,
                     concat("`", use.name, "` is state of the module, which an actor cannot use")),
                 *use.variable);
        return;
    }
    const auto inner = units_.find(use.unit);
    if (inner == units_.end() || inner->second.state == nullptr) return;
    const Symbol& state = *inner->second.state;
    Diagnostic& diagnostic = program_.diagnostics.error(
        "E0312", *module.source, use.place,
        concat("`", use.name, "` uses `", state.name.text,
               "`, which is state of the module: an actor cannot reach it"));
    // From the function to the use, at most a few steps.
    const Unit* at = &inner->second;
    for (int step = 0; step < 4 && at->leads != nullptr; ++step) {
        const bool is_last = at->leads->variable != nullptr;
        diagnostic.note(*at->module->source, at->leads->place,
                        is_last ? "used here" : "through this");
        if (is_last) break;
        at = &units_.at(at->leads->unit);
    }
    declared(diagnostic, state);
}

}  // namespace gyre::vela::internal
