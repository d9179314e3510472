// SPDX-License-Identifier: Apache-2.0
// Stands in for gyre/base/assert.cpp in the model checker's tests: an assertion that fails in the
// source under test ends the run with its schedule instead of the program.
#include "gyre/base/assert.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine.hpp"

namespace gyre {

void assertion_failed(const char* condition, const char* file, int line, const char* message, ...) {
    std::array<char, 512> text{};
    std::va_list arguments;
    va_start(arguments, message);
    std::vsnprintf(text.data(), text.size(), message, arguments);
    va_end(arguments);

    const std::string report = std::string("assertion failed: ") + text.data() + " (" + condition +
                               ") at " + file + ":" + std::to_string(line);
    if (model::Engine* engine = model::Engine::current()) engine->fail(report);
    std::fprintf(stderr, "%s\n", report.c_str());
    std::abort();
}

}  // namespace gyre
