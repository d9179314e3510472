// SPDX-License-Identifier: Apache-2.0
// Owning pointers for OpenSSL's objects, and its errors as text. The error queue belongs to the
// thread.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <new>
#include <string>
#include <system_error>

#include "gyre/tls/context.hpp"

namespace gyre::tls {

template <auto free>
struct FreeBy {
    void operator()(auto* thing) const noexcept { free(thing); }
};
using OwnedContext = std::unique_ptr<SSL_CTX, FreeBy<&SSL_CTX_free>>;
using OwnedSsl = std::unique_ptr<SSL, FreeBy<&SSL_free>>;
using OwnedSession = std::unique_ptr<SSL_SESSION, FreeBy<&SSL_SESSION_free>>;
using OwnedBio = std::unique_ptr<BIO, FreeBy<&BIO_free>>;
using OwnedCertificate = std::unique_ptr<X509, FreeBy<&X509_free>>;
using OwnedKey = std::unique_ptr<EVP_PKEY, FreeBy<&EVP_PKEY_free>>;

// Returns the first error of the queue, which caused the others, and clears the queue.
[[nodiscard]] inline unsigned long take_error() noexcept {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    return code;
}

[[nodiscard]] inline std::string text_of_error(unsigned long code) {
    if (ERR_SYSTEM_ERROR(code)) return std::generic_category().message(ERR_GET_REASON(code));
    const char* reason = ERR_reason_error_string(code);
    return reason != nullptr ? reason : "unknown error of OpenSSL";
}

// For calls that fail only when memory is exhausted.
inline void require(bool is_done) {
    if (!is_done) throw std::bad_alloc();
}

}  // namespace gyre::tls
