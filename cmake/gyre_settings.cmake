# SPDX-License-Identifier: Apache-2.0
# Compiler settings of gyre's own targets. All of them are directory properties of this project, so a
# project that adds gyre as a sub-directory never sees them.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Function names in the backtrace of a failed assertion.
set(CMAKE_ENABLE_EXPORTS ON)
# A static gyre may be linked into somebody's shared library.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Nobody replaces single functions of gyre at load time. Without this g++ leaves that open for
# position-independent code, and so inlines none of them into another, not even within a file.
# And it would join the two links of a list into one vector register: built there for one store,
# they are read again one by one a moment later, and come back late.
add_compile_options(
    "$<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition;-fno-tree-slp-vectorize>")

# While the major version is 0, a minor version may break the binary interface.
set(GYRE_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(GYRE_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(GYRE_CCACHE ccache)
mark_as_advanced(GYRE_CCACHE)
if(GYRE_SHARE_CACHE)
    # No path of a clone gets into what is compiled: assertions, places of awaits, debug information. A precompiled
    # header would hold some.
    set(GYRE_PRECOMPILE OFF)
    add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
endif()
if(GYRE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    if(GYRE_SHARE_CACHE)
        # The preprocessed text decides, for the source that unites a module names its files by absolute paths.
        set(CMAKE_CXX_COMPILER_LAUNCHER
            env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${GYRE_CCACHE}")
    else()
        # By the compiler's own list of what it read: otherwise ccache preprocesses first whatever it
        # does not have yet.
        set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_DEPEND=1 "${GYRE_CCACHE}")
    endif()
endif()
if(GYRE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # ccache may put the header back: its time is that of no file.
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

if(PROJECT_IS_TOP_LEVEL)
    add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
endif()
if(GYRE_WERROR)
    add_compile_options(-Werror)
endif()

set(GYRE_SANITIZER_FLAGS "")
set(GYRE_FUZZES FALSE)
if(GYRE_SANITIZE STREQUAL "address")
    set(GYRE_SANITIZER_FLAGS -fsanitize=address,undefined)
    # Fuzzing wants the same sanitizers: one build serves both.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        set(GYRE_FUZZES TRUE)
    endif()
elseif(GYRE_SANITIZE STREQUAL "thread")
    set(GYRE_SANITIZER_FLAGS -fsanitize=thread)
elseif(NOT GYRE_SANITIZE STREQUAL "")
    message(FATAL_ERROR "GYRE_SANITIZE is '${GYRE_SANITIZE}'; it must be address, thread or empty.")
endif()
if(GYRE_SANITIZER_FLAGS)
    add_compile_options(${GYRE_SANITIZER_FLAGS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(${GYRE_SANITIZER_FLAGS})
    # The libraries of the sanitizers are large, and every program has them.
    find_program(GYRE_LLD NAMES ld.lld-19 ld.lld)
    mark_as_advanced(GYRE_LLD)
    if(GYRE_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        add_link_options("--ld-path=${GYRE_LLD}")
    endif()
endif()

# What is tested is optimised, the test programs around it are less: they take half the time to build.
# g++ needs the flag for the transfer from one coroutine to the next, which would use up the stack.
function(gyre_program_options target)
    if(GYRE_SANITIZE)
        target_compile_options(${target} PRIVATE -O0)
    elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -O1 -foptimize-sibling-calls)
    endif()
endfunction()
