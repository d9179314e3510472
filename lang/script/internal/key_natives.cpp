// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/key_natives.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <vector>

#ifdef GYRE_HAS_OPENSSL

#    include <openssl/bn.h>
#    include <openssl/core_names.h>
#    include <openssl/decoder.h>
#    include <openssl/encoder.h>
#    include <openssl/err.h>
#    include <openssl/evp.h>
#    include <openssl/rsa.h>
#    include <openssl/x509.h>

namespace gyre::script::key {
namespace {

constexpr std::size_t state_bytes = 8192;  // about what OpenSSL takes for one
constexpr int no_salt_given = -100;        // not one of OpenSSL's numbers for the salt of PSS

struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    void operator()(OSSL_DECODER_CTX* context) const { OSSL_DECODER_CTX_free(context); }
    void operator()(OSSL_ENCODER_CTX* context) const { OSSL_ENCODER_CTX_free(context); }
    void operator()(BIGNUM* number) const { BN_clear_free(number); }
};
template <class Kind>
using Own = std::unique_ptr<Kind, Free>;

class Key final : public NativeStates::State {
public:
    explicit Key(EVP_PKEY* key) : of(key) {}
    Own<EVP_PKEY> of;
};

const unsigned char* raw(std::span<const std::byte> bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::string hex(std::span<const unsigned char> bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string made;
    made.reserve(bytes.size() * 2);
    for (const unsigned char byte : bytes) {
        made += digits[byte >> 4u];
        made += digits[byte & 15u];
    }
    return made;
}

int integer(NativeCall& call, std::size_t index) {
    const double number = call.number(index);
    return number > INT_MIN && number < INT_MAX ? static_cast<int>(number) : 0;
}

int give_passphrase(char* buffer, std::size_t size, std::size_t* length, const OSSL_PARAM*,
                    void* of) {
    const auto& given = *static_cast<const std::string*>(of);
    *length = std::min(size, given.size());
    std::memcpy(buffer, given.data(), *length);
    return 1;
}

// A key that needs a passphrase is an error without one: OpenSSL must not ask at the terminal.
int give_none(char*, std::size_t, std::size_t*, const OSSL_PARAM*, void*) {
    return 0;
}

bool set_padding(EVP_PKEY_CTX* context, int padding, int salt) {
    if (padding == 0) return true;
    if (EVP_PKEY_CTX_set_rsa_padding(context, padding) != 1) return false;
    if (padding != RSA_PKCS1_PSS_PADDING || salt == no_salt_given) return true;
    return EVP_PKEY_CTX_set_rsa_pss_saltlen(context, salt) == 1;
}

}  // namespace

EVP_PKEY* find(NativeStates& states, double number) {
    const Key* key = states.find<Key>(number);
    return key == nullptr ? nullptr : key->of.get();
}

void add(NativeStates& states, NativeCall& call, EVP_PKEY* key) {
    states.add(call, std::make_unique<Key>(key), state_bytes);
}

void give_reason(NativeCall& call) {
    const unsigned long code = ERR_peek_error();
    char text[256] = "";
    if (code != 0) ERR_error_string_n(code, text, sizeof(text));
    const char* library = code == 0 ? nullptr : ERR_lib_error_string(code);
    const char* why = code == 0 ? nullptr : ERR_reason_error_string(code);
    ERR_clear_error();
    call.give_text(std::string("\n") + text + "\n" + (library == nullptr ? "" : library) + "\n" +
                   (why == nullptr ? "" : why));
}

void read(NativeStates& states, NativeCall& call) {
    const std::span<std::byte> bytes = call.bytes(0);
    const bool is_private = call.truth(2);
    const bool has_passphrase = call.count() > 3;
    std::string passphrase = has_passphrase ? call.text(3) : std::string();
    EVP_PKEY* made = nullptr;
    ERR_clear_error();
    const Own<OSSL_DECODER_CTX> decoder(OSSL_DECODER_CTX_new_for_pkey(
        &made, call.truth(1) ? "PEM" : "DER", nullptr, nullptr,
        is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, nullptr, nullptr));
    if (!decoder) return give_reason(call);
    OSSL_DECODER_CTX_set_passphrase_cb(decoder.get(),
                                       has_passphrase ? &give_passphrase : &give_none, &passphrase);
    const unsigned char* at = raw(bytes);
    std::size_t size = bytes.size();
    if (OSSL_DECODER_from_data(decoder.get(), &at, &size) != 1 || made == nullptr) {
        EVP_PKEY_free(made);
        return give_reason(call);
    }
    ERR_clear_error();
    add(states, call, made);
}

void generate(NativeStates& states, NativeCall& call) {
    const std::string type = call.text(0);
    const int bits = integer(call, 1);
    const std::string curve = call.text(2);
    ERR_clear_error();
    const Own<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, type.c_str(), nullptr));
    bool is_fine = context && EVP_PKEY_keygen_init(context.get()) == 1;
    if (is_fine && bits > 0) is_fine = EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), bits) == 1;
    if (is_fine && bits > 0) {
        const Own<BIGNUM> exponent(BN_new());
        BN_set_word(exponent.get(), static_cast<BN_ULONG>(std::max(1.0, call.number(3))));
        is_fine = EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context.get(), exponent.get()) == 1;
    }
    if (is_fine && !curve.empty()) {
        is_fine = EVP_PKEY_CTX_set_group_name(context.get(), curve.c_str()) == 1;
    }
    EVP_PKEY* made = nullptr;
    if (!is_fine || EVP_PKEY_generate(context.get(), &made) != 1) return give_reason(call);
    add(states, call, made);
}

