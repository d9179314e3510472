// SPDX-License-Identifier: Apache-2.0
// The natives of node:buffer: texts of bytes, search and comparison. The script's thread.
#pragma once

#include "lang/script/engine.hpp"

namespace gyre::script {

// bytesText(bytes, encoding): the text.
void bytes_text(void* host, NativeCall& call);
// bytesWrite(bytes, encoding, text): how many bytes were written.
void bytes_write(void* host, NativeCall& call);
// bytesSize(text): of its UTF-8.
void bytes_size(void* host, NativeCall& call);
// bytesFind(bytes, needle, from, forward, unit): where, or -1.
void bytes_find(void* host, NativeCall& call);
// bytesCompare(a, b): -1, 0 or 1.
void bytes_compare(void* host, NativeCall& call);
// bytesCheck(bytes, "utf8" or else ASCII): are they.
void bytes_check(void* host, NativeCall& call);

}  // namespace gyre::script
