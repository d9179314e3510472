// SPDX-License-Identifier: Apache-2.0
// The version of gyre that a program was compiled against. Constants: any thread, any time. The
// build refuses to configure where they differ from the version in CMakeLists.txt.
#pragma once

#include <string_view>

namespace gyre {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;
inline constexpr std::string_view version_string = "0.1.0";

}  // namespace gyre
