// SPDX-License-Identifier: Apache-2.0
// Certificates: what one says, as lines for the library, and the natives of crypto.X509Certificate,
// which get a certificate as DER each time. Built where OpenSSL is; else the natives do nothing.
// The script's thread.
#pragma once

#include <string>

#include "lang/script/internal/native_states.hpp"

struct x509_st;

namespace gyre::script::certificate {

// Name, U+0001, value, U+0002 for each fact; U+0003 at the end.
[[nodiscard]] std::string text_of(x509_st* certificate);

// certificateRead(PEM or DER): the same text, with DER in "raw" as hex; or a reason, as of keys.
void read(NativeCall& call);
// certificateName(DER, "host", "email" or "ip", name, flags): the name that matches; undefined: none.
void name(NativeCall& call);
// certificateIssued(DER, DER of the other): whether the other may have issued it.
void issued(NativeCall& call);
// certificateVerify(DER, number of a public key, of a private key): whether the key has signed it; for
// a private key, whether it is the certificate's own.
void verify(NativeStates& states, NativeCall& call);
// certificateKey(DER): the public key, as a number.
void key(NativeStates& states, NativeCall& call);

}  // namespace gyre::script::certificate
