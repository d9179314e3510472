# SPDX-License-Identifier: Apache-2.0
# The programs: bin/gyre from cli/, and bin/examples/ from examples/. Found by glob.

function(gyre_cli)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.cpp")
    list(FILTER sources EXCLUDE REGEX "\\.(test|fuzz|bench)\\.cpp$")
    if(NOT sources)
        return()
    endif()
    find_package(CLI11 QUIET)
    if(NOT CLI11_FOUND)
        message(STATUS "The program gyre is left out: CLI11 was not found (libcli11-dev)")
        return()
    endif()
    add_executable(gyre_cli ${sources})
    set_target_properties(gyre_cli PROPERTIES OUTPUT_NAME gyre)
    target_link_libraries(gyre_cli PRIVATE gyre::gyre CLI11::CLI11)
endfunction()

function(gyre_examples)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/[0-9][0-9]_*.cpp")
    foreach(source IN LISTS sources)
        get_filename_component(stem "${source}" NAME_WE)
        add_executable(example_${stem} "${source}")
        set_target_properties(
            example_${stem} PROPERTIES OUTPUT_NAME ${stem} RUNTIME_OUTPUT_DIRECTORY
                                                           "${PROJECT_BINARY_DIR}/bin/examples")
        target_link_libraries(example_${stem} PRIVATE gyre::gyre)
    endforeach()
endfunction()
