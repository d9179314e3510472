// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/charsets.hpp"

#include <iconv.h>

#include <array>
#include <cstdint>

namespace gyre::script {
namespace {

constexpr std::size_t character_size_max = 8;

void* const missing = reinterpret_cast<void*>(std::intptr_t{-1});  // of iconv_open

}  // namespace

Charsets::~Charsets() {
    for (const auto& [name, made] : converters_) {
        if (made != missing) ::iconv_close(made);
    }
}

void* Charsets::converter(const std::string& name) {
    const auto found = converters_.find(name);
    if (found != converters_.end()) return found->second;
    void* const made = ::iconv_open("UTF-8", name.c_str());
    converters_.emplace(name, made);
    return made;
}

std::optional<std::string> Charsets::decode(const std::string& name,
                                            std::span<const std::byte> bytes) {
    void* const made = converter(name);
    if (made == missing || bytes.empty() || bytes.size() > character_size_max) return std::nullopt;
    ::iconv(made, nullptr, nullptr, nullptr, nullptr);  // Back to the first state.
    std::string given(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::array<char, 4 * character_size_max> text;
    char* from = given.data();
    char* to = text.data();
    std::size_t left = given.size();
    std::size_t room = text.size();
    constexpr auto failed = static_cast<std::size_t>(-1);
    if (::iconv(made, &from, &left, &to, &room) == failed || left != 0) return std::nullopt;
    return std::string(text.data(), text.size() - room);
}

}  // namespace gyre::script
