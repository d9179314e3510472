// SPDX-License-Identifier: Apache-2.0
// Operators, literals, and the elements of sequences.
#include <charconv>
#include <cmath>
#include <limits>

#include "lang/vela/reference/natives.hpp"

namespace gyre::vela {
namespace {

bool is_numeric(const Value& value) {
    return value.number() != nullptr || value.real() != nullptr;
}

double as_real(const Value& value) {
    return value.real() != nullptr ? *value.real() : static_cast<double>(*value.number());
}

[[noreturn]] void overflow(Runtime& runtime) {
    runtime.fail("OverflowError", "Number overflow");
}

Value power(Runtime& runtime, std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) runtime.fail("Error", "Negative exponent");
    std::int64_t result = 1;
    // Powers of 0, 1 and -1 are computed without a loop.
    if (base == 0 || base == 1) return exponent == 0 ? std::int64_t{1} : base;
    if (base == -1) return exponent % 2 == 0 ? std::int64_t{1} : base;
    for (; exponent > 0; --exponent) {
        if (__builtin_mul_overflow(result, base, &result)) overflow(runtime);
    }
    return result;
}

Value on_numbers(Runtime& runtime, TokenKind op, std::int64_t a, std::int64_t b) {
    using enum TokenKind;
    std::int64_t result = 0;
    bool is_overflow = false;
    switch (op) {
        case plus:
            is_overflow = __builtin_add_overflow(a, b, &result);
            break;
        case minus:
            is_overflow = __builtin_sub_overflow(a, b, &result);
            break;
        case star:
            is_overflow = __builtin_mul_overflow(a, b, &result);
            break;
        case slash:
        case percent:
            if (b == 0) runtime.fail("Error", "Division by zero");
            is_overflow = b == -1 && a == std::numeric_limits<std::int64_t>::min();
            if (!is_overflow) result = op == slash ? a / b : a % b;
            break;
        case star_star:
            return power(runtime, a, b);
        default:
            throw InternalError{"an operator that is none"};
    }
    if (is_overflow) overflow(runtime);
    return result;
}

Value on_reals(TokenKind op, double a, double b) {
    using enum TokenKind;
    switch (op) {
        case plus:
            return a + b;
        case minus:
            return a - b;
        case star:
            return a * b;
        case slash:
            return a / b;
        case percent:
            return std::fmod(a, b);
        case star_star:
            return std::pow(a, b);
        default:
            throw InternalError{"an operator that is none"};
    }
}

template <class T>
bool compared(TokenKind op, const T& a, const T& b) {
    using enum TokenKind;
    if (op == less) return a < b;
    if (op == less_equal) return a <= b;
    if (op == greater) return a > b;
    return a >= b;
}

}  // namespace

Value binary(Runtime& runtime, TokenKind op, const Value& left, const Value& right) {
    using enum TokenKind;
    if (op == equal) return are_equal(left, right);
    if (op == not_equal) return !are_equal(left, right);
    const auto* text = left.as<Text>();
    const bool is_text = text != nullptr || right.as<Text>() != nullptr;
    if (op == plus && is_text) return runtime.heap.text(printed(left) + printed(right));
    const bool is_comparison =
        op == less || op == less_equal || op == greater || op == greater_equal;
    if (is_comparison && text != nullptr) return compared(op, text->text, text_of(right));
    if (!is_numeric(left) || !is_numeric(right)) {
        throw InternalError{"an operator on " + printed(left) + " and " + printed(right)};
    }
    const bool are_numbers = left.number() != nullptr && right.number() != nullptr;
    if (is_comparison) {
        if (are_numbers) return compared(op, *left.number(), *right.number());
        return compared(op, as_real(left), as_real(right));
    }
    if (are_numbers) return on_numbers(runtime, op, *left.number(), *right.number());
    return on_reals(op, as_real(left), as_real(right));
}

Value unary(Runtime& runtime, TokenKind op, const Value& operand) {
    using enum TokenKind;
    if (op == bang) return !*operand.truth();
    if (operand.real() != nullptr) return -*operand.real();
    return on_numbers(runtime, minus, 0, *operand.number());
}

Value range(Runtime& runtime, const Value& first, const Value& last, bool inclusive) {
    return runtime.heap.make<Range>(*first.number(), *last.number(), inclusive);
}

Values items_of(Runtime& runtime, const Value& sequence) {
    if (const auto* list = sequence.as<List>()) return list->items;
    if (const auto* of = sequence.as<Range>()) {
        Values items;
        if (of->last < of->first) return items;
        // Counted, since there is no Number behind the greatest one.
        const auto first = static_cast<std::uint64_t>(of->first);
        const std::uint64_t distance = static_cast<std::uint64_t>(of->last) - first;
        const std::uint64_t count = distance + (of->is_inclusive ? 1 : 0);
        for (std::uint64_t i = 0; i < count; ++i) {
            runtime.count_step();
            items.emplace_back(static_cast<std::int64_t>(first + i));
        }
        return items;
    }
    if (const auto* map = sequence.as<Map>()) {
        Values items;
        for (const auto& [key, value] : map->entries) {
            items.emplace_back(runtime.heap.make<Tuple>(Values{key, value}));
        }
        return items;
    }
    throw InternalError{"no sequence: " + printed(sequence)};
}

Value element(Runtime& runtime, const Value& sequence, const Value& position) {
    const std::int64_t index = *position.number();
    const Values items = items_of(runtime, sequence);
    if (index < 0 || index >= static_cast<std::int64_t>(items.size())) {
        runtime.fail("Error", "Index " + std::to_string(index) + " is out of range");
    }
    return items[static_cast<std::size_t>(index)];
}

void set_element(Runtime& runtime, const Value& sequence, const Value& position, Value value) {
    static_cast<void>(element(runtime, sequence, position));
    auto* list = sequence.as<List>();
    if (list == nullptr) runtime.fail("Error", "A range cannot be changed");
    list->items[static_cast<std::size_t>(*position.number())] = value;
}

std::string unescaped(std::string_view raw) {
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\' || i + 1 == raw.size()) {
            text += raw[i];
            continue;
        }
        const char escape = raw[++i];
        switch (escape) {
            case 'n':
                text += '\n';
                break;
            case 't':
                text += '\t';
                break;
            case 'r':
                text += '\r';
                break;
            case '0':
                text += '\0';
                break;
            default:
                text += escape;
        }
    }
    return text;
}

Value integer_literal(std::string_view digits, bool is_negative) {
    int base = 10;
    if (digits.starts_with("0x")) base = 16;
    if (digits.starts_with("0b")) base = 2;
    if (base != 10) digits.remove_prefix(2);
    std::uint64_t value = 0;
    std::from_chars(digits.begin(), digits.end(), value, base);
    return static_cast<std::int64_t>(is_negative ? 0 - value : value);
}

}  // namespace gyre::vela
