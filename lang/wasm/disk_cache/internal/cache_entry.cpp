// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/disk_cache/internal/cache_entry.hpp"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "gyre/base/assert.hpp"

namespace gyre::wasm {
namespace {

constexpr std::string_view magic = "gyre code 2\n";
constexpr std::size_t number_size = 8;
constexpr std::size_t tail_size =
    magic.size() + sizeof(CacheHash) + number_size + sizeof(CacheHash);

std::string_view bytes_of(const CacheHash& hash) noexcept {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::string number(std::uint64_t value) {
    std::string bytes;
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift);
    return bytes;
}

CacheHash hash_of(std::initializer_list<std::string_view> parts) {
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                     &EVP_MD_CTX_free);
    GYRE_ASSERT(context != nullptr, "no memory for a hash");
    int is_fine = EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
    for (const std::string_view part : parts) {
        is_fine &= EVP_DigestUpdate(context.get(), part.data(), part.size());
    }
    CacheHash hash{};
    is_fine &= EVP_DigestFinal_ex(context.get(), hash.data(), nullptr);
    GYRE_ASSERT(is_fine == 1, "this OpenSSL has no SHA-256");
    return hash;
}

// Finds damage, at the speed of memory. Each step is a bijection of its lane, so that a change of one word always changes the
// result. It keeps nobody out: who can write the entry can write its checksum.
CacheHash checksum_of(std::string_view bytes) noexcept {
    constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;
    std::array<std::uint64_t, 4> lanes{1, 2, 3, bytes.size()};
    const auto mix = [&lanes](const char* block) {
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, block + 8 * i, sizeof word);
            lanes[i] = std::rotl((lanes[i] ^ word) * odd, 29);
        }
    };
    constexpr std::size_t block_size = sizeof lanes;
    for (; bytes.size() >= block_size; bytes.remove_prefix(block_size)) mix(bytes.data());
    std::array<char, block_size> last{};
    if (!bytes.empty()) std::memcpy(last.data(), bytes.data(), bytes.size());
    mix(last.data());
    mix(last.data());
    CacheHash hash{};
    std::memcpy(hash.data(), lanes.data(), hash.size());
    return hash;
}

}  // namespace

CacheHash cache_key(std::string_view engine, std::string_view module) {
    return hash_of({magic, number(engine.size()), engine, number(module.size()), module});
}

std::string cache_file_name(const CacheHash& key) {
    std::string name;
    for (const unsigned char byte : key) {
        name += "0123456789abcdef"[byte >> 4u];
        name += "0123456789abcdef"[byte & 15u];
    }
    return name + ".code";
}

std::string write_cache_entry(const CacheHash& key, std::string_view code) {
    std::string entry;
    entry.reserve(code.size() + tail_size);
    entry.append(code).append(magic).append(bytes_of(key)).append(number(code.size()));
    return entry.append(bytes_of(checksum_of(entry)));
}

std::optional<std::string_view> read_cache_entry(std::string_view entry, const CacheHash& key) {
    if (entry.size() < tail_size) return std::nullopt;
    const std::string_view content = entry.substr(0, entry.size() - key.size());
    const std::string_view code = entry.substr(0, entry.size() - tail_size);
    std::string tail(magic);
    tail.append(bytes_of(key)).append(number(code.size()));
    if (content.substr(code.size()) != tail) return std::nullopt;
    if (entry.substr(content.size()) != bytes_of(checksum_of(content))) return std::nullopt;
    return code;
}

}  // namespace gyre::wasm
