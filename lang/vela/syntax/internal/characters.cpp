// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/internal/characters.hpp"

#include <algorithm>

namespace gyre::vela::internal {
namespace {

struct Word {
    std::string_view text;
    TokenKind kind = TokenKind::name;
};

constexpr std::size_t table_size = 256;

constexpr std::size_t slot(std::string_view word) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(word[i]); };
    return (at(0) * 7U + at(1) * 29U + at(word.size() - 1) * 3U + word.size() * 61U) % table_size;
}

// Open addressing with linear probing.
constexpr std::array<Word, table_size> make_keywords() {
    constexpr std::array words = {
#define GYRE_VELA_KEYWORD_WORD(word) Word{#word, TokenKind::kw_##word},
        GYRE_VELA_KEYWORDS(GYRE_VELA_KEYWORD_WORD)
#undef GYRE_VELA_KEYWORD_WORD
    };
    std::array<Word, table_size> table{};
    for (const Word& word : words) {
        std::size_t place = slot(word.text);
        while (!table[place].text.empty()) place = (place + 1) % table_size;
        table[place] = word;
    }
    return table;
}
constexpr std::array<Word, table_size> keywords = make_keywords();

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};
constexpr std::array no_name_ranges = {
    Range{0x80, 0xA9},        Range{0xAB, 0xB4},     Range{0xB6, 0xB9},     Range{0xBB, 0xBF},
    Range{0xD7, 0xD7},        Range{0xF7, 0xF7},     Range{0x2000, 0x203E}, Range{0x2041, 0x2070},
    Range{0x2190, 0x2BFF},    Range{0x3000, 0x3004}, Range{0x3008, 0x3020}, Range{0xE000, 0xF8FF},
    Range{0xFE00, 0xFE6F},    Range{0xFEFF, 0xFF0F}, Range{0xFFF0, 0xFFFF}, Range{0x1F000, 0x1FAFF},
    Range{0xE0000, 0x10FFFF},
};

}  // namespace

std::uint32_t code_point(std::string_view sequence) noexcept {
    const auto at = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i]));
    };
    switch (sequence.size()) {
        case 1:
            return at(0);
        case 2:
            return (at(0) & 0x1FU) << 6U | (at(1) & 0x3FU);
        case 3:
            return (at(0) & 0x0FU) << 12U | (at(1) & 0x3FU) << 6U | (at(2) & 0x3FU);
        default:
            return (at(0) & 0x07U) << 18U | (at(1) & 0x3FU) << 12U | (at(2) & 0x3FU) << 6U |
                   (at(3) & 0x3FU);
    }
}

bool is_name_code_point(std::uint32_t code_point) noexcept {
    return std::none_of(no_name_ranges.begin(), no_name_ranges.end(), [&](const Range& range) {
        return range.first <= code_point && code_point <= range.last;
    });
}

TokenKind keyword(std::string_view word) noexcept {
    if (word.size() < 2 || word.size() > 11) return TokenKind::name;
    for (std::size_t place = slot(word); !keywords[place].text.empty();
         place = (place + 1) % table_size) {
        if (keywords[place].text == word) return keywords[place].kind;
    }
    return TokenKind::name;
}

}  // namespace gyre::vela::internal
