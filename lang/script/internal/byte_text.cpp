// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/byte_text.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gyre::script {
namespace {

std::uint8_t at(Bytes bytes, std::size_t index) noexcept {
    return static_cast<std::uint8_t>(bytes[index]);
}

// A character of UTF-8 that begins at `from`: its size, and whether it is one. The size of what is
// no character is that of the part which could begin one.
struct Character {
    std::size_t size;
    bool is_whole;
};

Character character_at(Bytes bytes, std::size_t from) noexcept {
    const std::uint8_t first = at(bytes, from);
    if (first < 0x80) return {1, true};
    const std::size_t size = first < 0xc2   ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
    if (size == 0) return {1, false};
    for (std::size_t i = 1; i < size; ++i) {
        if (from + i >= bytes.size()) return {i, false};
        const std::uint8_t next = at(bytes, from + i);
        std::uint8_t least = 0x80;
        std::uint8_t most = 0xbf;
        if (i == 1) {
            if (first == 0xe0) least = 0xa0;
            if (first == 0xf0) least = 0x90;
            if (first == 0xed) most = 0x9f;
            if (first == 0xf4) most = 0x8f;
        }
        if (next < least || next > most) return {i, false};
    }
    return {size, true};
}

// The first byte at or behind `from` that is not ASCII.
std::size_t ascii_end(Bytes bytes, std::size_t from) noexcept {
    while (from + 8 <= bytes.size()) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + from, 8);
        if ((word & 0x8080808080808080u) != 0) break;
        from += 8;
    }
    while (from < bytes.size() && at(bytes, from) < 0x80) ++from;
    return from;
}

// The first byte that belongs to no character.
std::size_t utf8_end(Bytes bytes) noexcept {
    std::size_t from = 0;
    for (;;) {
        from = ascii_end(bytes, from);
        if (from == bytes.size()) return from;
        const Character found = character_at(bytes, from);
        if (!found.is_whole) return from;
        from += found.size;
    }
}

std::string hex_text(Bytes bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text(bytes.size() * 2, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text[2 * i] = digits[at(bytes, i) >> 4u];
        text[2 * i + 1] = digits[at(bytes, i) & 15u];
    }
    return text;
}

std::string base64_text(Bytes bytes, bool is_url) {
    const char* letters = is_url
                              ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                              : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k) bits = bits << 8u | (k < count ? at(bytes, i + k) : 0u);
        for (std::size_t k = 0; k < 4; ++k) {
            if (k <= count) {
                text += letters[bits >> (18 - 6 * k) & 63u];
            } else if (!is_url) {
                text += '=';
            }
        }
    }
    return text;
}

// latin1, or ascii: its high bit is dropped.
std::string single_byte_text(Bytes bytes, std::uint8_t mask) {
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 4);
    for (const std::byte byte : bytes) {
        const unsigned code = static_cast<unsigned>(byte) & mask;
        if (code >= 0x80) text += static_cast<char>(0xc0u | code >> 6u);
        text += static_cast<char>(code < 0x80 ? code : 0x80u | (code & 0x3fu));
    }
    return text;
}

