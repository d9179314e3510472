// SPDX-License-Identifier: Apache-2.0
// WTF-8: UTF-8 in which single surrogates may stand, so that every text of 16-bit units, valid or
// not, can be written in it and read back.
#include <cstring>

#include "compat/uv/internal/memory.hpp"

namespace gyre::uv {
namespace {

constexpr std::int32_t invalid = -1;

bool is_follower(unsigned char byte) noexcept {
    return (byte & 0xC0u) == 0x80u;
}

// The code point at `text`, and `text` is moved behind it. The zero at the end is one too.
std::int32_t decode(const char*& text) noexcept {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text);
    const unsigned first = bytes[0];
    if (first < 0x80) {
        ++text;
        return static_cast<std::int32_t>(first);
    }
    int follower_count = 0;
    unsigned value = 0;
    unsigned least = 0;
    if (first >= 0xC2 && first < 0xE0) {
        follower_count = 1, value = first & 0x1Fu, least = 0x80;
    } else if (first >= 0xE0 && first < 0xF0) {
        follower_count = 2, value = first & 0x0Fu, least = 0x800;
    } else if (first >= 0xF0 && first < 0xF5) {
        follower_count = 3, value = first & 0x07u, least = 0x10000;
    } else {
        return invalid;
    }
    for (int i = 1; i <= follower_count; ++i) {
        if (!is_follower(bytes[i])) return invalid;
        value = value << 6u | (bytes[i] & 0x3Fu);
    }
    if (value < least || value > 0x10FFFF) return invalid;
    text += follower_count + 1;
    return static_cast<std::int32_t>(value);
}

// A text of 16-bit units, of a length or up to its zero.
class Units {
public:
    Units(const std::uint16_t* text, ssize_t length) noexcept : text_(text), left_(length) {}

    // False at the end.
    bool next(std::uint32_t& code_point) noexcept {
        if (left_ == 0 || (left_ < 0 && *text_ == 0)) return false;
        code_point = take();
        if (code_point < 0xD800 || code_point > 0xDBFF || left_ == 0) return true;
        const std::uint32_t second = *text_;
        if (second >= 0xDC00 && second <= 0xDFFF) {
            take();
            code_point = 0x10000 + ((code_point - 0xD800) << 10u) + (second - 0xDC00);
        }
        return true;
    }

private:
    std::uint32_t take() noexcept {
        if (left_ > 0) --left_;
        return *text_++;
    }

    const std::uint16_t* text_;
    ssize_t left_;
};

std::size_t encode(std::uint32_t code_point, char (&bytes)[4]) noexcept {
    const auto follower = [code_point](unsigned shift) {
        return static_cast<char>(0x80u | ((code_point >> shift) & 0x3Fu));
    };
    if (code_point < 0x80) {
        bytes[0] = static_cast<char>(code_point);
        return 1;
    }
    if (code_point < 0x800) {
        bytes[0] = static_cast<char>(0xC0u | code_point >> 6u);
        bytes[1] = follower(0);
        return 2;
    }
    if (code_point < 0x10000) {
        bytes[0] = static_cast<char>(0xE0u | code_point >> 12u);
        bytes[1] = follower(6);
        bytes[2] = follower(0);
        return 3;
    }
    bytes[0] = static_cast<char>(0xF0u | code_point >> 18u);
    bytes[1] = follower(12);
    bytes[2] = follower(6);
    bytes[3] = follower(0);
    return 4;
}

}  // namespace
}  // namespace gyre::uv

ssize_t uv_wtf8_length_as_utf16(const char* wtf8) {
    ssize_t length = 0;
    for (;;) {
        const std::int32_t code_point = gyre::uv::decode(wtf8);
        if (code_point < 0) return -1;
        length += code_point > 0xFFFF ? 2 : 1;
        if (code_point == 0) return length;
    }
}

void uv_wtf8_to_utf16(const char* wtf8, uint16_t* utf16, size_t utf16_len) {
    while (utf16_len > 0) {
        const std::int32_t code_point = gyre::uv::decode(wtf8);
        if (code_point < 0) return;
        if (code_point > 0xFFFF && utf16_len >= 2) {
            const auto rest = static_cast<unsigned>(code_point - 0x10000);
            *utf16++ = static_cast<std::uint16_t>(0xD800u + (rest >> 10u));
            *utf16++ = static_cast<std::uint16_t>(0xDC00u + (rest & 0x3FFu));
            utf16_len -= 2;
        } else {
            *utf16++ = static_cast<std::uint16_t>(code_point);
            --utf16_len;
        }
        if (code_point == 0) return;
    }
}

size_t uv_utf16_length_as_wtf8(const uint16_t* utf16, ssize_t utf16_len) {
    gyre::uv::Units units(utf16, utf16_len);
    std::size_t length = 0;
    char bytes[4];
    for (std::uint32_t code_point = 0; units.next(code_point);) {
        length += gyre::uv::encode(code_point, bytes);
    }
    return length;
}

// Without a place for the text, only the length is told; with an empty place, memory is made.
int uv_utf16_to_wtf8(const uint16_t* utf16, ssize_t utf16_len, char** wtf8_ptr,
                     size_t* wtf8_len_ptr) {
    const std::size_t needed = uv_utf16_length_as_wtf8(utf16, utf16_len);
    const bool is_given = wtf8_ptr != nullptr && *wtf8_ptr != nullptr;
    const std::size_t room = is_given ? *wtf8_len_ptr : needed;
    if (wtf8_len_ptr != nullptr) *wtf8_len_ptr = needed;
    if (wtf8_ptr == nullptr) return 0;
    if (!is_given) {
        *wtf8_ptr = static_cast<char*>(gyre::uv::allocate(needed + 1));
        if (*wtf8_ptr == nullptr) return UV_ENOMEM;
    }
    char* to = *wtf8_ptr;
    std::size_t left = room;
    gyre::uv::Units units(utf16, utf16_len);
    char bytes[4];
    for (std::uint32_t code_point = 0; units.next(code_point);) {
        const std::size_t count = gyre::uv::encode(code_point, bytes);
        if (count > left) {
            if (left > 0) *to = '\0';
            return UV_ENOBUFS;
        }
        std::memcpy(to, bytes, count);
        to += count;
        left -= count;
    }
    // The place that is given has room for the zero beyond its length.
    *to = '\0';
    return 0;
}
