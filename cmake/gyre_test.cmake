# SPDX-License-Identifier: Apache-2.0
# How tests and fuzz targets become executables and entries of ctest.
include(GoogleTest)

# gyre_test(NAME test_x SOURCES ... LIBS ...): one GoogleTest executable; every TEST in it is an
# entry of ctest of its own, named x.Suite.sentence.
function(gyre_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LIBS")
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBS} GTest::gtest_main rapidcheck
                                              rapidcheck_gtest)
    target_compile_features(${arg_NAME} PRIVATE cxx_std_23)
    target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
    if(GYRE_SANITIZE)
        # What is tested is optimised, the tests are not: they take half the time to build.
        target_compile_options(${arg_NAME} PRIVATE -O0)
    endif()
    string(REGEX REPLACE "^test_" "" prefix "${arg_NAME}")
    # The timeout only ends a hung test; no test measures time.
    gtest_discover_tests(
        ${arg_NAME}
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 60
        TEST_PREFIX "${prefix}."
        PROPERTIES TIMEOUT 240)
endfunction()

# gyre_fuzz(SOURCE x.fuzz.cpp LIBS ...): with GYRE_FUZZ the fuzzer bin/fuzz_x; otherwise, with the
# tests, the same target that replays its committed corpus, corpus/x/ beside the source.
function(gyre_fuzz)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE" "LIBS")
    if(NOT GYRE_FUZZ AND NOT GYRE_TESTS)
        return()
    endif()
    get_filename_component(folder "${arg_SOURCE}" DIRECTORY)
    get_filename_component(stem "${arg_SOURCE}" NAME)
    string(REGEX REPLACE "\\.fuzz\\.cpp$" "" stem "${stem}")
    set(corpus "${folder}/corpus/${stem}")
    add_executable(fuzz_${stem} ${arg_SOURCE})
    target_link_libraries(fuzz_${stem} PRIVATE ${arg_LIBS})
    target_compile_features(fuzz_${stem} PRIVATE cxx_std_23)
    if(GYRE_FUZZ)
        target_link_options(fuzz_${stem} PRIVATE -fsanitize=fuzzer)
        # ./dev fuzz reads this list: a target and its corpus a line.
        set_property(GLOBAL APPEND_STRING PROPERTY GYRE_FUZZERS "fuzz_${stem} ${corpus}\n")
        if(NOT TARGET fuzzers)
            add_custom_target(fuzzers)
        endif()
        add_dependencies(fuzzers fuzz_${stem})
    else()
        target_sources(fuzz_${stem} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/fuzz_replay.cpp")
        add_test(NAME fuzz.${stem}.corpus_replays COMMAND fuzz_${stem} "${corpus}")
        set_tests_properties(fuzz.${stem}.corpus_replays PROPERTIES TIMEOUT 600)
    endif()
endfunction()

# Every header compiled alone, so that none leans on what another happens to include.
function(gyre_headers_alone)
    get_property(headers GLOBAL PROPERTY GYRE_HEADERS)
    get_property(modules GLOBAL PROPERTY GYRE_MODULES)
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
