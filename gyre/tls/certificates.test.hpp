// SPDX-License-Identifier: Apache-2.0
// For tests with TLS: an authority and the certificates it signs, made when they are needed, as PEM
// text. One test, one thread.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "gyre/tls/context.hpp"

namespace gyre::tls {

struct Wanted {
    std::string subject = "example.test";
    std::string names = "DNS:example.test";
    long valid_from_s = -3600;  // from now
    long valid_until_s = 3600;
    bool is_self_signed = false;
};

class Authority {
public:
    explicit Authority(const std::string& subject = "an authority") : key_(EVP_EC_gen("P-256")) {
        certificate_ = make(*key_, {.subject = subject, .names = ""}, nullptr);
    }
    Authority(const Authority&) = delete;
    Authority& operator=(const Authority&) = delete;

    [[nodiscard]] Pem pem() const { return {text_of(*certificate_), "authority.pem"}; }
    // As if it were read from files of that name.
    Certificate issue(const std::string& name, const Wanted& wanted = {}) {
        const OwnedKey key(EVP_EC_gen("P-256"));
        const OwnedCertificate made =
            make(*key, wanted, wanted.is_self_signed ? nullptr : certificate_.get());
        const auto write_key = [&key](BIO* to) {
            PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        };
        return {{text_of(*made), name + ".pem"}, {written(write_key), name + ".key"}};
    }

private:
    struct Free {
        void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
        void operator()(X509* certificate) const { X509_free(certificate); }
    };
    using OwnedKey = std::unique_ptr<EVP_PKEY, Free>;
    using OwnedCertificate = std::unique_ptr<X509, Free>;

    static std::string written(const auto& with) {
        BIO* const to = BIO_new(BIO_s_mem());
        if (to == nullptr) std::abort();
        with(to);
        char* data = nullptr;
        const long size = BIO_get_mem_data(to, &data);
        std::string text(data, static_cast<std::size_t>(size));
        BIO_free(to);
        return text;
    }
    static std::string text_of(X509& certificate) {
        return written([&certificate](BIO* to) { PEM_write_bio_X509(to, &certificate); });
    }
    static void add(X509& to, X509V3_CTX& in, int kind, const char* text) {
        X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, &in, kind, text);
        if (made == nullptr) std::abort();
        X509_add_ext(&to, made, -1);
        X509_EXTENSION_free(made);
    }
    // Self-signed if there is no issuer.
    OwnedCertificate make(EVP_PKEY& key, const Wanted& wanted, X509* issuer) {
        OwnedCertificate made(X509_new());
        X509& it = *made;
        X509_set_version(&it, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(&it), ++serial_);
        X509_gmtime_adj(X509_getm_notBefore(&it), wanted.valid_from_s);
        X509_gmtime_adj(X509_getm_notAfter(&it), wanted.valid_until_s);
        X509_set_pubkey(&it, &key);
        X509_NAME_add_entry_by_txt(X509_get_subject_name(&it), "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(wanted.subject.c_str()),
                                   -1, -1, 0);
        X509* const signer = issuer != nullptr ? issuer : &it;
        X509_set_issuer_name(&it, X509_get_subject_name(signer));
        X509V3_CTX in;
        X509V3_set_ctx(&in, signer, &it, nullptr, nullptr, 0);
        const bool is_authority = wanted.names.empty();
        add(it, in, NID_basic_constraints, is_authority ? "critical,CA:TRUE" : "CA:FALSE");
        if (!is_authority) add(it, in, NID_subject_alt_name, wanted.names.c_str());
        X509_sign(&it, issuer != nullptr ? key_.get() : &key, EVP_sha256());
        return made;
    }

    OwnedKey key_;
    OwnedCertificate certificate_;
    long serial_ = 0;
};

}  // namespace gyre::tls
