// SPDX-License-Identifier: Apache-2.0
// The natives of ciphers of node:crypto, through OpenSSL. The script's thread.
#pragma once

#include "lang/script/internal/native_states.hpp"

namespace gyre::script::cipher {

// The names of ciphers, one a line.
void names(NativeCall& call);
// cipherInfo(name): its name, mode, id, and the sizes of block, IV and key; undefined: unknown.
void info(NativeCall& call);
// cipherOpen(name, encrypts, key, IV, tag bytes): a number; a text says why not.
void open(NativeStates& states, NativeCall& call);
// cipherUpdate(number, input, output): bytes of output; -1: refused.
void update(NativeStates& states, NativeCall& call);
// cipherFinal(number, output): bytes of output; undefined: it is a text of OpenSSL's reason.
void final(NativeStates& states, NativeCall& call);
// cipherAad(number, bytes, bytes of plain text or -1): done.
void aad(NativeStates& states, NativeCall& call);
// cipherTag(number, output): done. cipherSetTag(number, tag): done.
void tag(NativeStates& states, NativeCall& call);
void set_tag(NativeStates& states, NativeCall& call);
// cipherPadding(number, has padding)
void padding(NativeStates& states, NativeCall& call);

}  // namespace gyre::script::cipher
