// SPDX-License-Identifier: Apache-2.0
// The grammar of start lines and authorities. Pure functions.
#include "gyre/http/internal/start_line.hpp"

#include <algorithm>
#include <array>

#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

bool is_known_version(std::string_view text) noexcept {
    return text == "HTTP/1.1" || text == "HTTP/1.0";
}

// RFC 9112 3.2: origin form, absolute form, authority form or `*`.
bool is_target(std::string_view method, std::string_view target) noexcept {
    if (method == "CONNECT") {
        return !target.empty() && target.find(':') != std::string_view::npos &&
               is_authority(target);
    }
    if (target == "*") return method == "OPTIONS";
    if (target.starts_with('/')) return true;
    const std::size_t colon = target.find("://");
    return colon != std::string_view::npos && colon > 0 && is_letter(target.front()) &&
           colon + 3 < target.size();
}

constexpr auto host_table = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("-._~!$&'()*+;=%"))
        table[static_cast<unsigned char>(c)] = true;
    for (unsigned i = 0; i < 256; ++i) {
        const char c = static_cast<char>(i);
        table[i] = table[i] || is_digit(c) || is_letter(c);
    }
    return table;
}();

bool is_host_character(char c) noexcept {
    return host_table[static_cast<unsigned char>(c)];
}

// The fast path: method, path, version. Anything else is checked word by word.
bool is_plain_request_line(std::string_view line) noexcept {
    constexpr std::size_t version_size = std::string_view("HTTP/1.1").size();
    if (line.size() < version_size) return false;
    const std::string_view words = line.substr(0, line.size() - version_size);
    if (!is_known_version({words.end(), version_size})) return false;
    std::size_t space = 0;
    while (is_token_character(line[space]))
        ++space;  // Ends at the latest at the slash of the version.
    // CONNECT has an authority, no path.
    return space > 0 && line.front() != 'C' && line.substr(space).starts_with(" /") &&
           words.find(' ', space + 1) + 1 == words.size();
}

}  // namespace

Refusal check_request_line(std::string_view line) noexcept {
    if (is_plain_request_line(line)) return Refusal::none;
    const std::size_t first = line.find(' ');
    if (first == std::string_view::npos) return Refusal::malformed_request_line;
    if (first == 0) return Refusal::spaces_in_request_line;
    const std::size_t second = line.find(' ', first + 1);
    if (second == std::string_view::npos) return Refusal::malformed_request_line;
    const std::string_view method = line.substr(0, first);
    const std::string_view target = line.substr(first + 1, second - first - 1);
    const std::string_view version = line.substr(second + 1);
    const bool is_known = is_known_version(version);
    if (target.empty() || (!is_known && version.find(' ') != std::string_view::npos)) {
        return Refusal::spaces_in_request_line;
    }
    if (!is_token(method)) return Refusal::malformed_request_line;
    if (!is_known) return Refusal::unknown_version;
    if (!is_target(method, target)) return Refusal::malformed_target;
    return Refusal::none;
}

Refusal check_status_line(std::string_view line) noexcept {
    const std::size_t first = line.find(' ');
    if (!is_known_version(line.substr(0, first))) {
        return line.starts_with("HTTP/") && first != std::string_view::npos
                   ? Refusal::unknown_version
                   : Refusal::malformed_status_line;
    }
    if (first == std::string_view::npos) return Refusal::malformed_status_line;
    // Three digits, then the end or a space: servers without a reason often omit the space too.
    const std::string_view status = line.substr(first + 1, 3);
    const bool is_number =
        status.size() == 3 && std::all_of(status.begin(), status.end(), is_digit);
    const std::size_t end = first + 4;
    if (!is_number || status.front() == '0' || (end < line.size() && line[end] != ' ')) {
        return Refusal::malformed_status_line;
    }
    return Refusal::none;
}

bool is_authority(std::string_view text) noexcept {
    std::size_t end = 0;
    if (text.starts_with('[')) {
        end = text.find(']');
        if (end == std::string_view::npos || end == 1) return false;
        const std::string_view inside = text.substr(1, end - 1);
        if (!std::all_of(inside.begin(), inside.end(),
                         [](char c) { return c == ':' || is_host_character(c); })) {
            return false;
        }
        ++end;
    } else {
        while (end < text.size() && is_host_character(text[end])) ++end;
    }
    if (end == text.size()) return true;
    const std::string_view port = text.substr(end + 1);
    return text[end] == ':' && end > 0 && port.size() <= 5 &&
           std::all_of(port.begin(), port.end(), is_digit);
}

}  // namespace gyre::http
