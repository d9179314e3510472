// SPDX-License-Identifier: Apache-2.0
// The version of gyre that a program was compiled with. The build fails to configure if it differs
// from the version in CMakeLists.txt.
//
//     std::printf("gyre %s\n", std::string(version_string).c_str());
//
// Thread: any; constants.
// Lifetime: constants.
#pragma once

#include "gyre/base/detail/compiler.hpp"  // first: checks the compiler

#include <string_view>

namespace gyre {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;
inline constexpr std::string_view version_string = "0.1.0";

}  // namespace gyre
