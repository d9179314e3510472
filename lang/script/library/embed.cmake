# SPDX-License-Identifier: Apache-2.0
# Writes the files of the host library into one C++ source, in the order of their names: raw strings
# in parts, because a compiler limits the length of one.
# Files in a folder lazy run when the library asks for them; BUNDLES are made by bundle.cmake.
file(GLOB files "${FOLDER}/*.js")
file(GLOB lazy_files "${FOLDER}/lazy/*.js")
list(SORT files)
list(SORT lazy_files)
list(APPEND files ${lazy_files} ${BUNDLES})
set(texts "")
set(rows "")
set(number 0)
foreach(file IN LISTS files)
    get_filename_component(stem "${file}" NAME_WE)
    string(REGEX REPLACE "^[0-9]+_" "" stem "${stem}")
    file(READ "${file}" text)
    string(LENGTH "${text}" length)
    set(parts "")
    set(at 0)
    while(at LESS length)
        string(SUBSTRING "${text}" ${at} 8000 part)
        string(APPEND parts "R\"gyre_js(${part})gyre_js\"\n")
        math(EXPR at "${at} + 8000")
    endwhile()
    string(APPEND texts "constexpr char text_${number}[] = ${parts};\n")
    set(is_lazy "false")
    if(file MATCHES "/lazy/[^/]*$")
        set(is_lazy "true")
    endif()
    string(APPEND rows "    {\"${stem}\", {text_${number}, sizeof(text_${number}) - 1}, ${is_lazy}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by lang/script/library/embed.cmake.
#include \"lang/script/internal/library.hpp\"

// A bundled package is longer than what every compiler must support.
#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace gyre::script {
namespace {
${texts}
constexpr LibraryFile files[] = {
${rows}};
}  // namespace

std::span<const LibraryFile> library_files() noexcept {
    return files;
}

}  // namespace gyre::script
")
