// SPDX-License-Identifier: Apache-2.0
// check_await_temporary: refuses what g++ 12 compiles wrongly. That compiler destroys a temporary of
// a co_await expression twice if it is a lambda or an aggregate with a destructor
// (docs/guide/compilers.md). For functions whose result is awaited where they are called: `T` is
// the type of a forwarding reference.
#pragma once

#include <type_traits>

#include "gyre/task/core/detail/coroutine.hpp"

namespace gyre {

// A type that can only be moved passes: its owner has a name in most cases, and could not be given
// in another way.
template <class T>
[[nodiscard]] consteval bool is_destroyed_twice() {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12
    constexpr bool is_broken_kind = std::is_aggregate_v<T> || is_capturing_lambda<T>();
    return !std::is_reference_v<T> && !std::is_trivially_destructible_v<T> &&
           std::is_copy_constructible_v<T> && is_broken_kind;
#else
    return false;
#endif
}

template <class... T>
consteval void check_await_temporary() {
    static_assert((!is_destroyed_twice<T>() && ...),
                  "g++ 12 would destroy this argument twice inside a co_await: give it a name, and "
                  "pass that without std::move");
}

}  // namespace gyre