void public_half(NativeStates& states, NativeCall& call) {
    EVP_PKEY* key = find(states, call.number(0));
    if (key == nullptr) return;
    unsigned char* bytes = nullptr;
    const int size = i2d_PUBKEY(key, &bytes);
    const unsigned char* at = bytes;
    EVP_PKEY* made = size > 0 ? d2i_PUBKEY(nullptr, &at, size) : nullptr;
    OPENSSL_free(bytes);
    if (made == nullptr) return give_reason(call);
    add(states, call, made);
}

void info(NativeStates& states, NativeCall& call) {
    EVP_PKEY* key = find(states, call.number(0));
    if (key == nullptr) return;
    const char* type = EVP_PKEY_get0_type_name(key);
    char curve[80] = "";
    std::size_t length = 0;
    EVP_PKEY_get_group_name(key, curve, sizeof(curve), &length);
    BIGNUM* exponent = nullptr;
    EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent);
    const Own<BIGNUM> owned(exponent);
    char* shown = exponent == nullptr ? nullptr : BN_bn2dec(exponent);
    call.give_text(std::string(type == nullptr ? "" : type) + "\n" +
                   std::to_string(EVP_PKEY_get_bits(key)) + "\n" + curve + "\n" +
                   (shown == nullptr ? "" : shown));
    OPENSSL_free(shown);
    ERR_clear_error();
}

void write(NativeStates& states, NativeCall& call) {
    EVP_PKEY* key = find(states, call.number(0));
    if (key == nullptr) return;
    const bool is_private = call.truth(1);
    const bool is_pem = call.truth(2);
    const std::string type = call.text(3);
    const std::string cipher = call.text(4);
    const std::string passphrase = call.text(5);
    const char* structure = type == "spki" ? "SubjectPublicKeyInfo"
                            : type == "pkcs8"
                                ? (cipher.empty() ? "PrivateKeyInfo" : "EncryptedPrivateKeyInfo")
                                : "type-specific";
    ERR_clear_error();
    const Own<OSSL_ENCODER_CTX> encoder(
        OSSL_ENCODER_CTX_new_for_pkey(key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
                                      is_pem ? "PEM" : "DER", structure, nullptr));
    bool is_fine = encoder && OSSL_ENCODER_CTX_get_num_encoders(encoder.get()) > 0;
    if (is_fine && !cipher.empty()) {
        is_fine = OSSL_ENCODER_CTX_set_cipher(encoder.get(), cipher.c_str(), nullptr) == 1 &&
                  OSSL_ENCODER_CTX_set_passphrase(
                      encoder.get(), reinterpret_cast<const unsigned char*>(passphrase.data()),
                      passphrase.size()) == 1;
    }
    unsigned char* bytes = nullptr;
    std::size_t size = 0;
    if (!is_fine || OSSL_ENCODER_to_data(encoder.get(), &bytes, &size) != 1)
        return give_reason(call);
    call.give_text(hex({bytes, size}));
    OPENSSL_clear_free(bytes, size);
}

