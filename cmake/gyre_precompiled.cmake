# SPDX-License-Identifier: Apache-2.0
# With GYRE_PRECOMPILE, what nearly every program includes is parsed once: GoogleTest and the
# standard headers. No source may lean on that: a build without it, as release is, finds the include
# that is missing.

# gyre_precompile(TARGET): it takes the headers from a target that all programs share, so none of
# its options may differ from theirs.
function(gyre_precompile target)
    if(GYRE_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM precompiled_headers)
    endif()
endfunction()

if(NOT GYRE_PRECOMPILE)
    return()
endif()
set(source "${PROJECT_BINARY_DIR}/precompiled_headers.cpp")
file(CONFIGURE OUTPUT "${source}" CONTENT "")
add_library(precompiled_headers OBJECT "${source}")
# Compiled as for a program, not as for a library.
set_target_properties(precompiled_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_options(precompiled_headers PRIVATE -fPIE)
gyre_program_options(precompiled_headers)
target_precompile_headers(
    precompiled_headers PRIVATE
    <algorithm> <array> <atomic> <chrono> <coroutine> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
    <deque> <exception> <expected> <functional> <map> <memory> <mutex> <optional> <set> <span>
    <stdexcept> <string> <string_view> <thread> <tuple> <type_traits> <unordered_map> <utility>
    <variant> <vector>)
if(GYRE_TESTS)
    target_link_libraries(precompiled_headers PRIVATE GTest::gtest)
    target_precompile_headers(precompiled_headers PRIVATE <gtest/gtest.h>)
endif()
