// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/detail/types.hpp"

#include <algorithm>

namespace gyre::vela {
namespace {

// Above any type that a program writes; bounds types that an error made infinite.
constexpr int depth_max = 300;
constexpr int step_count_max = 100'000;

}  // namespace

const FunctionInfo* constructor_of(const TypeInfo& info) {
    const TypeInfo* at = &info;
    while (at->constructors.empty()) {
        if (!at->fields.empty() || at->base == nullptr) return nullptr;
        at = known(at->base)->info;
    }
    // A class that implements Future does not make one.
    const FunctionInfo* found = at->constructors[0];
    const bool is_closed = at->is_standard && found->visibility == Visibility::is_private;
    return at != &info && is_closed ? nullptr : found;
}

Types::Types() {
    never_.sort = TypeSort::never;
    never_.is_ground = true;
    error_.is_ground = true;
}

std::span<const Type* const> Types::store(const std::vector<const Type*>& types) {
    if (types.empty()) return {};
    const Type** place = arena_.make_many<const Type*>(types.size());
    std::transform(types.begin(), types.end(), place, &known);
    return {place, types.size()};
}

// Stores the values of known variables, and marks a type without variables and parameters, so that it is not traversed again.
const Type* Types::made(Type type, const std::vector<const Type*>& args) {
    type.args = store(args);
    if (type.result != nullptr) type.result = known(type.result);
    type.is_ground = (type.result == nullptr || type.result->is_ground) &&
                     std::all_of(type.args.begin(), type.args.end(),
                                 [](const Type* arg) { return arg->is_ground; });
    return arena_.make(type);
}

const Type* Types::fresh() {
    Type type;
    type.sort = TypeSort::variable;
    return arena_.make(type);
}

const Type* Types::nominal(const TypeInfo* info, std::vector<const Type*> args) {
    if (args.empty() && info->params.empty() && info->self != nullptr) return info->self;
    Type type;
    type.sort = TypeSort::nominal;
    type.info = info;
    return made(type, args);
}

const Type* Types::tuple(std::vector<const Type*> items) {
    Type type;
    type.sort = TypeSort::tuple;
    return made(type, items);
}

const Type* Types::function(std::vector<const Type*> params, const Type* result) {
    Type type;
    type.sort = TypeSort::function;
    type.result = result;
    return made(type, params);
}

const Type* Types::parameter(std::string_view name, const Type* bound) {
    Type type;
    type.sort = TypeSort::parameter;
    type.name = name;
    type.bound = bound;
    return arena_.make(type);
}

const Type* Types::as_base(const Type* type, const TypeInfo* info) {
    type = known(type);
    while (type->sort == TypeSort::nominal) {
        if (type->info == info) return type;
        if (type->info->base == nullptr) return nullptr;
        type = known(substitute(type->info->base, type->info->params, type->args));
    }
    return nullptr;
}

const Type* Types::future_value(const Type* type) {
    const Type* future = as_base(type, builtins.future);
    return future == nullptr ? nullptr : known(future->args[0]);
}

const Type* Types::substitute(const Type* type, std::span<const Type* const> params,
                              std::span<const Type* const> args) {
    type = known(type);
    if (params.empty() || type->is_ground) return type;
    switch (type->sort) {
        case TypeSort::parameter:
            for (std::size_t i = 0; i < params.size() && i < args.size(); ++i) {
                if (params[i] == type) return args[i];
            }
            return type;
        case TypeSort::nominal:
        case TypeSort::tuple:
        case TypeSort::function: {
            if (type->args.empty() && type->result == nullptr) return type;
            std::vector<const Type*> inner;
            inner.reserve(type->args.size());
            bool is_same = true;
            for (const Type* arg : type->args) {
                inner.push_back(substitute(arg, params, args));
                is_same = is_same && inner.back() == arg;
            }
            const Type* result =
                type->result == nullptr ? nullptr : substitute(type->result, params, args);
            if (is_same && result == type->result) return type;
            Type changed = *type;
            changed.result = result;
            return made(changed, inner);
        }
        default:
            return type;
    }
}

const Type* Types::replaced(const Type* type, std::span<const Type* const> variables,
                            std::span<const Type* const> by) {
    step_count_ = 0;
    return replace(type, variables, by);
}

const Type* Types::replace(const Type* type, std::span<const Type* const> variables,
                           std::span<const Type* const> by) {
    const Type* at = type;
    while (at->sort == TypeSort::variable) {
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (variables[i] == at && by[i] != nullptr) return by[i];
        }
        if (at->value == nullptr) return type;
        at = at->value;
    }
    if (at->is_ground || ++step_count_ > step_count_max) return type;
    bool is_same = true;
    std::vector<const Type*> inner;
    for (const Type* arg : at->args) {
        inner.push_back(replace(arg, variables, by));
        is_same = is_same && inner.back() == arg;
    }
    const Type* result = at->result == nullptr ? nullptr : replace(at->result, variables, by);
    if (is_same && result == at->result) return type;
    Type changed = *at;
    changed.result = result;
    return made(changed, inner);
}

