// SPDX-License-Identifier: Apache-2.0
// The character classes of HTTP's grammar, and comparisons without case. ASCII, independent of the
// locale. Pure functions.
#pragma once

#if defined(__SSE2__)
#    include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

namespace gyre::http {

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) noexcept {
    if (is_digit(c)) return c - '0';
    const char small = lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}
// Control characters are not allowed in a line, except a tab in the value of a field.
constexpr bool is_control(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

#if defined(__SSE2__)
// A bit for each control character among sixteen bytes.
[[nodiscard]] inline unsigned control_bits(const char* bytes) noexcept {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const __m128i below = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    const __m128i deleted = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(below, deleted)));
}
#endif

// The index of the first control character at or after `at`, or the size of the text. Takes sixteen
// bytes at a time with SSE2, then eight.
[[nodiscard]] inline std::size_t find_control(std::string_view text, std::size_t at) noexcept {
#if defined(__SSE2__)
    for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
        const unsigned found = control_bits(text.data() + at);
        if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
    }
#endif
    constexpr auto each_byte = [](std::uint64_t value) { return ~std::uint64_t{0} / 255 * value; };
    for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, sizeof word);
        if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
        const std::uint64_t below = (word - each_byte(0x20)) & ~word;
        const std::uint64_t deleted = word ^ each_byte(0x7f);
        const std::uint64_t is_zero = (deleted - each_byte(1)) & ~deleted;
        const std::uint64_t found = (below | is_zero) & each_byte(0x80);
        // A borrow can mark a byte falsely only after a truly marked one, and the first mark
        // counts.
        if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
    while (at < text.size() && !is_control(text[at])) ++at;
    return at;
}

inline constexpr auto token_table = [] {
    std::array<bool, 256> table{};
    for (unsigned i = 0; i < table.size(); ++i) {
        const char c = static_cast<char>(i);
        table[i] = is_digit(c) || is_letter(c) ||
                   std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    }
    return table;
}();

// RFC 9110 5.6.2: the characters of a token (method and field names).
constexpr bool is_token_character(char c) noexcept {
    return token_table[static_cast<unsigned char>(c)];
}

[[nodiscard]] constexpr bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

// Without leading and trailing spaces and tabs.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// Compares without case.
[[nodiscard]] constexpr bool same_word(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
               return x == y || lower(x) == lower(y);
           });
}

// RFC 3986 3.2.2: the characters of a registered name or an IPv4 address.
inline constexpr auto host_table = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("-._~!$&'()*+;=%"))
        table[static_cast<unsigned char>(c)] = true;
    for (unsigned i = 0; i < 256; ++i) {
        const char c = static_cast<char>(i);
        table[i] = table[i] || is_digit(c) || is_letter(c);
    }
    return table;
}();

constexpr bool is_host_character(char c) noexcept {
    return host_table[static_cast<unsigned char>(c)];
}

// Where the host of an authority ends; npos if it is malformed.
[[nodiscard]] constexpr std::size_t host_end(std::string_view text) noexcept {
    if (!text.starts_with('[')) {
        return static_cast<std::size_t>(
            std::find_if_not(text.begin(), text.end(), is_host_character) - text.begin());
    }
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || end == 1) return std::string_view::npos;
    const std::string_view inside = text.substr(1, end - 1);
    const bool is_well_formed = std::all_of(
        inside.begin(), inside.end(), [](char c) { return c == ':' || is_host_character(c); });
    return is_well_formed ? end + 1 : std::string_view::npos;
}

// The port of an authority, `host`, `host:digits` or empty: 0 where it has none, above 65535 where the
// digits are too large a number. Nullopt if the authority is malformed.
[[nodiscard]] constexpr std::optional<unsigned> authority_port(std::string_view text) noexcept {
    const std::size_t end = host_end(text);
    if (end == text.size()) return 0U;
    if (end == std::string_view::npos || end == 0 || text[end] != ':') return std::nullopt;
    unsigned port = 0;
    for (const char c : text.substr(end + 1)) {
        if (!is_digit(c)) return std::nullopt;
        if (port <= 65535) port = port * 10 + static_cast<unsigned>(c - '0');
    }
    return port;
}

// A valid value of a Host field.
[[nodiscard]] constexpr bool is_authority(std::string_view text) noexcept {
    return authority_port(text).value_or(65536) <= 65535;
}

// The authority of a target in absolute form, `http://host:port/path`; empty for the other forms.
[[nodiscard]] constexpr std::string_view target_authority(std::string_view target) noexcept {
    if (target.starts_with('/')) return {};
    const std::size_t colon = target.find("://");
    if (colon == std::string_view::npos) return {};
    target.remove_prefix(colon + 3);
    return target.substr(0, target.find_first_of("/?#"));
}

// Digits only, within 64 bits; else nullopt.
[[nodiscard]] inline std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept {
    std::uint64_t value = 0;
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Calls `visit` with each member of a comma-separated list, trimmed; empty members are skipped. A
// comma in quotes does not separate.
template <class F>
constexpr void for_each_in_list(std::string_view list, F visit) {
    const auto give = [&](std::size_t begin, std::size_t end) {
        const auto member = trimmed(list.substr(begin, end - begin));
        if (!member.empty()) visit(member);
    };
    std::size_t begin = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (is_quoted && list[i] == '\\') {
            ++i;
        } else if (list[i] == '"') {
            is_quoted = !is_quoted;
        } else if (list[i] == ',' && !is_quoted) {
            give(begin, i);
            begin = i + 1;
        }
    }
    give(begin, list.size());
}

}  // namespace gyre::http
