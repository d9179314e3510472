// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/scram.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "gyre/db/error.hpp"
#include "gyre/db/internal/postgres/frames.hpp"

namespace gyre::db::postgres {

namespace {

constexpr std::size_t hash_bytes = 32;
using Hash = std::array<unsigned char, hash_bytes>;

const unsigned char* raw(std::string_view text) noexcept {
    return reinterpret_cast<const unsigned char*>(text.data());
}

[[noreturn]] void fail_crypto() {
    throw DbError(DbError::Kind::failed, "OpenSSL computes no SHA-256 here");
}

Hash hmac(const Hash& key, std::string_view text) {
    Hash result{};
    unsigned size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(text), text.size(),
             result.data(), &size) == nullptr) {
        fail_crypto();
    }
    return result;
}

std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), raw(bytes),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::string base64(const Hash& hash) {
    return base64({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0 || text.size() > 4096) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), raw(text),
                                     static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    // The decoder counts the padding as bytes.
    bytes.resize(static_cast<std::size_t>(size) - (text.ends_with("==")  ? 2U
                                                   : text.ends_with('=') ? 1U
                                                                         : 0U));
    return bytes;
}

// "r=…" of "r=…,s=…": the values are in a fixed order.
std::string_view take_attribute(std::string_view& rest, char name) {
    if (rest.size() < 2 || rest[0] != name || rest[1] != '=') {
        refuse_protocol(std::string("a SCRAM message without '") + name + "'");
    }
    const std::size_t end = rest.find(',');
    const std::string_view value = rest.substr(2, end == std::string_view::npos ? end : end - 2);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return value;
}

std::uint32_t iterations_of(std::string_view text) {
    std::uint32_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || value == 0) {
        refuse_protocol("a SCRAM message without a number of iterations");
    }
    if (value > Scram::iterations_max) {
        throw DbError(DbError::Kind::limit,
                      "the server wants " + std::to_string(value) +
                          " iterations of SCRAM, more than scram_iterations_max = " +
                          std::to_string(Scram::iterations_max));
    }
    return value;
}

}  // namespace

Scram::Scram(std::string password, std::string nonce, std::string user)
    : password_(std::move(password)), nonce_(std::move(nonce)), user_(std::move(user)) {}

std::string Scram::first_message() const {
    // "n,,": no channel binding.
    return "n,,n=" + user_ + ",r=" + nonce_;
}

std::string Scram::final_message(std::string_view server_first) {
    std::string_view rest = server_first;
    const std::string_view nonce = take_attribute(rest, 'r');
    const auto salt = from_base64(take_attribute(rest, 's'));
    const std::uint32_t iterations = iterations_of(take_attribute(rest, 'i'));
    if (!salt || !nonce.starts_with(nonce_) || nonce.size() == nonce_.size()) {
        refuse_protocol("a SCRAM message that does not answer ours");
    }
    Hash salted{};
    if (PKCS5_PBKDF2_HMAC(password_.data(), static_cast<int>(password_.size()), raw(*salt),
                          static_cast<int>(salt->size()), static_cast<int>(iterations),
                          EVP_sha256(), hash_bytes, salted.data()) != 1) {
        fail_crypto();
    }
    const Hash client_key = hmac(salted, "Client Key");
    Hash stored_key{};
    if (EVP_Digest(client_key.data(), client_key.size(), stored_key.data(), nullptr, EVP_sha256(),
                   nullptr) != 1) {
        fail_crypto();
    }
    const std::string bare = "c=biws,r=" + std::string(nonce);
    const std::string signed_text =
        first_message().substr(3) + "," + std::string(server_first) + "," + bare;
    Hash proof = hmac(stored_key, signed_text);
    for (std::size_t i = 0; i < hash_bytes; ++i) proof[i] ^= client_key[i];
    server_signature_ = base64(hmac(hmac(salted, "Server Key"), signed_text));
    return bare + ",p=" + base64(proof);
}

void Scram::check(std::string_view server_final) const {
    std::string_view rest = server_final;
    const std::string_view signature = take_attribute(rest, 'v');
    if (server_signature_.empty() || signature.size() != server_signature_.size() ||
        CRYPTO_memcmp(signature.data(), server_signature_.data(), signature.size()) != 0) {
        throw DbError(DbError::Kind::refused, "the server does not know the password");
    }
}

std::string random_text(std::size_t size) {
    std::string bytes(size, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size)) != 1) {
        throw DbError(DbError::Kind::failed, "OpenSSL has no random bytes here");
    }
    return base64(bytes);
}

}  // namespace gyre::db::postgres
