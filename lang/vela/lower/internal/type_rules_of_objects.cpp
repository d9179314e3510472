// SPDX-License-Identifier: Apache-2.0
// Type rules of objects, calls and suspensions.
#include "lang/vela/lower/internal/type_rules.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

void TypeRules::collections() {
    const Op op = instruction_.op;
    const Type* result = instruction_.to == no_register ? nullptr : known(to());
    switch (op) {
        case Op::tuple:
            if (result->sort != TypeSort::tuple) return;
            count(result->args.size());
            for (std::size_t i = 0; i < result->args.size(); ++i) need(read(i), result->args[i]);
            return;
        case Op::item: {
            count(1);
            const Type* tuple = known(read(0));
            if (tuple->sort != TypeSort::tuple) return;
            if (instruction_.number >= tuple->args.size())
                return fail("reads an item that the tuple does not have");
            return need(tuple->args[instruction_.number], result);
        }
        case Op::list:
            if (result->sort != TypeSort::nominal) return;
            if (types_.as_base(instruction_.type->self, result->info) == nullptr) {
                fail("makes a collection of another type");
            }
            if (result->args.empty()) return;
            for (std::size_t i = 0; i < reads_.size(); ++i) need(read(i), result->args[0]);
            return;
        case Op::map:
            if (Types::is(result, types_.builtins.set)) return count(0);
            if (result->args.size() != 2) return;
            for (std::size_t i = 0; i < reads_.size(); ++i) need(read(i), result->args[i % 2]);
            return;
        case Op::get_index:
        case Op::set_index: {
            count(op == Op::get_index ? 2 : 3);
            need_nominal(read(0), types_.builtins.sequence);
            need(read(1), types_.number());
            const Type* base = types_.as_base(read(0), types_.builtins.sequence);
            if (base == nullptr) return;
            if (op == Op::get_index) return need(base->args[0], result);
            return need(read(2), base->args[0]);
        }
        default:
            return;
    }
}

void TypeRules::objects() {
    const Type* result = instruction_.to == no_register ? nullptr : known(to());
    switch (instruction_.op) {
        case Op::variant: {
            const VariantInfo& variant = *instruction_.variant;
            count(variant.args.size());
            need_nominal(result, variant.owner);
            for (std::size_t i = 0; i < reads_.size() && i < variant.args.size(); ++i) {
                need(read(i), types_.seen_from(variant.args[i].type, result));
            }
            return;
        }
        case Op::is_variant:
            count(1);
            need_nominal(read(0), instruction_.variant->owner);
            return need(types_.boolean(), result);
        case Op::payload: {
            count(1);
            const VariantInfo& variant = *instruction_.variant;
            need_nominal(read(0), variant.owner);
            if (instruction_.number >= variant.args.size())
                return fail("reads a payload that the variant does not have");
            return need(types_.seen_from(variant.args[instruction_.number].type, read(0)), result);
        }
        case Op::matches_route:
            return need_all(2, types_.string(), types_.boolean());
        case Op::create:
            count(0);
            return need_nominal(result, instruction_.type);
        case Op::get_field:
            count(1);
            return need(types_.seen_from(instruction_.field->type, read(0)), result);
        case Op::set_field:
            count(2);
            return need(read(1), types_.seen_from(instruction_.field->type, read(0)));
        default:
            return collections();
    }
}

void TypeRules::calls() {
    const Op op = instruction_.op;
    if (op == Op::closure || op == Op::call) {
        const Code& called = *instruction_.code;
        const std::size_t wanted =
            op == Op::closure ? called.captures.size() : std::size_t{called.param_count};
        count(wanted);
        for (std::size_t i = 0; i < wanted && i < reads_.size(); ++i) {
            const Register inner =
                op == Op::closure ? called.captures[i] : static_cast<Register>(i);
            if (inner >= called.registers.size())
                return fail("the called function has too few registers");
            need(read(i), called.registers[inner].type);
            if (info(reads_[i]).is_cell != called.registers[inner].is_cell) {
                fail("a cell where a value is wanted, or the reverse");
            }
        }
        if (op == Op::closure) return;
        if (called.kind == CodeKind::plain) return need(called.result, to());
        if (called.kind == CodeKind::async) return need(types_.future(called.result), to());
        return need(types_.nominal(types_.builtins.iterator, {called.yields}), to());
    }
    if (op == Op::call_value) {
        if (reads_.empty()) return fail("has no callee");
        const Type* type = known(read(0));
        if (type->sort != TypeSort::function) return;
        count(type->args.size() + 1);
        for (std::size_t i = 0; i < type->args.size(); ++i) need(read(i + 1), type->args[i]);
        return need(type->result, to());
    }
    const FunctionInfo& function = *instruction_.function;
    const bool has_object = function.owner != nullptr && !function.is_static;
    count(function.params.size() + (has_object ? 1 : 0));
    const Type* owner = has_object ? known(read(0)) : types_.error();
    const auto seen = [&](const Type* type) {
        if (!has_object || owner->sort != TypeSort::nominal) return type;
        const Type* base = types_.as_base(owner, function.owner);
        return types_.seen_from(type, base != nullptr ? base : owner);
    };
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        need(read(i + (has_object ? 1 : 0)), seen(function.params[i].type));
    }
    if (function.node->kind != DeclKind::constructor) need(seen(function.result), to());
}

void TypeRules::suspensions() {
    const Type* done = types_.future(types_.nothing());
    switch (instruction_.op) {
        case Op::spawn_task: {
            if (reads_.empty() || reads_.size() > 2)
                return fail("needs a future, and at most a scope");
            const Type* value = types_.future_value(read(0));
            if (value == nullptr && is_sort(read(0), TypeSort::nominal))
                return fail("spawns a value that is not a future");
            if (value != nullptr) need(types_.nominal(types_.builtins.task, {value}), to());
            return;
        }
        case Op::join_scope:
            count(1);
            return need(done, to());
        case Op::cancel_scope:
            if (reads_.empty() || reads_.size() > 2)
                return fail("needs a scope, and at most an error");
            return need(done, to());
        case Op::close_stream:
            count(1);
            need_nominal(read(0), types_.builtins.iterator);
            return need(done, to());
        case Op::iterate:
            count(1);
            return need(read(0), to());
        case Op::next_item: {
            count(1);
            const Type* base = types_.as_base(read(0), types_.builtins.sequence);
            if (base != nullptr) need(base->args[0], to());
            return;
        }
        case Op::await: {
            count(1);
            const Type* value = types_.future_value(read(0));
            if (value == nullptr && is_sort(read(0), TypeSort::nominal))
                return fail("awaits a value that is not a future");
            if (value != nullptr) need(value, to());
            return;
        }
        case Op::yield:
            count(1);
            if (code_.yields != nullptr) need(read(0), code_.yields);
            return need(types_.boolean(), to());
        case Op::send:
            return count(2);
        case Op::open_scope:
            return count(0);
        default:
            return count(1);
    }
}

}  // namespace gyre::vela::internal