const Type* Types::seen_from(const Type* type, const Type* owner) {
    owner = known(owner);
    if (owner->sort != TypeSort::nominal) return type;
    type = substitute(type, owner->info->params, owner->args);
    if (owner->info->members != nullptr) {
        type = substitute(type, owner->info->members->params, owner->args);
    }
    return type;
}

bool Types::assign(const Type* from, const Type* to) {
    const std::size_t mark = trail_.size();
    step_count_ = 0;
    if (relate(from, to, 0)) return true;
    take_back(mark);
    return false;
}

bool Types::fits(const Type* from, const Type* to) {
    const std::size_t mark = trail_.size();
    step_count_ = 0;
    const bool does_fit = relate(from, to, 0);
    take_back(mark);
    return does_fit;
}

void Types::take_back(std::size_t mark) {
    while (trail_.size() > mark) {
        trail_.back()->value = nullptr;
        trail_.pop_back();
    }
}

const Type* Types::join(const Type* a, const Type* b) {
    // Deeper joins need a type annotation.
    constexpr int join_depth_max = 4;
    const auto joined = [this](const auto& self, const Type* one, const Type* other,
                               int depth) -> const Type* {
        if (assign(other, one)) return is_sort(one, TypeSort::never) ? other : one;
        if (assign(one, other)) return other;
        one = known(one);
        other = known(other);
        // The nearest common base.
        for (const Type* base = one; base->sort == TypeSort::nominal;) {
            if (base->info->base == nullptr) break;
            base = known(substitute(base->info->base, base->info->params, base->args));
            if (assign(other, base)) return base;
        }
        // Or the same type with joined arguments, if it is covariant.
        const bool is_same_type =
            one->sort == TypeSort::nominal && one->info == other->info && is_covariant(one->info);
        const bool are_alike = one->sort == other->sort && one->args.size() == other->args.size() &&
                               (one->sort == TypeSort::tuple || is_same_type);
        if (!are_alike || depth == join_depth_max) return nullptr;
        std::vector<const Type*> parts;
        for (std::size_t i = 0; i < one->args.size(); ++i) {
            parts.push_back(self(self, one->args[i], other->args[i], depth + 1));
            if (parts.back() == nullptr) return nullptr;
        }
        return made(*one, parts);
    };
    return joined(joined, a, b, 0);
}

bool Types::occurs(const Type* variable, const Type* type, int depth) {
    type = known(type);
    if (type->is_ground) return false;
    if (type == variable || depth > depth_max || ++step_count_ > step_count_max) return true;
    if (type->result != nullptr && occurs(variable, type->result, depth + 1)) return true;
    return std::any_of(type->args.begin(), type->args.end(),
                       [&](const Type* arg) { return occurs(variable, arg, depth + 1); });
}

bool Types::set(const Type* variable, const Type* value) {
    if (occurs(variable, value, 0)) return false;
    variable->value = value;
    trail_.push_back(variable);
    return true;
}

// Types whose value is only read. What can be written to (lists, maps, classes) is invariant: a
// List<Dog> is no List<Animal>, into which a Cat could be put.
bool Types::is_covariant(const TypeInfo* info) const {
    const auto all = {builtins.option,   builtins.result,   builtins.future,  builtins.task,
                      builtins.iterator, builtins.sequence, builtins.eventual};
    return std::find(all.begin(), all.end(), info) != all.end();
}

