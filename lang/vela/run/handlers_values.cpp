// SPDX-License-Identifier: Apache-2.0
// Registers, variables, numbers and comparisons.
#include <cmath>

#include "lang/vela/run/internal/handlers.hpp"

namespace gyre::vela::vm {

Word boxed(Vm& vm, Slot slot, Rep rep) {
    if (rep == Rep::number) return vm.heap.number(slot.number);
    if (rep == Rep::real) return vm.heap.real(slot.real);
    if (rep == Rep::boolean) return Word::boolean(slot.bits != 0);
    return slot.word();
}

void store_bare(Slot& to, Rep rep, Word word) {
    if (rep == Rep::number) {
        to.number = number_of(word);
    } else if (rep == Rep::real) {
        to.real = real_of(word);
    } else {
        to.bits = truth_of(word) ? 1 : 0;
    }
}

Slot converted_slow(Vm& vm, Slot slot, Rep given, Rep wanted) {
    const Word word = boxed(vm, slot, given);
    Slot made{};
    if (wanted == Rep::word) {
        made.set(word);
    } else {
        store_bare(made, wanted, word);
    }
    return made;
}

GYRE_VELA_HANDLER(load_small) {
    r[ip->a].number = wide(*ip);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(load_constant) {
    r[ip->a] = extension<Slot>(ip[1]);
    GYRE_VELA_NEXT(r, ip + 2);
}
GYRE_VELA_HANDLER(move) {
    r[ip->a] = r[ip->b];
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(clear) {
    r[ip->a].bits = 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(box_number) {
    const std::int64_t number = r[ip->b].number;
    r[ip->a].set(Word::is_small_number(number) ? Word::small(number)
                                               : boxed(vm, r[ip->b], Rep::number));
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(box_real) {
    r[ip->a].set(boxed(vm, r[ip->b], Rep::real));
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(box_boolean) {
    r[ip->a].set(Word::boolean(r[ip->b].bits != 0));
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(unbox_number) {
    const Word word = r[ip->b].word();
    r[ip->a].number = word.is_small() ? word.small_number() : number_of(word);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(unbox_real) {
    r[ip->a].real = real_of(r[ip->b].word());
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(unbox_boolean) {
    r[ip->a].bits = truth_of(r[ip->b].word()) ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(copy_struct) {
    const Word word = r[ip->b].word();
    r[ip->a].set(is_kind(word, Kind::instance) ? vm.copied(word) : word);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(is_given) {
    r[ip->a].bits = r[ip->b].word().is_missing() ? 0 : 1;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(new_cell) {
    r[ip->a].set(vm.heap.make<Cell>());
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(get_cell) {
    const Word value = as<Cell>(r[ip->b].word(), Kind::cell).value;
    if (value.is_missing()) return raise_new(vm, ip, "Error", "a variable has no value yet");
    r[ip->a].set(value);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(set_cell) {
    as<Cell>(r[ip->a].word(), Kind::cell).value = r[ip->b].word();
    GYRE_VELA_GO_ON;
}
namespace {
[[gnu::noinline]] Word global_of_host(Vm& vm, std::size_t index) {
    const Symbol* symbol = vm.assembled().global_symbols[index];
    if (!symbol->module->is_standard) return {};
    if (symbol->name.text == "args") {
        std::vector<Word> arguments;
        for (std::string& argument : vm.host.arguments()) {
            arguments.push_back(vm.heap.text(std::move(argument)));
        }
        return vm.globals[index] = vm.heap.make<List>(std::move(arguments));
    }
    return vm.globals[index] = vm.create(*known(symbol->type)->info);
}
}  // namespace
GYRE_VELA_HANDLER(get_global) {
    const auto index = static_cast<std::size_t>(wide(*ip));
    Word value = vm.globals[index];
    if (value.is_missing()) value = global_of_host(vm, index);
    if (value.is_missing()) return raise_new(vm, ip, "Error", "a variable has no value yet");
    r[ip->a].set(value);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(set_global) {
    vm.globals[static_cast<std::size_t>(wide(*ip))] = r[ip->a].word();
    GYRE_VELA_GO_ON;
}

namespace {
const Insn* overflow(Vm& vm, const Insn* ip) {
    return raise_new(vm, ip, "OverflowError", "Number overflow");
}
}  // namespace

// An error leaves the register as it was: a handler may read it.
#define GYRE_VELA_CHECKED(name, function, right)                    \
    GYRE_VELA_HANDLER(name) {                                       \
        std::int64_t made;                                          \
        if (function(r[ip->b].number, (right), &made)) [[unlikely]] \
            return overflow(vm, ip);                                \
        r[ip->a].number = made;                                     \
        GYRE_VELA_GO_ON;                                            \
    }
GYRE_VELA_CHECKED(add_number, __builtin_add_overflow, r[ip->c].number)
GYRE_VELA_CHECKED(subtract_number, __builtin_sub_overflow, r[ip->c].number)
GYRE_VELA_CHECKED(multiply_number, __builtin_mul_overflow, r[ip->c].number)
GYRE_VELA_CHECKED(add_small, __builtin_add_overflow, std::int64_t{signed_c(*ip)})
GYRE_VELA_CHECKED(subtract_small, __builtin_sub_overflow, std::int64_t{signed_c(*ip)})
GYRE_VELA_CHECKED(multiply_small, __builtin_mul_overflow, std::int64_t{signed_c(*ip)})
#undef GYRE_VELA_CHECKED

GYRE_VELA_HANDLER(negate_number) {
    if (r[ip->b].number == INT64_MIN) return overflow(vm, ip);
    r[ip->a].number = -r[ip->b].number;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(divide_number) {
    const std::int64_t by = r[ip->c].number;
    if (by == 0) return raise_new(vm, ip, "Error", "Division by zero");
    if (by == -1) {
        if (r[ip->b].number == INT64_MIN) return overflow(vm, ip);
        r[ip->a].number = -r[ip->b].number;
    } else {
        r[ip->a].number = r[ip->b].number / by;
    }
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(remainder_number) {
    const std::int64_t by = r[ip->c].number;
    if (by == 0) return raise_new(vm, ip, "Error", "Division by zero");
    if (by == -1 && r[ip->b].number == INT64_MIN) return overflow(vm, ip);
    r[ip->a].number = by == -1 ? 0 : r[ip->b].number % by;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(power_number) {
    const std::int64_t base = r[ip->b].number;
    std::int64_t exponent = r[ip->c].number;
    if (exponent < 0) return raise_new(vm, ip, "Error", "Negative exponent");
    std::int64_t result = 1;
    if (base == 0 || base == 1 || base == -1) {
        // Without a loop.
        result = exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
        exponent = 0;
    }
    for (; exponent > 0; --exponent) {
        if (__builtin_mul_overflow(result, base, &result)) return overflow(vm, ip);
    }
    r[ip->a].number = result;
    GYRE_VELA_GO_ON;
}
// By a constant above 0: nothing can go wrong.
GYRE_VELA_HANDLER(divide_small) {
    r[ip->a].number = r[ip->b].number / signed_c(*ip);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(remainder_small) {
    const std::int64_t left = r[ip->b].number;
    const std::int64_t by = signed_c(*ip);
    // Most numbers fit in 32 bits, where processors divide faster.
    const bool is_short = static_cast<std::uint64_t>(left) <= UINT32_MAX;
    r[ip->a].number = is_short ? static_cast<std::int64_t>(static_cast<std::uint32_t>(left) %
                                                           static_cast<std::uint32_t>(by))
                               : left % by;
    GYRE_VELA_GO_ON;
}

GYRE_VELA_HANDLER(negate_float) {
    r[ip->a].real = -r[ip->b].real;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(add_float) {
    r[ip->a].real = r[ip->b].real + r[ip->c].real;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(subtract_float) {
    r[ip->a].real = r[ip->b].real - r[ip->c].real;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(multiply_float) {
    r[ip->a].real = r[ip->b].real * r[ip->c].real;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(divide_float) {
    r[ip->a].real = r[ip->b].real / r[ip->c].real;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(remainder_float) {
    r[ip->a].real = std::fmod(r[ip->b].real, r[ip->c].real);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(power_float) {
    r[ip->a].real = std::pow(r[ip->b].real, r[ip->c].real);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(widen) {
    r[ip->a].real = static_cast<double>(r[ip->b].number);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(invert) {
    r[ip->a].bits = r[ip->b].bits ^ 1U;
    GYRE_VELA_GO_ON;
}

GYRE_VELA_HANDLER(equal_number) {
    r[ip->a].bits = r[ip->b].bits == r[ip->c].bits ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(equal_real) {
    r[ip->a].bits = r[ip->b].real == r[ip->c].real ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(equal_word) {
    r[ip->a].bits = are_equal(r[ip->b].word(), r[ip->c].word()) ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(less_number) {
    r[ip->a].bits = r[ip->b].number < r[ip->c].number ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(less_equal_number) {
    r[ip->a].bits = r[ip->b].number <= r[ip->c].number ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(less_float) {
    r[ip->a].bits = r[ip->b].real < r[ip->c].real ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(less_equal_float) {
    r[ip->a].bits = r[ip->b].real <= r[ip->c].real ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(less_string) {
    r[ip->a].bits = text_of(r[ip->b].word()) < text_of(r[ip->c].word()) ? 1 : 0;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(less_equal_string) {
    r[ip->a].bits = text_of(r[ip->b].word()) <= text_of(r[ip->c].word()) ? 1 : 0;
    GYRE_VELA_GO_ON;
}

}  // namespace gyre::vela::vm
