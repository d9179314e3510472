// SPDX-License-Identifier: Apache-2.0
// GYRE_ASSERT: aborts the program with a message that says what to do, the source location and a
// backtrace. For programmer's errors; an operating error is a Result. On in every build.
//
//     GYRE_ASSERT(count <= room, "%zu items for %zu places: check the size first", count, room);
//
// Thread: any.
// Lifetime: the arguments are used only during the call.
#pragma once

#include "gyre/base/detail/compiler.hpp"  // first: checks the compiler

#ifndef GYRE_DEBUG_CHECKS
#    define GYRE_DEBUG_CHECKS 0
#endif

namespace gyre {

// Prints the message (printf format), the condition, the source location and a backtrace, then
// aborts.
[[noreturn, gnu::cold, gnu::format(printf, 4, 5)]] void assertion_failed(const char* condition,
                                                                         const char* file, int line,
                                                                         const char* message, ...);

}  // namespace gyre

#define GYRE_ASSERT(condition, ...) \
    (static_cast<bool>(condition)   \
         ? static_cast<void>(0)     \
         : ::gyre::assertion_failed(#condition, __FILE__, __LINE__, __VA_ARGS__))

// For checks that cost more than a compare: active only in builds that define GYRE_DEBUG_CHECKS as
// 1.
#define GYRE_DEBUG_ASSERT(condition, ...) \
    ((GYRE_DEBUG_CHECKS) ? GYRE_ASSERT(condition, __VA_ARGS__) : static_cast<void>(0))
