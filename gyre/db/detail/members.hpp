// SPDX-License-Identifier: Apache-2.0
// member_count, MemberOf: the members of an aggregate or the elements of a tuple, by position, for
// rows that are read as structs. Up to 24 members.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gyre::db {

inline constexpr std::size_t member_count_max = 24;

struct AnyMember {
    std::size_t unused;
    template <class T>
    operator T() const;
};

template <class T, std::size_t... i>
[[nodiscard]] consteval bool takes_members(std::index_sequence<i...> /*unused*/) {
    return requires { T{AnyMember{i}...}; };
}

template <class T, std::size_t count = member_count_max + 1>
[[nodiscard]] consteval std::size_t member_count() {
    if constexpr (requires { std::tuple_size<T>::value; }) {
        return std::tuple_size_v<T>;
    } else {
        static_assert(std::is_aggregate_v<T>,
                      "a row is read as a type that a column fits, as a tuple, or as a struct "
                      "without constructors and bases");
        if constexpr (count == 0 || takes_members<T>(std::make_index_sequence<count>())) {
            static_assert(count != 0 && count <= member_count_max,
                          "a struct for rows has 1 to 24 members");
            return count;
        } else {
            return member_count<T, count - 1>();
        }
    }
}

template <class... Members>
[[nodiscard]] std::tuple<std::remove_cvref_t<Members>...> values_like(Members&... members) {
    return {members...};
}

template <std::size_t count, class T>
[[nodiscard]] auto many_members_of(T& of) {
    if constexpr (count == 13) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m);
    } else if constexpr (count == 14) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
    } else if constexpr (count == 15) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    } else if constexpr (count == 16) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    } else if constexpr (count == 17) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
    } else if constexpr (count == 18) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
    } else if constexpr (count == 19) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
    } else if constexpr (count == 20) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
    } else if constexpr (count == 21) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
    } else if constexpr (count == 22) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
    } else if constexpr (count == 23) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
    } else {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
    }
}

// The types of the members, as a tuple of values.
template <class T>
[[nodiscard]] auto members_of(T& of) {
    constexpr std::size_t count = member_count<T>();
    if constexpr (count == 1) {
        auto& [a] = of;
        return values_like(a);
    } else if constexpr (count == 2) {
        auto& [a, b] = of;
        return values_like(a, b);
    } else if constexpr (count == 3) {
        auto& [a, b, c] = of;
        return values_like(a, b, c);
    } else if constexpr (count == 4) {
        auto& [a, b, c, d] = of;
        return values_like(a, b, c, d);
    } else if constexpr (count == 5) {
        auto& [a, b, c, d, e] = of;
        return values_like(a, b, c, d, e);
    } else if constexpr (count == 6) {
        auto& [a, b, c, d, e, f] = of;
        return values_like(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
        auto& [a, b, c, d, e, f, g] = of;
        return values_like(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
        auto& [a, b, c, d, e, f, g, h] = of;
        return values_like(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = of;
        return values_like(a, b, c, d, e, f, g, h, i);
    } else if constexpr (count == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (count == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k);
    } else if constexpr (count == 12) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = of;
        return values_like(a, b, c, d, e, f, g, h, i, j, k, l);
    } else {
        return many_members_of<count>(of);
    }
}

template <std::size_t index, class T>
using MemberOf = std::tuple_element_t<index, decltype(members_of(std::declval<T&>()))>;

}  // namespace gyre::db
