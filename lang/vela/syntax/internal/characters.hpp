// SPDX-License-Identifier: Apache-2.0
// Character classes and keywords. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lang/vela/syntax/detail/token.hpp"

namespace gyre::vela::internal {

enum CharacterClass : std::uint8_t { letter = 1, digit = 2, blank = 4 };

constexpr std::array<std::uint8_t, 256> make_character_classes() {
    std::array<std::uint8_t, 256> classes{};
    for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = letter;
    for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = letter;
    for (unsigned c = '0'; c <= '9'; ++c) classes[c] = digit;
    classes['_'] = letter;
    for (const char c : {' ', '\t', '\r', '\n'}) classes[static_cast<unsigned char>(c)] = blank;
    return classes;
}
inline constexpr std::array<std::uint8_t, 256> character_classes = make_character_classes();

[[nodiscard]] inline bool is_in(char character, unsigned classes) noexcept {
    return (character_classes[static_cast<unsigned char>(character)] & classes) != 0;
}

// Whether a name begins with a capital letter, as types do.
[[nodiscard]] inline bool is_capitalised(std::string_view name) noexcept {
    return !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
}

// The code point of a well-formed UTF-8 sequence.
[[nodiscard]] std::uint32_t code_point(std::string_view sequence) noexcept;

// Whether a code point above ASCII is allowed in a name: all but blanks, punctuation, symbols,
// pictographs and private use.
[[nodiscard]] bool is_name_code_point(std::uint32_t code_point) noexcept;

// The kind of a keyword, or TokenKind::name.
[[nodiscard]] TokenKind keyword(std::string_view word) noexcept;

}  // namespace gyre::vela::internal
