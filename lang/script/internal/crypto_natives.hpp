// SPDX-License-Identifier: Apache-2.0
// The natives of node:crypto, through OpenSSL. In a build without it cryptoEngine is empty, and the
// library says so. The script's thread.
#pragma once

#include "lang/script/internal/native_states.hpp"

namespace gyre::script::crypto {

// The name of the library; empty: there is none.
void engine(NativeCall& call);
// The names of hashes, one a line.
void hash_names(NativeCall& call);
// cryptoHashSize(name): of a digest in bytes; 0: unknown.
void hash_size(NativeCall& call);
// cryptoOpen(name, key or undefined, output bytes or 0): a number; undefined: unknown.
void open(NativeStates& states, NativeCall& call);
// cryptoUpdate(number, bytes): done.
void update(NativeStates& states, NativeCall& call);
// cryptoDigest(number, output): done. Closes it.
void digest(NativeStates& states, NativeCall& call);
// cryptoCopy(number, output bytes or 0): another number.
void copy(NativeStates& states, NativeCall& call);
// cryptoPbkdf2(password, salt, iterations, name, output): done.
void pbkdf2(NativeCall& call);
// cryptoScrypt(password, salt, N, r, p, memory limit, output): done; false: the limit is too small,
// or the parameters are wrong.
void scrypt(NativeCall& call);
// cryptoEqual(a, b): compares in a time that depends on the size alone.
void equal(NativeCall& call);

}  // namespace gyre::script::crypto
