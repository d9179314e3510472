// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/certificates.hpp"

#include <memory>
#include <string_view>

#include "lang/script/internal/key_natives.hpp"

#ifdef GYRE_HAS_OPENSSL

#    include <openssl/bio.h>
#    include <openssl/err.h>
#    include <openssl/pem.h>
#    include <openssl/x509v3.h>

namespace gyre::script::certificate {
namespace {

struct Free {
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(EXTENDED_KEY_USAGE* uses) const { EXTENDED_KEY_USAGE_free(uses); }
    void operator()(AUTHORITY_INFO_ACCESS* access) const { AUTHORITY_INFO_ACCESS_free(access); }
};
template <class Kind>
using Own = std::unique_ptr<Kind, Free>;

// As the names of a certificate are shown: one a line, with RFC 2253's escapes.
constexpr unsigned long name_flags = ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL |
                                     ASN1_STRFLGS_UTF8_CONVERT | XN_FLAG_SEP_MULTILINE |
                                     XN_FLAG_FN_SN;

std::string printed(const auto& print) {
    const Own<BIO> to(BIO_new(BIO_s_mem()));
    print(to.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(to.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

void add(std::string& text, std::string_view name, std::string_view value) {
    text += name;
    text += '\x01';
    text += value;
    text += '\x02';
}

std::string name_text(const X509_NAME* name) {
    std::string made;
    for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
        const X509_NAME_ENTRY* const entry = X509_NAME_get_entry(name, i);
        unsigned char* value = nullptr;
        const int size = ASN1_STRING_to_UTF8(&value, X509_NAME_ENTRY_get_data(entry));
        if (size < 0) continue;
        const int kind = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
        made += std::string(OBJ_nid2sn(kind)) + "=" +
                std::string(reinterpret_cast<char*>(value), static_cast<std::size_t>(size)) + "\n";
        OPENSSL_free(value);
    }
    return made;
}

// Only where it is there: a certificate without names of others has no such line.
void add_extension(std::string& text, std::string_view name, X509* certificate, int kind) {
    const int at = X509_get_ext_by_NID(certificate, kind, -1);
    if (at < 0) return;
    add(text, name,
        printed([&](BIO* to) { X509V3_EXT_print(to, X509_get_ext(certificate, at), 0, 0); }));
}

void add_uses(std::string& text, X509* certificate) {
    const Own<EXTENDED_KEY_USAGE> uses(static_cast<EXTENDED_KEY_USAGE*>(
        X509_get_ext_d2i(certificate, NID_ext_key_usage, nullptr, nullptr)));
    if (!uses) return;
    std::string lines;
    for (int i = 0; i < sk_ASN1_OBJECT_num(uses.get()); ++i) {
        char number[256] = "";
        OBJ_obj2txt(number, sizeof(number), sk_ASN1_OBJECT_value(uses.get(), i), 1);
        lines.append(lines.empty() ? "" : "\n").append(number);
    }
    add(text, "keyUsage", lines);
}

// Method, kind and place of each, as in "OCSP - URI:http://place/".
void add_access(std::string& text, X509* certificate) {
    const Own<AUTHORITY_INFO_ACCESS> access(static_cast<AUTHORITY_INFO_ACCESS*>(
        X509_get_ext_d2i(certificate, NID_info_access, nullptr, nullptr)));
    if (!access) return;
    std::string lines;
    for (int i = 0; i < sk_ACCESS_DESCRIPTION_num(access.get()); ++i) {
        const ACCESS_DESCRIPTION* const one = sk_ACCESS_DESCRIPTION_value(access.get(), i);
        lines.append(i == 0 ? "" : "\n").append(printed([&](BIO* to) {
            i2a_ASN1_OBJECT(to, one->method);
            BIO_puts(to, " - ");
            GENERAL_NAME_print(to, one->location);
        }));
    }
    add(text, "infoAccess", lines);
}

Own<X509> parsed(std::span<const std::byte> der) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    return Own<X509>(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
}

}  // namespace

std::string text_of(x509_st* certificate) {
    std::string text;
    add(text, "subject", name_text(X509_get_subject_name(certificate)));
    add(text, "issuer", name_text(X509_get_issuer_name(certificate)));
    for (const bool is_issuer : {false, true}) {
        const X509_NAME* const name =
            is_issuer ? X509_get_issuer_name(certificate) : X509_get_subject_name(certificate);
        add(text, is_issuer ? "issuerLines" : "subjectLines",
            printed([&](BIO* to) { X509_NAME_print_ex(to, name, 0, name_flags); }));
    }
    add_extension(text, "subjectaltname", certificate, NID_subject_alt_name);
    add_access(text, certificate);
    add_uses(text, certificate);
    add(text, "valid_from",
        printed([&](BIO* to) { ASN1_TIME_print(to, X509_get0_notBefore(certificate)); }));
    add(text, "valid_to",
        printed([&](BIO* to) { ASN1_TIME_print(to, X509_get0_notAfter(certificate)); }));
    add(text, "serialNumber",
        printed([&](BIO* to) { i2a_ASN1_INTEGER(to, X509_get_serialNumber(certificate)); }));
    add(text, "ca", X509_check_ca(certificate) == 1 ? "1" : "");
    add(text, "raw", printed([&](BIO* to) {
            unsigned char* der = nullptr;
            const int size = i2d_X509(certificate, &der);
            for (int i = 0; i < size; ++i) BIO_printf(to, "%02x", der[i]);
            OPENSSL_free(der);
        }));
    return text + '\x03';
}

void read(NativeCall& call) {
    const std::span<std::byte> bytes = call.bytes(0);
    ERR_clear_error();
    const Own<BIO> from(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
    Own<X509> found(PEM_read_bio_X509_AUX(from.get(), nullptr, nullptr, nullptr));
    if (!found) {
        // What is no PEM may be DER; the error is that of PEM.
        ERR_set_mark();
        found = parsed(bytes);
        ERR_pop_to_mark();
    }
    if (!found) return key::give_reason(call);
    ERR_clear_error();
    call.give_text(text_of(found.get()));
}

void name(NativeCall& call) {
    const Own<X509> certificate = parsed(call.bytes(0));
    if (!certificate) return;
    const std::string what = call.text(1);
    const std::string wanted = call.text(2);
    const auto flags = static_cast<unsigned>(call.number(3));
    if (what == "host") {
        char* found = nullptr;
        if (X509_check_host(certificate.get(), wanted.data(), wanted.size(), flags, &found) != 1) {
            return;
        }
        call.give_text(found == nullptr ? wanted : std::string(found));
        OPENSSL_free(found);
    } else if (what == "email") {
        if (X509_check_email(certificate.get(), wanted.data(), wanted.size(), flags) == 1) {
            call.give_text(wanted);
        }
    } else if (X509_check_ip_asc(certificate.get(), wanted.c_str(), flags) == 1) {
        call.give_text(wanted);
    }
}

void issued(NativeCall& call) {
    const Own<X509> certificate = parsed(call.bytes(0));
    const Own<X509> other = parsed(call.bytes(1));
    call.give_truth(certificate && other &&
                    X509_check_issued(other.get(), certificate.get()) == X509_V_OK);
}

void verify(NativeStates& states, NativeCall& call) {
    const Own<X509> certificate = parsed(call.bytes(0));
    evp_pkey_st* const by = key::find(states, call.number(1));
    ERR_clear_error();
    const bool is_right = certificate && by != nullptr &&
                          (call.truth(2) ? X509_check_private_key(certificate.get(), by) == 1
                                         : X509_verify(certificate.get(), by) == 1);
    ERR_clear_error();
    call.give_truth(is_right);
}

void key(NativeStates& states, NativeCall& call) {
    const Own<X509> certificate = parsed(call.bytes(0));
    ERR_clear_error();
    evp_pkey_st* const found = certificate ? X509_get_pubkey(certificate.get()) : nullptr;
    if (found == nullptr) return key::give_reason(call);
    key::add(states, call, found);
}

}  // namespace gyre::script::certificate

#else

namespace gyre::script::certificate {

std::string text_of(x509_st* /*certificate*/) {
    return {};
}
void read(NativeCall& /*call*/) {}
void name(NativeCall& /*call*/) {}
void issued(NativeCall& /*call*/) {}
void verify(NativeStates& /*states*/, NativeCall& /*call*/) {}
void key(NativeStates& /*states*/, NativeCall& /*call*/) {}

}  // namespace gyre::script::certificate

#endif
