// SPDX-License-Identifier: Apache-2.0
// The natives of Brotli in node:zlib. In a build without libbrotli `open` gives nothing, and the library says
// so. The script's thread.
#pragma once

#include "lang/script/internal/native_states.hpp"

namespace gyre::script::brotli {

// brotliOpen(whether it compresses, parameters as pairs in an Uint32Array): a number; undefined: libbrotli
// refuses a parameter, or there is none.
void open(NativeStates& states, NativeCall& call);
// brotliRun(number, operation, input, output, rest): 0 it goes on, 1 the data has ended, 2 an error. `rest`, an
// Int32Array, gets the bytes of the input that are left and the room of the output that is left.
void run(NativeStates& states, NativeCall& call);
// brotliMessage(number): the name of the last error, behind its number and a space.
void message(NativeStates& states, NativeCall& call);
// brotliVersion(): undefined without libbrotli.
void version(NativeCall& call);

}  // namespace gyre::script::brotli
