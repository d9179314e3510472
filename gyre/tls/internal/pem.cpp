// SPDX-License-Identifier: Apache-2.0
#include "gyre/tls/internal/pem.hpp"

#include <openssl/pem.h>

#include <limits>

#include "gyre/base/assert.hpp"

namespace gyre::tls {
namespace {

// Throws with the first error of the queue.
[[noreturn]] void refuse(const char* what, const Pem& pem) {
    const std::string shown = pem.file.empty() ? "" : " in " + pem.file;
    throw TlsError(TlsError::Kind::pem,
                   std::string("cannot use ") + what + shown + ": " + text_of_error(take_error()));
}

// The text outlives the BIO.
OwnedBio open_text(const Pem& pem) {
    GYRE_ASSERT(pem.text.size() <= std::numeric_limits<int>::max(), "a PEM text is below 2 GiB");
    OwnedBio text(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
    require(text != nullptr);
    return text;
}

// True, and clears the error queue, if the last read failed only because the text ended.
bool take_end_of_text() noexcept {
    const unsigned long code = ERR_peek_last_error();
    if (ERR_GET_LIB(code) != ERR_LIB_PEM || ERR_GET_REASON(code) != PEM_R_NO_START_LINE) {
        return false;
    }
    ERR_clear_error();
    return true;
}

// As SSL_CTX_use_certificate_chain_file.
void use_chain(SSL_CTX& context, const Pem& pem) {
    const char* const what = "the certificate";
    const OwnedBio text = open_text(pem);
    const OwnedCertificate own(PEM_read_bio_X509_AUX(text.get(), nullptr, nullptr, nullptr));
    if (own == nullptr || SSL_CTX_use_certificate(&context, own.get()) != 1) refuse(what, pem);
    for (;;) {
        OwnedCertificate next(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
        if (next == nullptr) break;
        if (SSL_CTX_add0_chain_cert(&context, next.get()) != 1) refuse(what, pem);
        static_cast<void>(next.release());  // Owned by the context now.
    }
    if (!take_end_of_text()) refuse(what, pem);
}

// All certificates and revocation lists of a text.
using OwnedInfos = std::unique_ptr<STACK_OF(X509_INFO), decltype([](STACK_OF(X509_INFO) * infos) {
                                       sk_X509_INFO_pop_free(infos, &X509_INFO_free);
                                   })>;

OwnedInfos read_infos(const Pem& pem) {
    char no_password[] = "";
    const OwnedBio text = open_text(pem);
    OwnedInfos infos(PEM_X509_INFO_read_bio(text.get(), nullptr, nullptr, no_password));
    if (infos == nullptr) refuse("the authorities", pem);
    return infos;
}

bool has_name(const STACK_OF(X509_NAME) * names, const X509_NAME* name) noexcept {
    for (int i = 0; i < sk_X509_NAME_num(names); ++i) {
        if (X509_NAME_cmp(sk_X509_NAME_value(names, i), name) == 0) return true;
    }
    return false;
}

}  // namespace

void use_certificate(SSL_CTX& context, const Certificate& certificate) {
    use_chain(context, certificate.chain);
    const OwnedBio text = open_text(certificate.key);
    const OwnedKey key(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
    if (key == nullptr || SSL_CTX_use_PrivateKey(&context, key.get()) != 1 ||
        SSL_CTX_check_private_key(&context) != 1) {
        refuse("the key", certificate.key);
    }
}

// The trust store is a directory of some hundred files. During a handshake OpenSSL opens the file
// that it needs, by the hash in its name.
void trust_system(SSL_CTX& context) {
    if (SSL_CTX_set_default_verify_paths(&context) != 1) refuse("the system's authorities", {});
}

// As SSL_CTX_load_verify_file.
void trust(SSL_CTX& context, const Pem& authorities) {
    X509_STORE* const store = SSL_CTX_get_cert_store(&context);
    const OwnedInfos infos = read_infos(authorities);
    int count = 0;
    for (int i = 0; i < sk_X509_INFO_num(infos.get()); ++i) {
        const X509_INFO& info = *sk_X509_INFO_value(infos.get(), i);
        if (info.x509 != nullptr) {
            require(X509_STORE_add_cert(store, info.x509) == 1);
            ++count;
        }
        if (info.crl != nullptr) {
            require(X509_STORE_add_crl(store, info.crl) == 1);
            ++count;
        }
    }
    if (count > 0) return;
    ERR_raise(ERR_LIB_X509, X509_R_NO_CERTIFICATE_OR_CRL_FOUND);
    refuse("the authorities", authorities);
}

// As SSL_load_client_CA_file: each name once.
void announce_authorities(SSL_CTX& context, const Pem& authorities) {
    const OwnedInfos infos = read_infos(authorities);
    for (int i = 0; i < sk_X509_INFO_num(infos.get()); ++i) {
        X509* const each = sk_X509_INFO_value(infos.get(), i)->x509;
        if (each == nullptr) continue;
        if (has_name(SSL_CTX_get_client_CA_list(&context), X509_get_subject_name(each))) continue;
        require(SSL_CTX_add_client_CA(&context, each) == 1);
    }
}

}  // namespace gyre::tls
