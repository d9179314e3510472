// SPDX-License-Identifier: Apache-2.0
// Assertions: a programmer's error ends the program with a sentence that says what to do, the place
// and a backtrace. They are on in every build. Any thread may fail one.
#pragma once

#ifndef GYRE_DEBUG_CHECKS
#    define GYRE_DEBUG_CHECKS 0
#endif

namespace gyre {

// Prints the message (printf form), the condition, the place and a backtrace, then aborts.
[[noreturn, gnu::cold, gnu::format(printf, 4, 5)]] void assertion_failed(const char* condition,
                                                                         const char* file, int line,
                                                                         const char* message, ...);

}  // namespace gyre

#define GYRE_ASSERT(condition, ...) \
    (static_cast<bool>(condition)   \
         ? static_cast<void>(0)     \
         : ::gyre::assertion_failed(#condition, __FILE__, __LINE__, __VA_ARGS__))

// For checks that cost more than a compare: in the builds that define GYRE_DEBUG_CHECKS as 1.
#define GYRE_DEBUG_ASSERT(condition, ...) \
    ((GYRE_DEBUG_CHECKS) ? GYRE_ASSERT(condition, __VA_ARGS__) : static_cast<void>(0))
