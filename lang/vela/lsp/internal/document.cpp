// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lsp/internal/document.hpp"

#include <algorithm>
#include <filesystem>

namespace gyre::vela::lsp {
namespace {

constexpr std::string_view file_scheme = "file://";

int hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

// The bytes of the character at the begin of a text, and its UTF-16 units. An invalid byte is one.
struct Character {
    std::uint32_t byte_count = 1;
    std::uint32_t unit_count = 1;
};
Character character_of(std::string_view text) {
    const std::uint32_t length = utf8_length(text);
    if (length == 0) return {};
    return {length, length == 4 ? 2U : 1U};
}

}  // namespace

LineTable::LineTable(std::string_view text) : begins_{0} {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') begins_.push_back(static_cast<std::uint32_t>(i + 1));
    }
}

std::uint32_t LineTable::offset(std::string_view text, TextPosition position,
                                Encoding encoding) const {
    if (position.line >= begins_.size()) return static_cast<std::uint32_t>(text.size());
    std::uint32_t at = begins_[position.line];
    std::size_t left = position.character;
    while (left > 0 && at < text.size() && text[at] != '\n') {
        const bool is_line_end = text.substr(at).starts_with("\r\n");
        if (is_line_end) break;
        const Character next = character_of(text.substr(at));
        const std::size_t units = encoding == Encoding::utf16 ? next.unit_count : next.byte_count;
        // A position inside a character is its begin.
        if (units > left) break;
        left -= units;
        at += next.byte_count;
    }
    return at;
}

TextPosition LineTable::position(std::string_view text, std::uint32_t offset,
                                 Encoding encoding) const {
    offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), offset);
    const auto line = static_cast<std::size_t>(after - begins_.begin()) - 1;
    std::uint32_t at = begins_[line];
    if (encoding == Encoding::utf8) return {line, offset - at};
    std::size_t units = 0;
    while (at < offset) {
        const Character next = character_of(text.substr(at));
        units += next.unit_count;
        at += next.byte_count;
    }
    return {line, units};
}

bool is_word_part(char letter) noexcept {
    const auto byte = static_cast<unsigned char>(letter);
    return letter == '_' || byte >= 0x80 || (byte >= '0' && byte <= '9') ||
           (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

std::string path_of_uri(std::string_view uri) {
    if (!uri.starts_with(file_scheme)) return std::string(uri);
    uri.remove_prefix(file_scheme.size());
    // A host name may stand before the path.
    if (const std::size_t slash = uri.find('/'); slash != std::string_view::npos) {
        uri.remove_prefix(slash);
    }
    std::string path;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        const bool is_escape = uri[i] == '%' && i + 2 < uri.size() && hex_value(uri[i + 1]) >= 0 &&
                               hex_value(uri[i + 2]) >= 0;
        if (!is_escape) {
            path += uri[i];
            continue;
        }
        path += static_cast<char>(hex_value(uri[i + 1]) * 16 + hex_value(uri[i + 2]));
        i += 2;
    }
    return std::filesystem::path(path).lexically_normal().string();
}

std::string uri_of_path(std::string_view path) {
    if (!path.starts_with('/')) return std::string(path);
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string uri(file_scheme);
    for (const char letter : path) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                              (byte >= '0' && byte <= '9') ||
                              std::string_view("/-._~").find(letter) != std::string_view::npos;
        if (is_plain) {
            uri += letter;
        } else {
            uri += '%';
            uri += hex[byte / 16];
            uri += hex[byte % 16];
        }
    }
    return uri;
}

}  // namespace gyre::vela::lsp
