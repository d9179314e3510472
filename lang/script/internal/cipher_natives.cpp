// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/cipher_natives.hpp"

#include <climits>
#include <string>

#ifdef GYRE_HAS_OPENSSL

#    include <openssl/err.h>
#    include <openssl/evp.h>
#    include <openssl/objects.h>

namespace gyre::script::cipher {
namespace {

constexpr std::size_t state_bytes = 1024;  // about what OpenSSL takes for one
constexpr std::size_t tag_bytes_max = 16;

struct Free {
    void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
template <class Kind>
using Own = std::unique_ptr<Kind, Free>;

Own<EVP_CIPHER> cipher_named(const std::string& name) {
    Own<EVP_CIPHER> found(EVP_CIPHER_fetch(nullptr, name.c_str(), nullptr));
    if (!found) {
        const EVP_CIPHER* old = EVP_get_cipherbyname(name.c_str());
        if (old != nullptr) {
            found.reset(EVP_CIPHER_fetch(nullptr, EVP_CIPHER_get0_name(old), nullptr));
        }
    }
    ERR_clear_error();
    return found;
}

const unsigned char* data(std::span<std::byte> bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* room(std::span<std::byte> bytes) {
    return reinterpret_cast<unsigned char*>(bytes.data());
}
int size_of(std::span<std::byte> bytes) {
    return static_cast<int>(bytes.size());
}

const char* mode_name(int mode) {
    switch (mode) {
        case EVP_CIPH_CBC_MODE:
            return "cbc";
        case EVP_CIPH_CCM_MODE:
            return "ccm";
        case EVP_CIPH_CFB_MODE:
            return "cfb";
        case EVP_CIPH_CTR_MODE:
            return "ctr";
        case EVP_CIPH_ECB_MODE:
            return "ecb";
        case EVP_CIPH_GCM_MODE:
            return "gcm";
        case EVP_CIPH_OCB_MODE:
            return "ocb";
        case EVP_CIPH_OFB_MODE:
            return "ofb";
        case EVP_CIPH_WRAP_MODE:
            return "wrap";
        case EVP_CIPH_XTS_MODE:
            return "xts";
        default:
            return "stream";
    }
}

class Cipher final : public NativeStates::State {
public:
    Own<EVP_CIPHER_CTX> context{EVP_CIPHER_CTX_new()};
    bool encrypts = false;
};

// As OpenSSL and Node write it: error:CODE:library:function:reason
std::string reason() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (code == 0) return {};
    char text[256];
    ERR_error_string_n(code, text, sizeof(text));
    const char* library = ERR_lib_error_string(code);
    const char* why = ERR_reason_error_string(code);
    return std::string(text) + "\n" + (library == nullptr ? "" : library) + "\n" +
           (why == nullptr ? "" : why);
}

std::string open_in(Cipher& made, NativeCall& call, const EVP_CIPHER* cipher) {
    const std::span<std::byte> key = call.bytes(2);
    const std::span<std::byte> iv = call.bytes(3);
    const bool has_iv = EVP_CIPHER_get_iv_length(cipher) > 0;
    const bool is_aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    EVP_CIPHER_CTX* const context = made.context.get();
    const int encrypts = made.encrypts ? 1 : 0;
    const int mode = EVP_CIPHER_get_mode(cipher);
    if (mode == EVP_CIPH_WRAP_MODE)
        EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    if (EVP_CipherInit_ex(context, cipher, nullptr, nullptr, nullptr, encrypts) != 1) {
        return "initialization failed";
    }
    if (has_iv && is_aead &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, size_of(iv), nullptr) != 1) {
        return "iv";
    }
    // These two know the size of the tag from the beginning.
    const double tag_bytes = call.number(4);
    const bool needs_tag = mode == EVP_CIPH_CCM_MODE || mode == EVP_CIPH_OCB_MODE;
    if (needs_tag && (!(tag_bytes >= 1 && tag_bytes <= tag_bytes_max) ||
                      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG,
                                          static_cast<int>(tag_bytes), nullptr) != 1)) {
        return "tag";
    }
    if (has_iv && !is_aead && size_of(iv) != EVP_CIPHER_get_iv_length(cipher)) return "iv";
    if (size_of(key) != EVP_CIPHER_get_key_length(cipher)) return "key";
    if (EVP_CipherInit_ex(context, nullptr, nullptr, data(key), has_iv ? data(iv) : nullptr,
                          encrypts) != 1) {
        return "initialization failed";
    }
    return {};
}

}  // namespace

void names(NativeCall& call) {
    std::string made;
    EVP_CIPHER_do_all_sorted(
        [](const EVP_CIPHER* cipher, const char* from, const char* to, void* list) {
            const char* name = from != nullptr ? from : to;
            if (cipher == nullptr || name == nullptr) return;
            if (cipher_named(EVP_CIPHER_get0_name(cipher))) {
                *static_cast<std::string*>(list) += std::string(name) + "\n";
            }
        },
        &made);
    call.give_text(made);
}

