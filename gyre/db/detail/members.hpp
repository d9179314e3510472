// SPDX-License-Identifier: Apache-2.0
// member_count, MemberOf: the members of an aggregate or the elements of a tuple, by position, for
// rows that are read as structs. Up to twelve members.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gyre::db {

inline constexpr std::size_t member_count_max = 12;

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
                          "a struct for rows has 1 to 12 members");
            return count;
        } else {
            return member_count<T, count - 1>();
        }
    }
}

// The types of the members, as a tuple of values.
template <class T>
[[nodiscard]] auto members_of(T& of) {
    constexpr std::size_t count = member_count<T>();
    const auto types = [](auto&... member) {
        return std::tuple<std::remove_cvref_t<decltype(member)>...>(member...);
    };
    if constexpr (count == 1) {
        auto& [a] = of;
        return types(a);
    } else if constexpr (count == 2) {
        auto& [a, b] = of;
        return types(a, b);
    } else if constexpr (count == 3) {
        auto& [a, b, c] = of;
        return types(a, b, c);
    } else if constexpr (count == 4) {
        auto& [a, b, c, d] = of;
        return types(a, b, c, d);
    } else if constexpr (count == 5) {
        auto& [a, b, c, d, e] = of;
        return types(a, b, c, d, e);
    } else if constexpr (count == 6) {
        auto& [a, b, c, d, e, f] = of;
        return types(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
        auto& [a, b, c, d, e, f, g] = of;
        return types(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
        auto& [a, b, c, d, e, f, g, h] = of;
        return types(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = of;
        return types(a, b, c, d, e, f, g, h, i);
    } else if constexpr (count == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = of;
        return types(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (count == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = of;
        return types(a, b, c, d, e, f, g, h, i, j, k);
    } else {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = of;
        return types(a, b, c, d, e, f, g, h, i, j, k, l);
    }
}

template <std::size_t index, class T>
using MemberOf = std::tuple_element_t<index, decltype(members_of(std::declval<T&>()))>;

}  // namespace gyre::db
