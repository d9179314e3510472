// SPDX-License-Identifier: Apache-2.0
// The punctuation of Vela: a table of signs, and the index of the first sign by its first
// character.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "lang/vela/syntax/detail/token.hpp"

namespace gyre::vela::internal {

struct Sign {
    std::string_view text;
    TokenKind kind;
};
// Grouped by first character, longest first.
inline constexpr Sign signs[] = {
    {"...", TokenKind::ellipsis},
    {"..=", TokenKind::range_inclusive},
    {"..", TokenKind::range},
    {".", TokenKind::dot},
    {"::", TokenKind::double_colon},
    {":", TokenKind::colon},
    {"?.", TokenKind::question_dot},
    {"??", TokenKind::double_question},
    {"?", TokenKind::question},
    {"->", TokenKind::arrow},
    {"-=", TokenKind::minus_assign},
    {"-", TokenKind::minus},
    {"=>", TokenKind::fat_arrow},
    {"==", TokenKind::equal},
    {"=", TokenKind::assign},
    {"+=", TokenKind::plus_assign},
    {"+", TokenKind::plus},
    {"**", TokenKind::star_star},
    {"*=", TokenKind::star_assign},
    {"*", TokenKind::star},
    {"/=", TokenKind::slash_assign},
    {"/", TokenKind::slash},
    {"%=", TokenKind::percent_assign},
    {"%", TokenKind::percent},
    {"||", TokenKind::or_or},
    {"|", TokenKind::pipe},
    {"&&", TokenKind::and_and},
    {"!=", TokenKind::not_equal},
    {"!", TokenKind::bang},
    {"<=", TokenKind::less_equal},
    {"<", TokenKind::less},
    {">=", TokenKind::greater_equal},
    {">", TokenKind::greater},
    {"(", TokenKind::paren_open},
    {")", TokenKind::paren_close},
    {"[", TokenKind::bracket_open},
    {"]", TokenKind::bracket_close},
    {"{", TokenKind::brace_open},
    {"}", TokenKind::brace_close},
    {",", TokenKind::comma},
    {";", TokenKind::semicolon},
    {"@", TokenKind::at},
};
constexpr std::array<std::uint8_t, 256> make_sign_begins() {
    std::array<std::uint8_t, 256> begins{};
    begins.fill(std::size(signs));
    for (std::size_t i = std::size(signs); i-- > 0;) {
        begins[static_cast<unsigned char>(signs[i].text[0])] = static_cast<std::uint8_t>(i);
    }
    return begins;
}
inline constexpr std::array<std::uint8_t, 256> sign_begins = make_sign_begins();

}  // namespace gyre::vela::internal