int hex_value(char digit) noexcept {
    if (digit >= '0' && digit <= '9') return digit - '0';
    const char small = static_cast<char>(digit | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Up to the first pair that is none.
std::size_t write_hex(std::string_view text, std::span<std::byte> to) noexcept {
    std::size_t written = 0;
    for (; written < to.size() && 2 * written + 1 < text.size(); ++written) {
        const int high = hex_value(text[2 * written]);
        const int low = hex_value(text[2 * written + 1]);
        if (high < 0 || low < 0) break;
        to[written] = static_cast<std::byte>(high * 16 + low);
    }
    return written;
}

constexpr std::array<std::int8_t, 256> base64_values = [] {
    std::array<std::int8_t, 256> made{};
    made.fill(-1);
    for (int i = 0; i < 26; ++i) {
        made[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(i);
        made[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(26 + i);
    }
    for (int i = 0; i < 10; ++i)
        made[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(52 + i);
    made['+'] = made['-'] = 62;
    made['/'] = made['_'] = 63;
    return made;
}();

// Both alphabets; other characters are skipped, '=' ends the text.
std::size_t write_base64(std::string_view text, std::span<std::byte> to) noexcept {
    std::size_t written = 0;
    std::uint32_t bits = 0;
    unsigned size = 0;
    for (const char letter : text) {
        if (letter == '=' || written == to.size()) break;
        const std::int8_t value = base64_values[static_cast<std::uint8_t>(letter)];
        if (value < 0) continue;
        bits = bits << 6u | static_cast<std::uint32_t>(value);
        size += 6;
        if (size < 8) continue;
        size -= 8;
        to[written++] = static_cast<std::byte>(bits >> size & 0xffu);
    }
    return written;
}

std::size_t write_utf8(std::string_view text, std::span<std::byte> to) noexcept {
    std::size_t size = std::min(text.size(), to.size());
    while (size > 0 && size < text.size() &&
           (static_cast<std::uint8_t>(text[size]) & 0xc0u) == 0x80) {
        --size;
    }
    if (size > 0) std::memcpy(to.data(), text.data(), size);
    return size;
}

}  // namespace

std::string repaired_utf8(Bytes bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::size_t good = utf8_end(bytes);
        text.append(reinterpret_cast<const char*>(bytes.data()), good);
        bytes = bytes.subspan(good);
        if (bytes.empty()) break;
        text += "\xef\xbf\xbd";
        bytes = bytes.subspan(character_at(bytes, 0).size);
    }
    return text;
}

std::string text_of_bytes(Bytes bytes, ByteEncoding encoding) {
    switch (encoding) {
        case ByteEncoding::latin1:
            return single_byte_text(bytes, 0xff);
        case ByteEncoding::ascii:
            return single_byte_text(bytes, 0x7f);
        case ByteEncoding::hex:
            return hex_text(bytes);
        case ByteEncoding::base64:
            return base64_text(bytes, false);
        case ByteEncoding::base64url:
            return base64_text(bytes, true);
        case ByteEncoding::utf8:
            break;
    }
    return repaired_utf8(bytes);
}

std::size_t write_text(std::string_view text, ByteEncoding encoding, std::span<std::byte> to) {
    switch (encoding) {
        case ByteEncoding::hex:
            return write_hex(text, to);
        case ByteEncoding::base64:
        case ByteEncoding::base64url:
            return write_base64(text, to);
        default:
            return write_utf8(text, to);
    }
}

bool are_utf8(Bytes bytes) noexcept {
    return utf8_end(bytes) == bytes.size();
}

bool are_ascii(Bytes bytes) noexcept {
    return ascii_end(bytes, 0) == bytes.size();
}

std::ptrdiff_t find_bytes(Bytes bytes, Bytes needle, std::size_t from, bool is_forward,
                          std::size_t unit) noexcept {
    if (needle.empty() || needle.size() > bytes.size()) return -1;
    const std::size_t last = bytes.size() - needle.size();
    if (is_forward) {
        while (from <= last) {
            const auto* hit = static_cast<const std::byte*>(
                ::memmem(bytes.data() + from, bytes.size() - from, needle.data(), needle.size()));
            if (hit == nullptr) return -1;
            from = static_cast<std::size_t>(hit - bytes.data());
            if (from % unit == 0) return static_cast<std::ptrdiff_t>(from);
            ++from;
        }
        return -1;
    }
    for (std::size_t place = std::min(from, last) / unit * unit;; place -= unit) {
        if (std::memcmp(bytes.data() + place, needle.data(), needle.size()) == 0) {
            return static_cast<std::ptrdiff_t>(place);
        }
        if (place < unit) return -1;
    }
}

}  // namespace gyre::script
