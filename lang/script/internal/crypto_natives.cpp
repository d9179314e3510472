// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/crypto_natives.hpp"

#include <cstdint>
#include <string>

#ifdef GYRE_HAS_OPENSSL

#    include <openssl/crypto.h>
#    include <openssl/evp.h>

namespace gyre::script::crypto {
namespace {

struct Free {
    void operator()(EVP_MD* digest) const { EVP_MD_free(digest); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
    void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
constexpr std::size_t state_bytes = 2048;  // about what OpenSSL takes for one
template <class Kind>
using Own = std::unique_ptr<Kind, Free>;

const unsigned char* data(std::span<std::byte> bytes) {
    static constexpr unsigned char none = 0;
    return bytes.empty() ? &none : reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* room(std::span<std::byte> bytes) {
    return reinterpret_cast<unsigned char*>(bytes.data());
}

// By a name of a provider, or by an older one, as RSA-SHA256.
Own<EVP_MD> digest_named(const std::string& name) {
    if (EVP_MD* digest = EVP_MD_fetch(nullptr, name.c_str(), nullptr)) return Own<EVP_MD>(digest);
    const EVP_MD* old = EVP_get_digestbyname(name.c_str());
    return Own<EVP_MD>(old == nullptr ? nullptr
                                      : EVP_MD_fetch(nullptr, EVP_MD_get0_name(old), nullptr));
}

// A hash or an HMAC.
class Hash final : public NativeStates::State {
public:
    Own<EVP_MD_CTX> plain;
    Own<EVP_MAC_CTX> keyed;
    bool has_chosen_size = false;

    bool update(std::span<std::byte> bytes) {
        if (keyed) return EVP_MAC_update(keyed.get(), data(bytes), bytes.size()) == 1;
        return EVP_DigestUpdate(plain.get(), data(bytes), bytes.size()) == 1;
    }
    bool end(std::span<std::byte> output) {
        if (keyed) {
            std::size_t size = 0;
            return EVP_MAC_final(keyed.get(), room(output), &size, output.size()) == 1;
        }
        if (has_chosen_size) {
            return EVP_DigestFinalXOF(plain.get(), room(output), output.size()) == 1;
        }
        unsigned size = 0;
        return EVP_DigestFinal_ex(plain.get(), room(output), &size) == 1;
    }
};

std::unique_ptr<Hash> open_plain(const EVP_MD* digest, double size) {
    auto made = std::make_unique<Hash>();
    made->plain.reset(EVP_MD_CTX_new());
    made->has_chosen_size = size > 0 && (EVP_MD_get_flags(digest) & EVP_MD_FLAG_XOF) != 0;
    if (!made->plain || EVP_DigestInit_ex(made->plain.get(), digest, nullptr) != 1) return nullptr;
    return made;
}

std::unique_ptr<Hash> open_keyed(const EVP_MD* of, std::span<std::byte> key) {
    auto made = std::make_unique<Hash>();
    const Own<EVP_MAC> mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    if (!mac) return nullptr;
    made->keyed.reset(EVP_MAC_CTX_new(mac.get()));
    std::string digest = EVP_MD_get0_name(of);
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string("digest", digest.data(), digest.size()),
        OSSL_PARAM_construct_end()};
    if (!made->keyed || EVP_MAC_init(made->keyed.get(), data(key), key.size(), parameters) != 1) {
        return nullptr;
    }
    return made;
}

}  // namespace

void engine(NativeCall& call) {
    call.give_text(OpenSSL_version(OPENSSL_VERSION_STRING));
}

void hash_names(NativeCall& call) {
    std::string names;
    EVP_MD_do_all_sorted(
        [](const EVP_MD* digest, const char* from, const char* to, void* made) {
            const char* name = from != nullptr ? from : to;
            if (digest == nullptr && from == nullptr) return;
            if (name == nullptr || !digest_named(to != nullptr ? to : from)) return;
            *static_cast<std::string*>(made) += std::string(name) + "\n";
        },
        &names);
    call.give_text(names);
}

void hash_size(NativeCall& call) {
    const Own<EVP_MD> digest = digest_named(call.text(0));
    call.give_number(digest ? EVP_MD_get_size(digest.get()) : 0);
}

void open(NativeStates& states, NativeCall& call) {
    const std::string name = call.text(0);
    const Own<EVP_MD> digest = digest_named(name);
    if (!digest) return;
    std::unique_ptr<Hash> made = call.truth(3) ? open_keyed(digest.get(), call.bytes(1))
                                               : open_plain(digest.get(), call.number(2));
    if (made == nullptr) return;
    states.add(call, std::move(made), state_bytes);
}

void update(NativeStates& states, NativeCall& call) {
    Hash* hash = states.find<Hash>(call.number(0));
    call.give_truth(hash != nullptr && hash->update(call.bytes(1)));
}

void digest(NativeStates& states, NativeCall& call) {
    Hash* hash = states.find<Hash>(call.number(0));
    const std::span<std::byte> output = call.bytes(1);
    // Without a chosen size the digest writes its own: the room must be enough.
    const bool fits =
        hash != nullptr &&
        (hash->keyed || hash->has_chosen_size ||
         output.size() >= static_cast<std::size_t>(EVP_MD_CTX_get_size(hash->plain.get())));
    call.give_truth(fits && hash->end(output));
    states.close(call.number(0));
}

void copy(NativeStates& states, NativeCall& call) {
    const Hash* hash = states.find<Hash>(call.number(0));
    if (hash == nullptr || hash->keyed) return;
    auto made = std::make_unique<Hash>();
    made->plain.reset(EVP_MD_CTX_new());
    if (!made->plain || EVP_MD_CTX_copy_ex(made->plain.get(), hash->plain.get()) != 1) return;
    const EVP_MD* digest = EVP_MD_CTX_get0_md(made->plain.get());
    made->has_chosen_size = call.number(1) > 0 && (EVP_MD_get_flags(digest) & EVP_MD_FLAG_XOF) != 0;
    states.add(call, std::move(made), state_bytes);
}

void pbkdf2(NativeCall& call) {
    const Own<EVP_MD> digest = digest_named(call.text(3));
    const std::span<std::byte> password = call.bytes(0);
    const std::span<std::byte> salt = call.bytes(1);
    const std::span<std::byte> output = call.bytes(4);
    if (!digest) return call.give_truth(false);
    const int done = PKCS5_PBKDF2_HMAC(
        reinterpret_cast<const char*>(data(password)), static_cast<int>(password.size()),
        data(salt), static_cast<int>(salt.size()), static_cast<int>(call.number(2)), digest.get(),
        static_cast<int>(output.size()), room(output));
    call.give_truth(done == 1);
}

void scrypt(NativeCall& call) {
    const std::span<std::byte> password = call.bytes(0);
    const std::span<std::byte> salt = call.bytes(1);
    const std::span<std::byte> output = call.bytes(6);
    const auto number = [&call](std::size_t index) {
        return static_cast<std::uint64_t>(call.number(index));
    };
    // Without an output the parameters are checked alone.
    const int done =
        EVP_PBE_scrypt(reinterpret_cast<const char*>(data(password)), password.size(), data(salt),
                       salt.size(), number(2), number(3), number(4), number(5),
                       output.empty() ? nullptr : room(output), output.size());
    call.give_truth(done == 1);
}

void equal(NativeCall& call) {
    const std::span<std::byte> a = call.bytes(0);
    const std::span<std::byte> b = call.bytes(1);
    call.give_truth(a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace gyre::script::crypto

#else

namespace gyre::script::crypto {

void engine(NativeCall& call) {
    call.give_text("");
}
void hash_names(NativeCall& call) {
    call.give_text("");
}
void hash_size(NativeCall& call) {
    call.give_number(0);
}
void open(NativeStates& /*states*/, NativeCall& /*call*/) {}
void update(NativeStates& /*states*/, NativeCall& /*call*/) {}
void digest(NativeStates& /*states*/, NativeCall& /*call*/) {}
void copy(NativeStates& /*states*/, NativeCall& /*call*/) {}
void pbkdf2(NativeCall& /*call*/) {}
void scrypt(NativeCall& /*call*/) {}
void equal(NativeCall& /*call*/) {}

}  // namespace gyre::script::crypto

#endif
