// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/internal/literals.hpp"

#include <charconv>

namespace gyre::vela::internal {

std::int64_t integer_value(std::string_view text, bool is_negative) {
    int base = 10;
    if (text.starts_with("0x")) base = 16;
    if (text.starts_with("0b")) base = 2;
    if (base != 10) text.remove_prefix(2);
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    // Computed unsigned, because the least Number has no positive counterpart.
    return static_cast<std::int64_t>(is_negative ? 0 - value : value);
}

double real_value(std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            result += text[i];
            continue;
        }
        const char letter = text[++i];
        switch (letter) {
            case 'n':
                result += '\n';
                break;
            case 't':
                result += '\t';
                break;
            case 'r':
                result += '\r';
                break;
            case '0':
                result += '\0';
                break;
            default:
                result += letter;
        }
    }
    return result;
}

}  // namespace gyre::vela::internal
