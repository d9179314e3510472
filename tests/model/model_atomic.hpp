// SPDX-License-Identifier: Apache-2.0
// What stands behind gyre::Atomic in the model checker's tests: the same members as std::atomic,
// but each access is a step of the explored schedule. Outside of a run it is a plain variable. It
// keeps values of 1, 2, 4 or 8 bytes.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "memory.hpp"

namespace model {

// The running thread lets all others go first; it goes on once one of them has written something,
// or when no other can run.
void yield() noexcept;

namespace detail {

std::uint64_t load(Cell& cell, std::memory_order order) noexcept;
void store(Cell& cell, std::memory_order order, std::uint64_t value) noexcept;
std::uint64_t update(const char* operation, Cell& cell, std::memory_order order, Update compute,
                     std::uint64_t argument) noexcept;
bool compare_exchange(Cell& cell, std::uint64_t& expected, const Exchange& exchange) noexcept;

template <std::size_t Size>
using Word = std::conditional_t<
    Size == 1, std::uint8_t,
    std::conditional_t<Size == 2, std::uint16_t,
                       std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>>;

template <typename T>
constexpr std::uint64_t to_bits(T value) noexcept {
    return std::bit_cast<Word<sizeof(T)>>(value);
}

template <typename T>
constexpr T from_bits(std::uint64_t bits) noexcept {
    return std::bit_cast<T>(static_cast<Word<sizeof(T)>>(bits));
}

// As in the standard: the order of a failed compare-exchange is that of its load.
constexpr std::memory_order failure_order(std::memory_order order) noexcept {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    if (order == std::memory_order_release) return std::memory_order_relaxed;
    return order;
}

}  // namespace detail

template <typename T>
class Atomic {
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
    using Order = std::memory_order;
    using Difference = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

public:
    constexpr Atomic() noexcept : Atomic(T{}) {}
    constexpr Atomic(T value) noexcept : cell_{.newest = detail::to_bits(value)} {}
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(Order order = Order::seq_cst) const noexcept {
        return detail::from_bits<T>(detail::load(cell_, order));
    }
    void store(T value, Order order = Order::seq_cst) noexcept {
        detail::store(cell_, order, detail::to_bits(value));
    }
    T exchange(T value, Order order = Order::seq_cst) noexcept {
        return change("exchange", order, value, [](T, T argument) { return argument; });
    }

    bool compare_exchange_strong(T& expected, T desired, Order success, Order failure) noexcept {
        return compare_exchange(expected, desired, {0, success, failure, false});
    }
    bool compare_exchange_strong(T& expected, T desired, Order order = Order::seq_cst) noexcept {
        return compare_exchange_strong(expected, desired, order, detail::failure_order(order));
    }
    bool compare_exchange_weak(T& expected, T desired, Order success, Order failure) noexcept {
        return compare_exchange(expected, desired, {0, success, failure, true});
    }
    bool compare_exchange_weak(T& expected, T desired, Order order = Order::seq_cst) noexcept {
        return compare_exchange_weak(expected, desired, order, detail::failure_order(order));
    }

    T fetch_add(Difference by, Order order = Order::seq_cst) noexcept {
        return change("fetch_add", order, by,
                      [](T old, Difference argument) { return static_cast<T>(old + argument); });
    }
    T fetch_sub(Difference by, Order order = Order::seq_cst) noexcept {
        return change("fetch_sub", order, by,
                      [](T old, Difference argument) { return static_cast<T>(old - argument); });
    }
    T fetch_or(T bits, Order order = Order::seq_cst) noexcept {
        return change("fetch_or", order, bits,
                      [](T old, T argument) { return static_cast<T>(old | argument); });
    }
    T fetch_and(T bits, Order order = Order::seq_cst) noexcept {
        return change("fetch_and", order, bits,
                      [](T old, T argument) { return static_cast<T>(old & argument); });
    }

private:
    template <typename Argument, typename Compute>
    T change(const char* operation, Order order, Argument argument, Compute) noexcept {
        // Through a plain function, so that the memory need not know the type.
        const Update compute = [](std::uint64_t old, std::uint64_t bits) {
            return detail::to_bits(
                Compute{}(detail::from_bits<T>(old), detail::from_bits<Argument>(bits)));
        };
        return detail::from_bits<T>(
            detail::update(operation, cell_, order, compute, detail::to_bits(argument)));
    }

    bool compare_exchange(T& expected, T desired, Exchange exchange) noexcept {
        exchange.desired = detail::to_bits(desired);
        std::uint64_t bits = detail::to_bits(expected);
        const bool is_done = detail::compare_exchange(cell_, bits, exchange);
        if (!is_done) expected = detail::from_bits<T>(bits);
        return is_done;
    }

    mutable Cell cell_;
};

}  // namespace model
