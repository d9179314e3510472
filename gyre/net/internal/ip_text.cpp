// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/internal/ip_text.hpp"

#include <array>
#include <charconv>

namespace gyre::net {
namespace {

// The whole text as a number of at most digits_max digits.
std::optional<unsigned> parse_number(std::string_view text, int base, std::size_t digits_max) {
    if (text.empty() || text.size() > digits_max) return std::nullopt;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Removes and returns the text up to the separator, or all of it.
std::string_view take_part(std::string_view& text, char separator, bool& is_last) {
    const std::size_t end = text.find(separator);
    is_last = end == std::string_view::npos;
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(is_last ? text.size() : end + 1);
    return part;
}

std::optional<std::array<std::uint8_t, 4>> parse_ipv4(std::string_view text) {
    std::array<std::uint8_t, 4> bytes{};
    for (std::size_t i = 0; i < 4; ++i) {
        bool is_last = false;
        const std::string_view part = take_part(text, '.', is_last);
        const auto value = parse_number(part, 10, 3);
        const bool has_leading_zero = part.size() > 1 && part.front() == '0';
        if (!value || *value > 255 || has_leading_zero || is_last != (i == 3)) return std::nullopt;
        bytes[i] = static_cast<std::uint8_t>(*value);
    }
    return bytes;
}

struct Groups {
    std::array<std::uint8_t, 16> bytes{};
    std::size_t size = 0;
};

// Groups of four digits between colons; the last two may be written as IPv4.
std::optional<Groups> parse_groups(std::string_view text) {
    Groups groups;
    if (text.empty()) return groups;
    for (bool is_last = false; !is_last;) {
        const std::string_view part = take_part(text, ':', is_last);
        if (is_last && part.find('.') != std::string_view::npos) {
            const auto inner = parse_ipv4(part);
            if (!inner || groups.size > 12) return std::nullopt;
            for (const std::uint8_t byte : *inner) groups.bytes[groups.size++] = byte;
            return groups;
        }
        const auto value = parse_number(part, 16, 4);
        if (!value || groups.size > 14) return std::nullopt;
        groups.bytes[groups.size++] = static_cast<std::uint8_t>(*value >> 8u);
        groups.bytes[groups.size++] = static_cast<std::uint8_t>(*value & 0xffu);
    }
    return groups;
}

std::optional<std::array<std::uint8_t, 16>> parse_ipv6(std::string_view text) {
    const std::size_t gap = text.find("::");
    if (gap == std::string_view::npos) {
        const auto groups = parse_groups(text);
        if (!groups || groups->size != 16) return std::nullopt;
        return groups->bytes;
    }
    const std::string_view front = text.substr(0, gap);
    const auto before = parse_groups(front);
    const auto after = parse_groups(text.substr(gap + 2));
    // "::" stands for at least one group, and only the last part may be IPv4.
    const bool is_misplaced = front.find('.') != std::string_view::npos;
    if (!before || !after || is_misplaced || before->size + after->size > 14) return std::nullopt;
    std::array<std::uint8_t, 16> bytes = before->bytes;
    for (std::size_t i = 0; i < after->size; ++i) bytes[16 - after->size + i] = after->bytes[i];
    return bytes;
}

}  // namespace

std::optional<Address> parse_ip(std::string_view text, std::uint16_t port) noexcept {
    if (const auto bytes = parse_ipv4(text)) return Address::ipv4(*bytes, port);
    if (const auto bytes = parse_ipv6(text)) return Address::ipv6(*bytes, port);
    return std::nullopt;
}

}  // namespace gyre::net
