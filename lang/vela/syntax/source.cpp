// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/source.hpp"

#include <algorithm>

namespace gyre::vela {
namespace {

bool is_continuation(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The range of the second byte after this first byte: excludes overlong forms, surrogates and code
// points above U+10FFFF.
bool is_second(unsigned char first, unsigned char second) noexcept {
    switch (first) {
        case 0xE0:
            return second >= 0xA0 && second <= 0xBF;
        case 0xED:
            return second >= 0x80 && second <= 0x9F;
        case 0xF0:
            return second >= 0x90 && second <= 0xBF;
        case 0xF4:
            return second >= 0x80 && second <= 0x8F;
        default:
            return second >= 0x80 && second <= 0xBF;
    }
}

}  // namespace

std::uint32_t utf8_length(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return 1;
    std::uint32_t length = 0;
    if (first >= 0xC2 && first <= 0xDF) length = 2;
    if (first >= 0xE0 && first <= 0xEF) length = 3;
    if (first >= 0xF0 && first <= 0xF4) length = 4;
    if (length == 0 || text.size() < length) return 0;
    if (!is_second(first, static_cast<unsigned char>(text[1]))) return 0;
    for (std::uint32_t i = 2; i < length; ++i) {
        if (!is_continuation(text[i])) return 0;
    }
    return length;
}

std::uint32_t code_point_count(std::string_view text) noexcept {
    std::uint32_t count = 0;
    while (!text.empty()) {
        const bool is_ascii = static_cast<unsigned char>(text[0]) < 0x80;
        text.remove_prefix(is_ascii ? 1 : std::max(1U, utf8_length(text)));
        ++count;
    }
    return count;
}

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {}

const std::vector<std::uint32_t>& Source::line_begins() const {
    if (line_begins_.empty()) {
        line_begins_.push_back(0);
        for (std::size_t i = 0; i < text_.size(); ++i) {
            if (text_[i] == '\n') line_begins_.push_back(static_cast<std::uint32_t>(i + 1));
        }
    }
    return line_begins_;
}

std::uint32_t Source::line_number(std::uint32_t offset) const {
    const std::vector<std::uint32_t>& begins = line_begins();
    const auto after = std::upper_bound(begins.begin(), begins.end(), offset);
    return static_cast<std::uint32_t>(after - begins.begin());
}

Position Source::position(std::uint32_t offset) const {
    const std::uint32_t line = line_number(offset);
    std::string_view before = text({line_begin(line), offset});
    // The byte order mark is not part of the first line.
    if (line == 1 && before.starts_with("\xEF\xBB\xBF")) before.remove_prefix(3);
    return {line, code_point_count(before) + 1};
}

std::string_view Source::line(std::uint32_t number) const {
    const std::uint32_t begin = line_begin(number);
    std::string_view rest = std::string_view(text_).substr(begin);
    rest = rest.substr(0, rest.find('\n'));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (number == 1 && rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    return rest;
}

std::uint32_t Source::line_begin(std::uint32_t number) const {
    return line_begins()[number - 1];
}

}  // namespace gyre::vela
