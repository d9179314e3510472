# SPDX-License-Identifier: Apache-2.0
# How a module is declared, in one line of its CMakeLists.txt:
#
#   gyre_module(kernel LAYER 1 DEPENDS base TEST_DEPENDS sim platform)
#
# LAYER 1+ stands above layer 1 and below layer 2.
#
# Its files are found by glob in its folder and below, except in folders that are modules of their
# own. LAYER and DEPENDS are checked in gyre_finish_modules(), once all modules are known, so the
# order in which folders are added does not matter. tools/check_tree reads the same lines.
#
#   DEPENDS       modules of lower layers that its sources may include
#   TEST_DEPENDS  modules of any layer that its tests, fuzz targets and benchmarks may include too
#   ONE_UNIT      its sources are compiled as one unit in every build
#   ONE_THREAD    nothing in it knows of threads: the thread sanitizer has nothing to look for there. With
#                 GYRE_TSAN_ALL it is built with the sanitizer all the same
#   OPTIONAL      a library and its header; where either is missing, files named after the library
#                 (uring.cpp, io_uring_x.hpp) drop out of the build, and GYRE_HAS_<LIBRARY> is 0
#                 instead of 1 in the module and its tests

function(gyre_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ONE_THREAD;ONE_UNIT" "LAYER" "DEPENDS;TEST_DEPENDS;OPTIONAL")
    if(arg_UNPARSED_ARGUMENTS OR NOT DEFINED arg_LAYER)
        message(FATAL_ERROR "gyre_module(${name}): write gyre_module(<name> LAYER <n> [DEPENDS ...] "
                            "[TEST_DEPENDS ...] [ONE_THREAD] [ONE_UNIT] [OPTIONAL <library> <header>])")
    endif()
    if(arg_ONE_THREAD AND GYRE_SANITIZE STREQUAL "thread" AND NOT GYRE_TSAN_ALL)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY GYRE_DECLARED ${name})
    # Doubled, so that half a layer is a whole number too.
    if(NOT arg_LAYER MATCHES "^([0-9]+)([+]?)$")
        message(FATAL_ERROR "gyre_module(${name}): LAYER is a number, or a number and a +")
    endif()
    math(EXPR layer "2 * ${CMAKE_MATCH_1}")
    if(CMAKE_MATCH_2)
        math(EXPR layer "${layer} + 1")
    endif()
    set_property(GLOBAL PROPERTY GYRE_${name}_LAYER ${layer})
    set_property(GLOBAL PROPERTY GYRE_${name}_LAYER_TEXT ${arg_LAYER})
    set_property(GLOBAL PROPERTY GYRE_${name}_DEPENDS "${arg_DEPENDS}")
    set_property(GLOBAL PROPERTY GYRE_${name}_TEST_DEPENDS "${arg_TEST_DEPENDS}")

    gyre_glob_module(sources "*.cpp")
    gyre_glob_module(headers "*.hpp")
    gyre_resolve_optional(${name} "${arg_OPTIONAL}")
    if(optional_missing)
        list(FILTER sources EXCLUDE REGEX "/([^/]*_)?${optional_missing}[^/]*$")
        list(FILTER headers EXCLUDE REGEX "/([^/]*_)?${optional_missing}[^/]*$")
    endif()
    set(public_headers ${headers})
    list(FILTER public_headers EXCLUDE REGEX "/(detail|internal)/|\\.test\\.hpp$")
    set_property(GLOBAL APPEND PROPERTY GYRE_HEADERS ${public_headers})

    set(tests ${sources})
    set(fuzzers ${sources})
    list(FILTER tests INCLUDE REGEX "\\.test\\.cpp$")
    list(FILTER fuzzers INCLUDE REGEX "\\.fuzz\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "\\.(test|fuzz|bench)\\.cpp$")

    set(target gyre_${name})
    if(sources)
        add_library(${target} ${sources} ${headers})
        set(scope PUBLIC)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ${GYRE_UNITY}
                                                   UNITY_BUILD_BATCH_SIZE 0
                                                   GYRE_ONE_UNIT "${arg_ONE_UNIT}")
        if(arg_ONE_UNIT)
            set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
        endif()
        # No symbol for exports: shared or static, a source is compiled in the same way.
        set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} DEFINE_SYMBOL ""
                                                   SOVERSION ${GYRE_SOVERSION})
        if(GYRE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            # It takes the files of a module for headers then, and their own types for shared ones.
            target_compile_options(${target} PRIVATE
                $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
        endif()
        # A program takes only the functions it can reach out of the one unit of a module.
        target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
        target_link_options(${target} INTERFACE -Wl,--gc-sections)
        target_compile_definitions(${target} PUBLIC ${optional_definitions})
        target_link_libraries(${target} PRIVATE ${optional_library})
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    add_library(gyre::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(${target} ${scope} cxx_std_23)
    target_include_directories(
        ${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/lang/")
        # Where its headers find each other by the names they have here.
        target_include_directories(
            ${target} ${scope} $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/gyre>)
    endif()
    list(TRANSFORM arg_DEPENDS PREPEND gyre_)
    target_link_libraries(${target} ${scope} ${arg_DEPENDS})

    list(TRANSFORM arg_TEST_DEPENDS PREPEND gyre_)
    set(test_libraries ${target} ${arg_TEST_DEPENDS} ${optional_library})
    if(GYRE_TESTS AND tests)
        gyre_test(NAME test_${name} SOURCES ${tests} LIBS ${test_libraries})
        target_compile_definitions(test_${name} PUBLIC ${optional_definitions})
    endif()
    if(GYRE_FUZZES AND fuzzers)
        # libFuzzer follows the paths through what it looks for faults in, and only there.
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    foreach(fuzzer IN LISTS fuzzers)
        gyre_fuzz(SOURCE ${fuzzer} LIBS ${test_libraries})
    endforeach()
endfunction()

# Compiles sources of a module with -Os in release builds, as one unit beside that of the module: set-up,
# reports, and calls that are rare or wait for the system anyway.
function(gyre_compile_for_size name)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT TARGET gyre_${name})
        return()
    endif()
    set(target gyre_${name})
    get_target_property(sources ${target} SOURCES)
    set(small "")
    foreach(source IN LISTS ARGN)
        if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
            message(FATAL_ERROR "gyre_compile_for_size(${name}): there is no ${source}")
        endif()
        list(APPEND small "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    endforeach()
    list(REMOVE_ITEM sources ${small})
    set_property(TARGET ${target} PROPERTY SOURCES ${sources})
    add_library(${target}_small OBJECT ${small})
    set_target_properties(${target}_small PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    target_compile_features(${target}_small PRIVATE cxx_std_23)
    target_include_directories(${target}_small PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${target}_small PRIVATE
        $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    target_compile_options(${target}_small PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS> -Os)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # At -Os, g++ 12 takes a std::expected that holds an error for one without a value.
        target_compile_options(${target}_small PRIVATE -Wno-maybe-uninitialized)
    endif()
    get_property(depends GLOBAL PROPERTY GYRE_${name}_DEPENDS)
    list(TRANSFORM depends PREPEND gyre_)
    target_link_libraries(${target}_small PRIVATE ${depends})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_small>)
endfunction()

# Adds every module folder below the current one, in any depth: bridges last, because they look
# whether what they join is built. With GYRE_MODULES only those, and what they depend on.
function(gyre_add_modules)
    file(GLOB_RECURSE list_files CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "CMakeLists.txt")
    set(folders "")
    set(bridges "")
    foreach(list_file IN LISTS list_files)
        get_filename_component(folder "${list_file}" DIRECTORY)
        if(folder MATCHES "^bridge/")
            list(APPEND bridges ${folder})
        elseif(folder)
            list(APPEND folders ${folder})
        endif()
    endforeach()
    foreach(folder IN LISTS folders bridges)
        gyre_is_wanted(is_wanted "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
        if(is_wanted)
            add_subdirectory(${folder})
        endif()
    endforeach()
endfunction()

# Whether the module that a CMakeLists.txt declares is to be built.
function(gyre_is_wanted result list_file)
    set(${result} TRUE PARENT_SCOPE)
    if(NOT GYRE_MODULES)
        return()
    endif()
    gyre_read_modules()
    gyre_wanted_modules(wanted)
    file(STRINGS "${list_file}" declared REGEX "^gyre_module\\(")
    string(REGEX REPLACE "^gyre_module\\(([a-z0-9_]+).*" "\\1" name "${declared}")
    if(NOT name IN_LIST wanted)
        set(${result} FALSE PARENT_SCOPE)
    endif()
endfunction()

# Sets GYRE_READ_<module> to what each gyre_module line names as dependencies, in the caller.
macro(gyre_read_modules)
    file(GLOB_RECURSE all_list_files "${PROJECT_SOURCE_DIR}/gyre/*CMakeLists.txt"
         "${PROJECT_SOURCE_DIR}/lang/*CMakeLists.txt")
    set(GYRE_READ "")
    foreach(each IN LISTS all_list_files)
        file(STRINGS "${each}" line REGEX "^gyre_module\\(")
        if(line MATCHES "^gyre_module\\(([a-z0-9_]+)(.*)\\)")
            set(read_name "${CMAKE_MATCH_1}")
            string(REPLACE " " ";" read_words "${CMAKE_MATCH_2}")
            cmake_parse_arguments(read "ONE_THREAD;ONE_UNIT" "LAYER" "DEPENDS;TEST_DEPENDS;OPTIONAL"
                                  ${read_words})
            list(APPEND GYRE_READ ${read_name})
            set(GYRE_READ_${read_name} ${read_DEPENDS})
            if(GYRE_TESTS)
                list(APPEND GYRE_READ_${read_name} ${read_TEST_DEPENDS})
            endif()
        endif()
    endforeach()
endmacro()

# GYRE_MODULES and all that they depend on.
function(gyre_wanted_modules result)
    set(open ${GYRE_MODULES} base)
    set(wanted "")
    while(open)
        list(POP_FRONT open name)
        if(name IN_LIST wanted)
            continue()
        endif()
        if(NOT name IN_LIST GYRE_READ)
            list(SORT GYRE_READ)
            list(JOIN GYRE_READ ", " known)
            message(FATAL_ERROR "GYRE_MODULES names '${name}', which is no module. There are: ${known}")
        endif()
        list(APPEND wanted ${name})
        list(APPEND open ${GYRE_READ_${name}})
    endwhile()
    set(${result} ${wanted} PARENT_SCOPE)
endfunction()

# The files of the current folder that match, without those of modules nested in it.
function(gyre_glob_module result pattern)
    set(folder "${CMAKE_CURRENT_SOURCE_DIR}")
    file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/${pattern}")
    file(GLOB_RECURSE nested CONFIGURE_DEPENDS "${folder}/*/CMakeLists.txt")
    foreach(list_file IN LISTS nested)
        get_filename_component(inner "${list_file}" DIRECTORY)
        if(NOT inner STREQUAL folder)
            list(FILTER files EXCLUDE REGEX "^${inner}/")
        endif()
    endforeach()
    set(${result} ${files} PARENT_SCOPE)
endfunction()

# Sets in the caller: optional_library, optional_definitions, optional_missing.
function(gyre_resolve_optional module wanted)
    set(optional_library "" PARENT_SCOPE)
    set(optional_definitions "" PARENT_SCOPE)
    set(optional_missing "" PARENT_SCOPE)
    if(NOT wanted)
        return()
    endif()
    list(POP_FRONT wanted library header)
    string(TOUPPER "${library}" upper)
    find_library(GYRE_LIBRARY_${upper} ${library})
    find_path(GYRE_INCLUDE_${upper} ${header})
    mark_as_advanced(GYRE_LIBRARY_${upper} GYRE_INCLUDE_${upper})
    if(GYRE_LIBRARY_${upper} AND GYRE_INCLUDE_${upper})
        # By name, not by path: the installed package must not hold this machine's paths.
        set(optional_library ${library} PARENT_SCOPE)
        set(optional_definitions GYRE_HAS_${upper}=1 PARENT_SCOPE)
        set_property(GLOBAL APPEND PROPERTY GYRE_OPTIONAL_LIBRARIES ${library})
    else()
        message(STATUS "gyre/${module}: built without ${library} (no ${header} or library found)")
        set(optional_definitions GYRE_HAS_${upper}=0 PARENT_SCOPE)
        set(optional_missing ${library} PARENT_SCOPE)
    endif()
endfunction()

# Checks what the modules declared; an undeclared include is found by tools/check_tree.
function(gyre_finish_modules)
    get_property(modules GLOBAL PROPERTY GYRE_DECLARED)
    foreach(module IN LISTS modules)
        get_property(layer GLOBAL PROPERTY GYRE_${module}_LAYER)
        get_property(depends GLOBAL PROPERTY GYRE_${module}_DEPENDS)
        get_property(test_depends GLOBAL PROPERTY GYRE_${module}_TEST_DEPENDS)
        foreach(other IN LISTS depends test_depends)
            if(NOT other IN_LIST modules)
                message(FATAL_ERROR "Module ${module} depends on ${other}, which no folder declares: "
                                    "each dependency must be a gyre_module.")
            endif()
        endforeach()
        foreach(other IN LISTS depends)
            get_property(other_layer GLOBAL PROPERTY GYRE_${other}_LAYER)
            if(NOT other_layer LESS layer)
                get_property(text GLOBAL PROPERTY GYRE_${module}_LAYER_TEXT)
                get_property(other_text GLOBAL PROPERTY GYRE_${other}_LAYER_TEXT)
                message(FATAL_ERROR
                        "Module ${module} (layer ${text}) depends on ${other} (layer "
                        "${other_text}): a module may depend only on lower layers.")
            endif()
        endforeach()
    endforeach()

    if(NOT PROJECT_IS_TOP_LEVEL)
        return()
    endif()
    find_package(Python3 QUIET COMPONENTS Interpreter)
    if(Python3_FOUND)
        execute_process(
            COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/check_tree" --rule layers
                    "${PROJECT_SOURCE_DIR}"
            OUTPUT_VARIABLE output ERROR_VARIABLE output
            RESULT_VARIABLE status)
        if(NOT status EQUAL 0)
            message(FATAL_ERROR "An include breaks the declared layers:\n${output}")
        endif()
    endif()
endfunction()
