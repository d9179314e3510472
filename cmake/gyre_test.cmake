# SPDX-License-Identifier: Apache-2.0
# How tests and fuzz targets become executables and entries of ctest.
include(GoogleTest)

# gyre_test(NAME test_x SOURCES ... LIBS ...): one GoogleTest executable; every TEST in it is an
# entry of ctest of its own, named x.Suite.sentence.
function(gyre_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LIBS")
    if(NOT TARGET gyre_test_main)
        add_library(gyre_test_main OBJECT "${PROJECT_SOURCE_DIR}/tests/support/main.cpp")
        target_link_libraries(gyre_test_main PUBLIC GTest::gtest)
        gyre_program_options(gyre_test_main)
    endif()
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBS} gyre_test_main rapidcheck
                                              rapidcheck_gtest)
    target_compile_features(${arg_NAME} PRIVATE cxx_std_23)
    target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
    gyre_program_options(${arg_NAME})
    gyre_precompile(${arg_NAME})
    string(REGEX REPLACE "^test_" "" prefix "${arg_NAME}")
    # The timeout only ends a hung test; no test measures time.
    gtest_discover_tests(
        ${arg_NAME}
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 600
        TEST_PREFIX "${prefix}."
        PROPERTIES TIMEOUT 600)
endfunction()

# gyre_fuzz(SOURCE x.fuzz.cpp LIBS ...): the program bin/fuzz_x, which as a test replays the committed
# corpus, corpus/x/ beside the source. With GYRE_FUZZES it is the fuzzer too.
function(gyre_fuzz)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE" "LIBS")
    if(NOT GYRE_TESTS)
        return()
    endif()
    get_filename_component(folder "${arg_SOURCE}" DIRECTORY)
    get_filename_component(stem "${arg_SOURCE}" NAME)
    string(REGEX REPLACE "\\.fuzz\\.cpp$" "" stem "${stem}")
    set(corpus "${folder}/corpus/${stem}")
    add_executable(fuzz_${stem} ${arg_SOURCE})
    target_link_libraries(fuzz_${stem} PRIVATE ${arg_LIBS})
    target_compile_features(fuzz_${stem} PRIVATE cxx_std_23)
    set(arguments "${corpus}")
    if(GYRE_FUZZES)
        target_compile_options(fuzz_${stem} PRIVATE -fsanitize=fuzzer-no-link)
        target_link_options(fuzz_${stem} PRIVATE -fsanitize=fuzzer)
        # ./dev fuzz reads this list: a target and its corpus a line.
        set_property(GLOBAL APPEND_STRING PROPERTY GYRE_FUZZERS "fuzz_${stem} ${corpus}\n")
        if(NOT TARGET fuzzers)
            add_custom_target(fuzzers)
        endif()
        add_dependencies(fuzzers fuzz_${stem})
        # Each input once, and nothing made up.
        list(PREPEND arguments -runs=0)
    else()
        target_sources(fuzz_${stem} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/fuzz_replay.cpp")
    endif()
    add_test(NAME fuzz.${stem}.corpus_replays COMMAND fuzz_${stem} ${arguments})
    set_tests_properties(fuzz.${stem}.corpus_replays PROPERTIES TIMEOUT 600)
endfunction()

# Every public header compiled alone, so that none leans on what another happens to include. A source
# that begins with a header has done that already; which do is seen when this is configured.
function(gyre_headers_alone)
    get_property(headers GLOBAL PROPERTY GYRE_HEADERS)
    get_property(modules GLOBAL PROPERTY GYRE_DECLARED)
    foreach(module IN LISTS modules)
        foreach(target IN ITEMS gyre_${module} test_${module})
            gyre_first_headers(first_headers ${target})
            if(first_headers)
                list(REMOVE_ITEM headers ${first_headers})
            endif()
        endforeach()
    endforeach()
    set(sources "")
    foreach(header IN LISTS headers)
        file(RELATIVE_PATH header "${PROJECT_SOURCE_DIR}" "${header}")
        string(REGEX REPLACE "[/.]" "_" name "${header}")
        set(source "${PROJECT_BINARY_DIR}/headers_alone/${name}.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
        list(APPEND sources "${source}")
    endforeach()
    if(sources)
        add_library(headers_alone OBJECT ${sources})
        list(TRANSFORM modules PREPEND gyre_)
        target_link_libraries(headers_alone PRIVATE ${modules})
    endif()
endfunction()

# The headers of gyre with which the sources of a target begin. None where that proves nothing:
# precompiled headers come before, in one unit only the first source begins (of the other modules asan
# compiles every source by itself), and a folder that the target alone looks into is not its users'.
function(gyre_first_headers result target)
    set(${result} "" PARENT_SCOPE)
    if(NOT TARGET ${target} OR (GYRE_PRECOMPILE AND target MATCHES "^test_"))
        return()
    endif()
    get_target_property(type ${target} TYPE)
    get_target_property(is_one_unit ${target} GYRE_ONE_UNIT)
    get_target_property(folders ${target} INCLUDE_DIRECTORIES)
    get_target_property(users_folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(type STREQUAL "INTERFACE_LIBRARY" OR is_one_unit
       OR NOT (folders STREQUAL users_folders OR folders STREQUAL PROJECT_SOURCE_DIR))
        return()
    endif()
    set(first_headers "")
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    foreach(source IN LISTS sources)
        if(NOT EXISTS "${source}")
            continue()  # made by the build
        endif()
        file(STRINGS "${source}" first LIMIT_COUNT 1 REGEX "^#")
        if(first MATCHES "^#include \"((gyre|lang)/[^\"]*)\"")
            list(APPEND first_headers "${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_1}")
        endif()
    endforeach()
    set(${result} ${first_headers} PARENT_SCOPE)
endfunction()
