// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/detail/append_format.hpp"

#include <cstdarg>
#include <cstdio>

#include "gyre/base/assert.hpp"

namespace gyre {

void append_format(std::string& text, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::va_list again;
    va_copy(again, arguments);
    const int size = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    GYRE_ASSERT(size >= 0, "a format of a report is wrong: %s", format);
    const std::size_t before = text.size();
    // One more for the end mark of C, which is cut off again.
    text.resize(before + static_cast<std::size_t>(size) + 1);
    std::vsnprintf(text.data() + before, static_cast<std::size_t>(size) + 1, format, again);
    va_end(again);
    text.pop_back();
}

}  // namespace gyre
