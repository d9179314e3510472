# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts down: headers, libraries, a CMake package, a pkg-config file, and the
# program with its manual pages and completions. Everything is relative to the prefix, so an
# installed tree can be moved.
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY GYRE_DECLARED)
set(targets ${modules})
list(TRANSFORM targets PREPEND gyre_)
install(TARGETS ${targets} gyre_all gyre_vela EXPORT gyreTargets)
# Public headers and, marked by their folder, what they need. lang/ goes below gyre/, so that
# nothing else is added to the include folder.
foreach(house IN ITEMS gyre lang)
    set(destination "${CMAKE_INSTALL_INCLUDEDIR}")
    if(NOT house STREQUAL "gyre")
        string(APPEND destination "/gyre")
    endif()
    install(
        DIRECTORY "${PROJECT_SOURCE_DIR}/${house}"
        DESTINATION "${destination}"
        FILES_MATCHING
        PATTERN "*.hpp"
        PATTERN "*.test.hpp" EXCLUDE
        PATTERN "corpus" EXCLUDE
        PATTERN "internal" EXCLUDE
        PATTERN "reference" EXCLUDE)
endforeach()
if(TARGET gyre_cli)
    if(EXISTS "${PROJECT_BINARY_DIR}/lib/libnode.so.108")
        # V8 from the cache of tools/setup goes along with the program.
        install(FILES "${PROJECT_BINARY_DIR}/lib/libnode.so.108" DESTINATION "${CMAKE_INSTALL_LIBDIR}/gyre")
        set_property(TARGET gyre_cli APPEND PROPERTY INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/gyre")
        set_property(TARGET gyre_script_v8 APPEND PROPERTY INSTALL_RPATH "$ORIGIN/gyre")
    endif()
    install(TARGETS gyre_cli)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/manual/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}")
    install(
        DIRECTORY "${PROJECT_BINARY_DIR}/manual/"
        DESTINATION "${CMAKE_INSTALL_DATADIR}"
        PATTERN man EXCLUDE)
endif()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/gyre")
install(EXPORT gyreTargets NAMESPACE gyre:: DESTINATION "${package_folder}")
configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/gyreConfig.cmake.in" "${PROJECT_BINARY_DIR}/gyreConfig.cmake"
    INSTALL_DESTINATION "${package_folder}" NO_SET_AND_CHECK_MACRO)
# While the major version is 0, a new minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gyreConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gyreConfig.cmake"
              "${PROJECT_BINARY_DIR}/gyreConfigVersion.cmake" DESTINATION "${package_folder}")

# A static linker reads from left to right: a module stands before what it depends on. gyre.pc is for
# gyre::gyre, so without languages.
set(ordered "")
foreach(module IN LISTS modules)
    if(module MATCHES "^(vela_|wasm|script)")
        continue()
    endif()
    get_target_property(type gyre_${module} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
        get_property(layer GLOBAL PROPERTY GYRE_${module}_LAYER)
        math(EXPR padded_layer "${layer} + 1000")
        list(APPEND ordered "${padded_layer}:${module}")
    endif()
endforeach()
list(SORT ordered ORDER DESCENDING)
list(TRANSFORM ordered REPLACE "^[0-9]+:" "-lgyre_")
get_property(optional_libraries GLOBAL PROPERTY GYRE_OPTIONAL_LIBRARIES)
list(TRANSFORM optional_libraries PREPEND "-l")
list(JOIN ordered " " GYRE_PC_LIBRARIES)
list(JOIN optional_libraries " " GYRE_PC_OPTIONAL_LIBRARIES)
set(pc_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH GYRE_PC_UP "/prefix/${pc_folder}" "/prefix")
string(REGEX REPLACE "/$" "" GYRE_PC_UP "${GYRE_PC_UP}")
if(GYRE_DEBUG_CHECKS)
    set(GYRE_PC_DEBUG_CHECKS 1)
else()
    set(GYRE_PC_DEBUG_CHECKS 0)
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/gyre.pc.in" "${PROJECT_BINARY_DIR}/gyre.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/gyre.pc" DESTINATION "${pc_folder}")