void part(NativeStates& states, NativeCall& call) {
    EVP_PKEY* key = find(states, call.number(0));
    if (key == nullptr) return;
    const std::string name = call.text(1);
    BIGNUM* number = nullptr;
    std::vector<unsigned char> bytes;
    std::size_t size = 0;
    if (EVP_PKEY_get_bn_param(key, name.c_str(), &number) == 1) {
        const Own<BIGNUM> owned(number);
        bytes.resize(static_cast<std::size_t>(BN_num_bytes(number)));
        BN_bn2bin(number, bytes.data());
        call.give_text(hex(bytes));
    } else if (EVP_PKEY_get_octet_string_param(key, name.c_str(), nullptr, 0, &size) == 1) {
        bytes.resize(size);
        EVP_PKEY_get_octet_string_param(key, name.c_str(), bytes.data(), size, &size);
        call.give_text(hex(bytes));
    }
    ERR_clear_error();
}

namespace {

// A context that signs or verifies with the options of a call.
Own<EVP_MD_CTX> signer_of(NativeCall& call, EVP_PKEY* key, bool verifies) {
    const std::string digest = call.text(1);
    Own<EVP_MD_CTX> context(EVP_MD_CTX_new());
    EVP_PKEY_CTX* parameters = nullptr;
    const char* name = digest.empty() ? nullptr : digest.c_str();
    const int begun = verifies ? EVP_DigestVerifyInit_ex(context.get(), &parameters, name, nullptr,
                                                         nullptr, key, nullptr)
                               : EVP_DigestSignInit_ex(context.get(), &parameters, name, nullptr,
                                                       nullptr, key, nullptr);
    if (begun != 1 || !set_padding(parameters, integer(call, 3), integer(call, 4))) return nullptr;
    return context;
}

}  // namespace

void sign(NativeStates& states, NativeCall& call) {
    EVP_PKEY* key = find(states, call.number(0));
    const std::span<std::byte> bytes = call.bytes(2);
    ERR_clear_error();
    const Own<EVP_MD_CTX> context = key == nullptr ? nullptr : signer_of(call, key, false);
    std::size_t size = 0;
    if (!context || EVP_DigestSign(context.get(), nullptr, &size, raw(bytes), bytes.size()) != 1) {
        return give_reason(call);
    }
    std::vector<unsigned char> made(size);
    if (EVP_DigestSign(context.get(), made.data(), &size, raw(bytes), bytes.size()) != 1) {
        return give_reason(call);
    }
    call.give_text(hex(std::span(made).first(size)));
}

void verify(NativeStates& states, NativeCall& call) {
    EVP_PKEY* key = find(states, call.number(0));
    const std::span<std::byte> bytes = call.bytes(2);
    const std::span<std::byte> signature = call.bytes(5);
    ERR_clear_error();
    const Own<EVP_MD_CTX> context = key == nullptr ? nullptr : signer_of(call, key, true);
    if (!context) return give_reason(call);
    call.give_truth(EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(bytes),
                                     bytes.size()) == 1);
    ERR_clear_error();
}

namespace {

using CryptCall = int (*)(EVP_PKEY_CTX*, unsigned char*, std::size_t*, const unsigned char*,
                          std::size_t);

bool set_oaep(EVP_PKEY_CTX* context, NativeCall& call, int padding) {
    if (padding != RSA_PKCS1_OAEP_PADDING) return true;
    const std::string digest = call.text(5);
    if (EVP_PKEY_CTX_set_rsa_oaep_md_name(context, digest.c_str(), nullptr) != 1) return false;
    const std::span<std::byte> label = call.bytes(6);
    if (label.empty()) return true;
    void* copy = OPENSSL_memdup(label.data(), label.size());
    if (EVP_PKEY_CTX_set0_rsa_oaep_label(context, copy, static_cast<int>(label.size())) == 1) {
        return true;
    }
    OPENSSL_free(copy);
    return false;
}

}  // namespace

