# SPDX-License-Identifier: Apache-2.0
# Writes a C++ source that defines each symbol which ARCHIVE takes from the shared library LIBRARY: the
# first call of any of them opens the library. A program with this source does not name the library in
# its dynamic section, so that it starts without it (docs/decisions/0092). Linux on x86-64.
#   cmake -D NM=.. -D ARCHIVE=.. -D LIBRARY=.. -D TEMPLATE=.. -D OUTPUT=.. -P late_binding.cmake
get_filename_component(library_name "${LIBRARY}" NAME)
execute_process(COMMAND "${NM}" --undefined-only "${ARCHIVE}" OUTPUT_VARIABLE wanted
                COMMAND_ERROR_IS_FATAL ANY ERROR_QUIET)
execute_process(COMMAND "${NM}" --dynamic --defined-only "${LIBRARY}" OUTPUT_VARIABLE offered
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[UvVwW] [A-Za-z0-9_.$]+" wanted "${wanted}")
list(TRANSFORM wanted REPLACE "^. " "")
list(REMOVE_DUPLICATES wanted)
list(SORT wanted)
# As " kind name", each between line ends, so that a name is found by a plain search.
string(REGEX REPLACE "[0-9a-f]+ (. [A-Za-z0-9_.$]+)[^\n]*\n" " \\1\n" offered "${offered}")

set(stubs "")
set(slots "")
set(function_names "")
set(data_stubs "")
set(data_names "")
set(count 0)
foreach(name IN LISTS wanted)
    string(FIND "${offered}" " T ${name}\n" is_function)
    string(FIND "${offered}" " W ${name}\n" is_weak_function)
    string(FIND "${offered}" " R ${name}\n" is_constant)
    if(is_function GREATER_EQUAL 0 OR is_weak_function GREATER_EQUAL 0)
        string(APPEND stubs "GYRE_LATE_FUNCTION ${name} ${count}\n")
        string(APPEND slots "    .quad gyre_late_first_${count}\n")
        string(APPEND function_names "    \"${name}\",\n")
        math(EXPR count "${count} + 1")
    elseif(is_constant GREATER_EQUAL 0)
        string(APPEND data_stubs "GYRE_LATE_CONSTANT ${name}\n")
        string(APPEND data_names "    {\"${name}\", &${name}},\n")
        string(APPEND data_declarations "extern std::uint64_t ${name};\n")
    endif()
endforeach()
if(count EQUAL 0)
    message(FATAL_ERROR "${ARCHIVE} takes no function from ${LIBRARY}")
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
