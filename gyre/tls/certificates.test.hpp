// SPDX-License-Identifier: Apache-2.0
// For tests with TLS: an authority and the certificates it signs, made when they are needed, as
// files in a folder that goes with it. One test, one thread.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
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
    Authority() {
        std::string name = (std::filesystem::temp_directory_path() / "gyre-tls-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        folder_ = name;
        key_.reset(EVP_EC_gen("P-256"));
        certificate_ = make(*key_, {.subject = "an authority", .names = ""}, nullptr);
        write(file(), [this](std::FILE* to) { PEM_write_X509(to, certificate_.get()); });
    }
    ~Authority() { std::filesystem::remove_all(folder_); }
    Authority(const Authority&) = delete;
    Authority& operator=(const Authority&) = delete;

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
    [[nodiscard]] std::string file() const { return folder_ + "/authority.pem"; }
    // Over the files of that name, where there are some.
    CertificateFiles issue(const std::string& name, const Wanted& wanted = {}) {
        const OwnedKey key(EVP_EC_gen("P-256"));
        const OwnedCertificate made =
            make(*key, wanted, wanted.is_self_signed ? nullptr : certificate_.get());
        CertificateFiles files{folder_ + "/" + name + ".pem", folder_ + "/" + name + ".key"};
        write(files.certificate, [&](std::FILE* to) { PEM_write_X509(to, made.get()); });
        write(files.key, [&](std::FILE* to) {
            PEM_write_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        });
        return files;
    }

private:
    struct Free {
        void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
        void operator()(X509* certificate) const { X509_free(certificate); }
    };
    using OwnedKey = std::unique_ptr<EVP_PKEY, Free>;
    using OwnedCertificate = std::unique_ptr<X509, Free>;

    static void write(const std::string& path, const auto& with) {
        std::FILE* const to = std::fopen(path.c_str(), "wb");
        if (to == nullptr) std::abort();
        with(to);
        static_cast<void>(std::fclose(to));
    }
    static void add(X509& to, X509V3_CTX& in, int kind, const char* text) {
        X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, &in, kind, text);
        if (made == nullptr) std::abort();
        X509_add_ext(&to, made, -1);
        X509_EXTENSION_free(made);
    }
    // Without an issuer it signs itself.
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

    std::string folder_;
    OwnedKey key_;
    OwnedCertificate certificate_;
    long serial_ = 0;
};

}  // namespace gyre::tls