void crypt(NativeStates& states, NativeCall& call) {
    EVP_PKEY* key = find(states, call.number(0));
    const bool encrypts = call.truth(1);
    const bool is_private = call.truth(2);
    const std::span<std::byte> bytes = call.bytes(3);
    const int padding = integer(call, 4);
    ERR_clear_error();
    const Own<EVP_PKEY_CTX> context(
        key == nullptr ? nullptr : EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
    // With the private half data is signed, and with the public one recovered.
    const bool signs = encrypts == is_private;
    const auto begin = signs ? (encrypts ? &EVP_PKEY_sign_init : &EVP_PKEY_verify_recover_init)
                             : (encrypts ? &EVP_PKEY_encrypt_init : &EVP_PKEY_decrypt_init);
    const CryptCall run = signs ? (encrypts ? &EVP_PKEY_sign : &EVP_PKEY_verify_recover)
                                : (encrypts ? &EVP_PKEY_encrypt : &EVP_PKEY_decrypt);
    std::size_t size = 0;
    if (!context || begin(context.get()) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(context.get(), padding) != 1 ||
        !set_oaep(context.get(), call, padding) ||
        run(context.get(), nullptr, &size, raw(bytes), bytes.size()) != 1) {
        return give_reason(call);
    }
    std::vector<unsigned char> made(size);
    if (run(context.get(), made.data(), &size, raw(bytes), bytes.size()) != 1) {
        return give_reason(call);
    }
    call.give_text("x" + hex(std::span(made).first(size)));
}

void agree(NativeStates& states, NativeCall& call) {
    EVP_PKEY* own = find(states, call.number(0));
    EVP_PKEY* peer = find(states, call.number(1));
    ERR_clear_error();
    const Own<EVP_PKEY_CTX> context(
        own == nullptr ? nullptr : EVP_PKEY_CTX_new_from_pkey(nullptr, own, nullptr));
    std::size_t size = 0;
    if (!context || peer == nullptr || EVP_PKEY_derive_init(context.get()) != 1 ||
        EVP_PKEY_derive_set_peer(context.get(), peer) != 1 ||
        EVP_PKEY_derive(context.get(), nullptr, &size) != 1) {
        return give_reason(call);
    }
    std::vector<unsigned char> made(size);
    if (EVP_PKEY_derive(context.get(), made.data(), &size) != 1) return give_reason(call);
    call.give_text(hex(std::span(made).first(size)));
}

void equal(NativeStates& states, NativeCall& call) {
    EVP_PKEY* a = find(states, call.number(0));
    EVP_PKEY* b = find(states, call.number(1));
    call.give_truth(a != nullptr && b != nullptr && EVP_PKEY_eq(a, b) == 1);
    ERR_clear_error();
}

}  // namespace gyre::script::key

#else

namespace gyre::script::key {

void read(NativeStates& /*states*/, NativeCall& /*call*/) {}
void generate(NativeStates& /*states*/, NativeCall& /*call*/) {}
void public_half(NativeStates& /*states*/, NativeCall& /*call*/) {}
void info(NativeStates& /*states*/, NativeCall& /*call*/) {}
void write(NativeStates& /*states*/, NativeCall& /*call*/) {}
void part(NativeStates& /*states*/, NativeCall& /*call*/) {}
void sign(NativeStates& /*states*/, NativeCall& /*call*/) {}
void verify(NativeStates& /*states*/, NativeCall& /*call*/) {}
void crypt(NativeStates& /*states*/, NativeCall& /*call*/) {}
void agree(NativeStates& /*states*/, NativeCall& /*call*/) {}
void equal(NativeStates& /*states*/, NativeCall& /*call*/) {}

}  // namespace gyre::script::key

#endif
