# SPDX-License-Identifier: Apache-2.0
# Writes the CommonJS files of a fetched package, with its licence, into one lazy file of the host
# library, which puts a function for each of them on the shelf. The loader is shelf.packageLoader.
#
#     cmake -DOUTPUT=FILE -DFOLDER=PACKAGE -DPART=SUBFOLDER -DNAME=PROPERTY -P bundle.cmake
file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/${PART}/*.js")
list(SORT files)
file(READ "${FOLDER}/LICENSE" licence)
set(bundle "/*\n${licence}*/\nshelf.${NAME} = { __proto__: null,\n")
foreach(name IN LISTS files)
    file(READ "${FOLDER}/${name}" text)
    string(APPEND bundle "'${name}': (module, exports, require) => {${text}\n},\n")
endforeach()
file(WRITE "${OUTPUT}" "${bundle}};\n")
