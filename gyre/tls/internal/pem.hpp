// SPDX-License-Identifier: Apache-2.0
// From PEM text to what OpenSSL holds: what its functions for files do, without files. They throw
// TlsError (pem), which says what is wrong in which file. One thread.
#pragma once

#include "gyre/tls/context.hpp"
#include "gyre/tls/internal/openssl.hpp"

namespace gyre::tls {

// What this side shows, and the key to it.
void use_certificate(SSL_CTX& context, const Certificate& certificate);

// Whom to believe: these, with their revocation lists.
void trust(SSL_CTX& context, const Pem& authorities);
void trust_those_of_the_system(SSL_CTX& context);

// A server names them to its clients, so that they choose a certificate which it will take.
void tell_authorities(SSL_CTX& context, const Pem& authorities);

}  // namespace gyre::tls
