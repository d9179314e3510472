// SPDX-License-Identifier: Apache-2.0
// Sets certificates, keys and authorities of an SSL_CTX from PEM text, like OpenSSL's functions for
// files. Unusable text throws TlsError (pem), with the name of the file. One thread.
#pragma once

#include "gyre/tls/context.hpp"
#include "gyre/tls/internal/openssl.hpp"

namespace gyre::tls {

// The certificate chain of this side, and its private key.
void use_certificate(SSL_CTX& context, const Certificate& certificate);

// Trusted authorities, with their revocation lists; or the system's authorities.
void trust(SSL_CTX& context, const Pem& authorities);
void trust_system(SSL_CTX& context);

// The names that a server sends in its certificate request, for clients with several certificates.
void announce_authorities(SSL_CTX& context, const Pem& authorities);

}  // namespace gyre::tls
