// SPDX-License-Identifier: Apache-2.0
// The compiler features that gyre requires, checked before any other error; and the attributes it
// uses.
#pragma once

// clang-format off
#if __cplusplus <= 202002L
#    error "gyre needs C++23: compile with -std=c++23 (in CMake, link gyre::gyre, which asks for it)"
#    include "gyre needs -std=c++23"  // A missing include ends the compilation.
#elif (defined(__clang__) && __clang_major__ < 17) || (!defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12)
#    error "gyre needs g++ 12 or clang 17, or newer"
#    include "gyre needs a newer compiler"
#endif
// clang-format on

// For the few small functions that every await goes through: a coroutine is a large function, into
// which compilers rarely inline, although it pays most there.
#define GYRE_ALWAYS_INLINE [[gnu::always_inline]] inline
