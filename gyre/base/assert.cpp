// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/assert.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace gyre {

void assertion_failed(const char* condition, const char* file, int line, const char* message, ...) {
    std::array<char, 1024> text{};
    std::va_list arguments;
    va_start(arguments, message);
    std::vsnprintf(text.data(), text.size(), message, arguments);
    va_end(arguments);

    std::fprintf(stderr, "gyre: assertion failed: %s\n  %s\n  at %s:%d\nbacktrace:\n", text.data(),
                 condition, file, line);
    std::fflush(stderr);

    // Written directly to the descriptor, since the heap may be corrupt.
    std::array<void*, 64> frames{};
    const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
    std::abort();
}

}  // namespace gyre