void info(NativeCall& call) {
    const Own<EVP_CIPHER> cipher = cipher_named(call.text(0));
    if (!cipher) return;
    const char* name = OBJ_nid2sn(EVP_CIPHER_get_nid(cipher.get()));
    std::string shown(name == nullptr ? EVP_CIPHER_get0_name(cipher.get()) : name);
    call.give_text(
        shown + "\n" + mode_name(EVP_CIPHER_get_mode(cipher.get())) + "\n" +
        std::to_string(EVP_CIPHER_get_nid(cipher.get())) + "\n" +
        std::to_string(EVP_CIPHER_get_block_size(cipher.get())) + "\n" +
        std::to_string(EVP_CIPHER_get_iv_length(cipher.get())) + "\n" +
        std::to_string(EVP_CIPHER_get_key_length(cipher.get())) + "\n" +
        ((EVP_CIPHER_get_flags(cipher.get()) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0 ? "1" : ""));
}

void open(NativeStates& states, NativeCall& call) {
    const Own<EVP_CIPHER> cipher = cipher_named(call.text(0));
    if (!cipher) return call.give_text("unknown");
    auto made = std::make_unique<Cipher>();
    made->encrypts = call.truth(1);
    if (!made->context) return call.give_text("initialization failed");
    const std::string why = open_in(*made, call, cipher.get());
    ERR_clear_error();
    if (!why.empty()) return call.give_text(why);
    states.add(call, std::move(made), state_bytes);
}

void update(NativeStates& states, NativeCall& call) {
    Cipher* cipher = states.find<Cipher>(call.number(0));
    const std::span<std::byte> input = call.bytes(1);
    const std::span<std::byte> output = call.bytes(2);
    // A block more than the input may come out.
    if (cipher == nullptr || output.size() < input.size() + EVP_MAX_BLOCK_LENGTH ||
        input.size() > INT_MAX - EVP_MAX_BLOCK_LENGTH) {
        return call.give_number(-1);
    }
    int written = 0;
    const int done = EVP_CipherUpdate(cipher->context.get(), room(output), &written, data(input),
                                      size_of(input));
    ERR_clear_error();
    call.give_number(done == 1 ? written : -1);
}

void final(NativeStates& states, NativeCall& call) {
    Cipher* cipher = states.find<Cipher>(call.number(0));
    const std::span<std::byte> output = call.bytes(1);
    if (cipher == nullptr || output.size() < EVP_MAX_BLOCK_LENGTH) return call.give_text("");
    int written = 0;
    ERR_clear_error();
    if (EVP_CipherFinal_ex(cipher->context.get(), room(output), &written) == 1) {
        return call.give_number(written);
    }
    call.give_text(reason());
}

void aad(NativeStates& states, NativeCall& call) {
    Cipher* cipher = states.find<Cipher>(call.number(0));
    const std::span<std::byte> bytes = call.bytes(1);
    int written = 0;
    const double plain = call.number(2);
    if (cipher != nullptr && plain >= 0 &&
        (plain > INT_MAX || EVP_CipherUpdate(cipher->context.get(), nullptr, &written, nullptr,
                                             static_cast<int>(plain)) != 1)) {
        ERR_clear_error();
        return call.give_truth(false);
    }
    call.give_truth(cipher != nullptr && bytes.size() < INT_MAX &&
                    EVP_CipherUpdate(cipher->context.get(), nullptr, &written, data(bytes),
                                     size_of(bytes)) == 1);
    ERR_clear_error();
}

void tag(NativeStates& states, NativeCall& call) {
    Cipher* cipher = states.find<Cipher>(call.number(0));
    const std::span<std::byte> output = call.bytes(1);
    call.give_truth(cipher != nullptr && output.size() <= tag_bytes_max &&
                    EVP_CIPHER_CTX_ctrl(cipher->context.get(), EVP_CTRL_AEAD_GET_TAG,
                                        size_of(output), room(output)) == 1);
    ERR_clear_error();
}

void set_tag(NativeStates& states, NativeCall& call) {
    Cipher* cipher = states.find<Cipher>(call.number(0));
    const std::span<std::byte> given = call.bytes(1);
    call.give_truth(cipher != nullptr && given.size() <= tag_bytes_max &&
                    EVP_CIPHER_CTX_ctrl(cipher->context.get(), EVP_CTRL_AEAD_SET_TAG,
                                        size_of(given), room(given)) == 1);
    ERR_clear_error();
}

void padding(NativeStates& states, NativeCall& call) {
    const Cipher* cipher = states.find<Cipher>(call.number(0));
    if (cipher == nullptr) return;
    EVP_CIPHER_CTX_set_padding(cipher->context.get(), call.truth(1) ? 1 : 0);
}

}  // namespace gyre::script::cipher

#else

namespace gyre::script::cipher {

void names(NativeCall& call) {
    call.give_text("");
}
void info(NativeCall& /*call*/) {}
void open(NativeStates& /*states*/, NativeCall& call) {
    call.give_text("unknown");
}
void update(NativeStates& /*states*/, NativeCall& /*call*/) {}
void final(NativeStates& /*states*/, NativeCall& /*call*/) {}
void aad(NativeStates& /*states*/, NativeCall& /*call*/) {}
void tag(NativeStates& /*states*/, NativeCall& /*call*/) {}
void set_tag(NativeStates& /*states*/, NativeCall& /*call*/) {}
void padding(NativeStates& /*states*/, NativeCall& /*call*/) {}

}  // namespace gyre::script::cipher

#endif
