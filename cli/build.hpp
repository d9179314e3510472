// SPDX-License-Identifier: Apache-2.0
// What this program was built with, in one line. Any thread.
#pragma once

#include <string>

#include "gyre/base/version.hpp"

namespace gyre::cli {

[[nodiscard]] inline std::string build_line() {
#ifdef __clang__
    constexpr const char* compiler = "clang " __clang_version__;
#else
    constexpr const char* compiler = "g++ " __VERSION__;
#endif
    return "gyre " + std::string(version_string) + ", built with " + compiler;
}

}  // namespace gyre::cli
