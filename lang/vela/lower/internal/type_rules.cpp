// SPDX-License-Identifier: Apache-2.0
// Type rules of jumps, variables, numbers and strings, and the comparison of types.
#include "lang/vela/lower/internal/type_rules.hpp"

#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// Above any type that a program writes; bounds recursive types.
constexpr int depth_max = 100;
constexpr int step_count_max = 10'000;

}  // namespace

bool TypeRules::agrees(const Type* from, const Type* to, int depth) {
    from = known(from);
    to = known(to);
    const auto is_open = [](const Type* type) {
        return type->sort == TypeSort::error || type->sort == TypeSort::variable ||
               type->sort == TypeSort::parameter;
    };
    if (from == to || is_open(from) || is_open(to) || depth > depth_max) return true;
    if (++step_count_ > step_count_max) return true;
    if (from->sort == TypeSort::never) return true;
    if (Types::is(from, types_.builtins.eventual)) {
        // Of a Future of a Future, only one layer is what is awaited.
        const bool are_both = Types::is(to, types_.builtins.eventual);
        return agrees(from->args[0], are_both ? to->args[0] : to, depth + 1);
    }
    if (Types::is(to, types_.builtins.eventual)) {
        const Type* value = types_.future_value(from);
        return agrees(value != nullptr ? value : from, to->args[0], depth + 1);
    }
    if (from->sort != to->sort) return false;
    if (Types::is(to, types_.builtins.json)) return !from->is_ground || types_.fits(from, to);
    if (from->sort == TypeSort::nominal) {
        if (to->info->kind == DeclKind::interface && from->info != to->info) {
            return !from->is_ground || !to->is_ground || types_.fits(from, to);
        }
        from = types_.as_base(from, to->info);
        if (from == nullptr) return false;
    }
    if (from->args.size() != to->args.size()) return false;
    const bool is_function = from->sort == TypeSort::function;
    for (std::size_t i = 0; i < from->args.size(); ++i) {
        // A function may take more than what it is passed.
        const Type* given = is_function ? to->args[i] : from->args[i];
        const Type* taken = is_function ? from->args[i] : to->args[i];
        if (!agrees(given, taken, depth + 1)) return false;
    }
    if (!is_function) return true;
    return Types::is(to->result, types_.builtins.nothing) ||
           agrees(from->result, to->result, depth + 1);
}

void TypeRules::count(std::size_t wanted) {
    if (reads_.size() == wanted) return;
    fail(concat("reads ", std::to_string(reads_.size()), " registers instead of ",
                std::to_string(wanted)));
}

void TypeRules::need(const Type* from, const Type* wanted) {
    if (agrees(from, wanted)) return;
    fail(concat(type_text(from), " where ", type_text(wanted), " is wanted"));
}

void TypeRules::need_all(std::size_t wanted_count, const Type* wanted, const Type* result) {
    count(wanted_count);
    for (std::size_t i = 0; i < reads_.size(); ++i) need(read(i), wanted);
    if (result != nullptr) need(result, to());
}

void TypeRules::need_nominal(const Type* type, const TypeInfo* wanted) {
    type = known(type);
    if (type->sort != TypeSort::nominal || types_.as_base(type, wanted) != nullptr) return;
    fail(concat(type_text(type), " where ", wanted->name.text, " is wanted"));
}

void TypeRules::check() {
    const Op op = instruction_.op;
    // Only these instructions access cells.
    const bool makes_cell = op == Op::cell;
    if (instruction_.to != no_register && op != Op::move && op != Op::clear &&
        info(instruction_.to).is_cell != makes_cell) {
        fail("a cell where a value is wanted, or the reverse");
    }
    for (std::size_t i = 0; i < reads_.size(); ++i) {
        if (op == Op::closure || op == Op::move) break;
        const bool is_wanted = i == 0 && (op == Op::get_cell || op == Op::set_cell);
        if (info(reads_[i]).is_cell != is_wanted) {
            fail("a cell where a value is wanted, or the reverse");
        }
    }
    if (op <= Op::set_global || (op >= Op::jump && op <= Op::left_out)) return shapes();
    if (op <= Op::range_inclusive) return numbers_and_texts();
    if (op >= Op::closure && op <= Op::call_value) return calls();
    if (op >= Op::actor_self) return suspensions();
    objects();
}

void TypeRules::shapes() {
    switch (instruction_.op) {
        case Op::constant: {
            count(0);
            if (instruction_.number >= code_.constants.size())
                return fail("its constant does not exist");
            const Type* kinds[] = {types_.nothing(), types_.number(), types_.real(),
                                   types_.boolean(), types_.string()};
            return need(kinds[code_.constants[instruction_.number].index()], to());
        }
        case Op::move:
            count(1);
            if (!reads_.empty() && info(reads_[0]).is_cell != info(instruction_.to).is_cell) {
                fail("a cell where a value is wanted, or the reverse");
            }
            return need(read(0), to());
        case Op::copy:
        case Op::get_cell:
            count(1);
            return need(read(0), to());
        case Op::is_given:
            count(1);
            return need(types_.boolean(), to());
        case Op::set_cell:
            count(2);
            return need(read(1), read(0));
        case Op::get_global:
            count(0);
            return need(instruction_.symbol->type, to());
        case Op::set_global:
            count(1);
            return need(read(0), instruction_.symbol->type);
        case Op::branch:
            return need_all(1, types_.boolean(), nullptr);
        case Op::choose:
            return need_all(1, types_.number(), nullptr);
        case Op::return_value:
            count(1);
            // The result of a lambda whose type has no result is dropped.
            if (Types::is(code_.result, types_.builtins.nothing)) return;
            return need(read(0), code_.result);
        case Op::is_class:
            count(1);
            return need(types_.boolean(), to());
        case Op::failure:
        case Op::throw_value:
            return count(1);
        default:
            return count(0);
    }
}

void TypeRules::numbers_and_texts() {
    const Type* number = types_.number();
    const Type* real = types_.real();
    const Op op = instruction_.op;
    if (op == Op::negate_number) return need_all(1, number, number);
    if (op == Op::negate_float) return need_all(1, real, real);
    if (op <= Op::power_number) return need_all(2, number, number);
    if (op <= Op::power_float) return need_all(2, real, real);
    if (op == Op::widen) return need_all(1, number, real);
    if (op == Op::invert) return need_all(1, types_.boolean(), types_.boolean());
    if (op == Op::equal) {
        count(2);
        if (!agrees(read(0), read(1)) && !agrees(read(1), read(0))) {
            const Type* both = types_.join(read(0), read(1));
            if (both == nullptr) fail("compares values of different types");
        }
        return need(types_.boolean(), to());
    }
    if (op <= Op::less_equal_number) return need_all(2, number, types_.boolean());
    if (op <= Op::less_equal_float) return need_all(2, real, types_.boolean());
    if (op <= Op::less_equal_string) return need_all(2, types_.string(), types_.boolean());
    if (op == Op::text) return need(types_.string(), to());
    need_all(2, number, types_.nominal(types_.builtins.range));
}

}  // namespace gyre::vela::internal
