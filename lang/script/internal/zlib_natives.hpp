// SPDX-License-Identifier: Apache-2.0
// The natives of node:zlib. In a build without zlib `open` gives nothing, and the library says so.
// The script's thread.
#pragma once

#include "lang/script/internal/native_states.hpp"

namespace gyre::script::zlib {

// zlibOpen(mode, window bits, level, memory level, strategy, dictionary): a number; undefined: zlib
// refuses the parameters, or there is none. The modes are Node's.
void open(NativeStates& states, NativeCall& call);
// zlibRun(number, flush, input, output, rest): zlib's status. `rest`, an Int32Array, gets the bytes
// of the input that are left and the room of the output that is left.
void run(NativeStates& states, NativeCall& call);
// zlibMessage(number): of the last error; empty: none.
void message(NativeStates& states, NativeCall& call);
// zlibReset(number), zlibParameters(number, level, strategy): zlib's status.
void reset(NativeStates& states, NativeCall& call);
void parameters(NativeStates& states, NativeCall& call);
// zlibCrc32(bytes, value)
void crc32(NativeCall& call);

}  // namespace gyre::script::zlib
