// SPDX-License-Identifier: Apache-2.0
// The natives of node:tls: contexts and connections of OpenSSL without I/O, by number: bytes of the
// network and of the program go in and out by calls. In a build without OpenSSL tlsContext gives
// nothing, and the library says so. The script's thread.
#pragma once

#include "lang/script/internal/native_states.hpp"

namespace gyre::script::tls {

// Of a context: what is wrong is thrown, "OPENSSL code library reason". Texts may be empty.
// tlsContext(is a server's, certificates, key, passphrase, authorities, ciphers, suites of TLS 1.3,
// least version, greatest version): a number. Versions are 10 to 13, 0 is the default.
void context(NativeStates& states, NativeCall& call);
// tlsOpen(context, is a server, server name, protocols, asks for a certificate, requires it): a
// number. Each protocol has a comma behind it.
void open(NativeStates& states, NativeCall& call);
// tlsFeed(number, bytes of the network)
void feed(NativeStates& states, NativeCall& call);
// tlsRun(number): goes on, and gives words: the state (0: handshake, 1: open, 2: the peer has ended,
// 3: a context is asked for), the bytes for the program, the bytes for the network, and an error.
void run(NativeStates& states, NativeCall& call);
// tlsTake(number, bytes, of the network): takes what is there.
void take(NativeStates& states, NativeCall& call);
// tlsWrite(number, bytes or text, is the text latin1): done; after the handshake.
void write(NativeStates& states, NativeCall& call);
// tlsEnd(number): the bytes for the network get the end.
void end(NativeStates& states, NativeCall& call);
// tlsUse(number, context or 0): answers state 3.
void use(NativeStates& states, NativeCall& call);
// tlsInfo(number, what): "version", "cipher", "protocol", "name", "verified", "reused", "peer",
// "own"; each certificate of "peer" is lines: name, value.
void info(NativeStates& states, NativeCall& call);

}  // namespace gyre::script::tls