// Variables that meet an error take it over, so that what depends on them is not reported too.
void Types::absorb(const Type* type, int depth) {
    type = known(type);
    if (type->is_ground || depth > depth_max || ++step_count_ > step_count_max) return;
    if (type->sort == TypeSort::variable) {
        type->value = &error_;
        trail_.push_back(type);
        return;
    }
    if (type->result != nullptr) absorb(type->result, depth + 1);
    for (const Type* arg : type->args) absorb(arg, depth + 1);
}

bool Types::has_error(const Type* type, int depth) {
    type = known(type);
    if (type->sort == TypeSort::error) return true;
    constexpr int part_depth_max = 8;
    if (depth > part_depth_max) return false;
    if (type->result != nullptr && has_error(type->result, depth + 1)) return true;
    return std::any_of(type->args.begin(), type->args.end(),
                       [&](const Type* arg) { return has_error(arg, depth + 1); });
}

bool Types::relate(const Type* from, const Type* to, int depth) {
    from = known(from);
    to = known(to);
    if (from == to) return true;
    if (from->sort == TypeSort::error || to->sort == TypeSort::error) {
        absorb(from->sort == TypeSort::error ? to : from, depth);
        return true;
    }
    if (depth > depth_max || ++step_count_ > step_count_max) return false;
    if (from->sort == TypeSort::never) return true;
    if (to->sort == TypeSort::variable) return set(to, from);
    if (from->sort == TypeSort::variable) {
        return set(from, is(to, builtins.eventual) ? to->args[0] : to);
    }
    if (is(to, builtins.eventual)) {
        const Type* value = future_value(from);
        return relate(value != nullptr ? value : from, to->args[0], depth + 1);
    }
    if (from->sort == TypeSort::parameter && from->bound != nullptr &&
        to->sort == TypeSort::nominal) {
        return relate(from->bound, to, depth + 1);
    }
    if (from->sort != to->sort) return false;
    if (is(to, builtins.json)) return is_json(from, to, depth);
    switch (from->sort) {
        case TypeSort::nominal:
            return relate_nominal(from, to, depth);
        case TypeSort::tuple:
            if (from->args.size() != to->args.size()) return false;
            for (std::size_t i = 0; i < from->args.size(); ++i) {
                if (!relate(from->args[i], to->args[i], depth + 1)) return false;
            }
            return true;
        case TypeSort::function:
            if (from->args.size() != to->args.size()) return false;
            for (std::size_t i = 0; i < from->args.size(); ++i) {
                if (!relate(to->args[i], from->args[i], depth + 1)) return false;
            }
            return is(to->result, builtins.nothing) || relate(from->result, to->result, depth + 1);
        default:
            return false;
    }
}

// A value that JSON can express is a Json where one is wanted. A Json is only read, so a List may be
// one although it can be written to.
bool Types::is_json(const Type* from, const Type* json, int depth) {
    if (is(from, builtins.json)) return true;
    const auto is_one_of = [from](std::initializer_list<const TypeInfo*> all) {
        return std::find(all.begin(), all.end(), from->info) != all.end();
    };
    if (is_one_of({builtins.number, builtins.real, builtins.string, builtins.boolean})) return true;
    if (is_one_of({builtins.option, builtins.list})) {
        return relate(from->args[0], json, depth + 1);
    }
    return is(from, builtins.map) && is(from->args[0], builtins.string) &&
           relate(from->args[1], json, depth + 1);
}

bool Types::relate_nominal(const Type* from, const Type* to, int depth) {
    if (to->info->kind == DeclKind::interface && from->info != to->info) {
        return fits_interface(from, to, depth);
    }
    const Type* base = as_base(from, to->info);
    if (base == nullptr) return false;
    const std::size_t mark = trail_.size();
    bool do_fit = true;
    for (std::size_t i = 0; i < to->args.size() && i < base->args.size() && do_fit; ++i) {
        do_fit = relate(base->args[i], to->args[i], depth + 1) &&
                 // In both directions if the argument is invariant.
                 (is_covariant(to->info) || relate(to->args[i], base->args[i], depth + 1));
    }
    if (do_fit || to->info->kind != DeclKind::interface) return do_fit;
    // The methods of an interface say whether its arguments may vary.
    take_back(mark);
    return fits_interface(from, to, depth);
}

}  // namespace gyre::vela
