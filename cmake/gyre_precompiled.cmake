# SPDX-License-Identifier: Apache-2.0
# With GYRE_PRECOMPILE, what nearly every test includes is parsed once: GoogleTest and the standard
# headers. The library's own sources are compiled without it, so that a missing include of
# theirs is found.

# gyre_precompile(TARGET): it takes the headers from a target that all programs share, so none of
# its options may differ from theirs.
function(gyre_precompile target)
    if(GYRE_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM precompiled_headers)
        gyre_cache_precompiled(${target})
        # What GoogleTest's target defines: g++ takes the header only where all definitions agree.
        target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)
    endif()
endfunction()

# A precompiled header holds paths: what is made with one serves no other folder.
function(gyre_cache_precompiled target)
    if(GYRE_CCACHE)
        set_target_properties(
            ${target} PROPERTIES CXX_COMPILER_LAUNCHER
            "env;CCACHE_DEPEND=1;CCACHE_SLOPPINESS=pch_defines,time_macros;CCACHE_BASEDIR=;${GYRE_CCACHE}")
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
gyre_cache_precompiled(precompiled_headers)
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
