// SPDX-License-Identifier: Apache-2.0
// Whether bytes of the outside are text: a module traps on a text that is no UTF-8. Any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace gyre::wasm {

// The length of the UTF-8 sequence at `at`; 0: it is none.
[[nodiscard]] inline std::size_t utf8_size(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(at);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + size > text.size()) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xC0u) != 0x80) return 0;
    }
    const unsigned second = byte(at + 1);
    const bool is_refused = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                            (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    return is_refused ? 0 : size;
}

[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = utf8_size(text, at);
        if (size == 0) return false;
        at += size;
    }
    return true;
}

}  // namespace gyre::wasm
