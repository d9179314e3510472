// SPDX-License-Identifier: Apache-2.0
// The natives of asymmetric keys of node:crypto, through OpenSSL. Bytes that they make are texts of
// hexadecimal digits; a text with an empty first line is an error: OpenSSL's lines follow. The
// script's thread.
#pragma once

#include "lang/script/internal/native_states.hpp"

struct evp_pkey_st;

namespace gyre::script::key {

// null: closed, or no key. The state keeps it.
[[nodiscard]] evp_pkey_st* find(NativeStates& states, double number);
// Takes the key, and gives its number to the call.
void add(NativeStates& states, NativeCall& call, evp_pkey_st* key);
// error:CODE:library:function:reason, the library and the reason, behind an empty line: the first
// error of OpenSSL.
void give_reason(NativeCall& call);

// keyRead(bytes, is PEM, is private, passphrase or undefined): a number.
void read(NativeStates& states, NativeCall& call);
// keyGenerate(type, bits or 0, curve or "", exponent): a number.
void generate(NativeStates& states, NativeCall& call);
// keyPublic(number): the public half, as another number.
void public_half(NativeStates& states, NativeCall& call);
// keyInfo(number): type, bits, curve and exponent, a line each.
void info(NativeStates& states, NativeCall& call);
// keyWrite(number, is private, is PEM, type, cipher or "", passphrase)
void write(NativeStates& states, NativeCall& call);
// keyPart(number, OpenSSL's name): a number or bytes of the key; undefined: it has none.
void part(NativeStates& states, NativeCall& call);
// keySign(number, digest or "", data, padding or 0, salt bytes or -100)
void sign(NativeStates& states, NativeCall& call);
// keyVerify(number, digest, data, padding, salt bytes, signature): is it right.
void verify(NativeStates& states, NativeCall& call);
// keyCrypt(number, encrypts, with the private half, data, padding, OAEP digest, label)
void crypt(NativeStates& states, NativeCall& call);
// keyAgree(private, public): the shared secret.
void agree(NativeStates& states, NativeCall& call);
void equal(NativeStates& states, NativeCall& call);

}  // namespace gyre::script::key
