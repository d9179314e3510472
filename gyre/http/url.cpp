// SPDX-License-Identifier: Apache-2.0
// Parsing and formatting of addresses. Pure functions.
#include "gyre/http/url.hpp"

#include <algorithm>
#include <charconv>

#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

constexpr std::uint16_t port_of(std::string_view scheme) noexcept {
    return scheme == "https" ? 443 : 80;
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), lower);
    return result;
}

bool is_clean(std::string_view text) noexcept {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return is_control(c) || c == ' ' || c == '\\' || static_cast<unsigned char>(c) >= 0x80;
    });
}

bool is_scheme(std::string_view text) noexcept {
    return !text.empty() && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
           });
}

std::string_view without_fragment(std::string_view text) noexcept {
    return text.substr(0, text.find('#'));
}

// Parses host and port into the Url.
std::expected<void, UrlError> set_authority(Url& url, std::string_view authority) {
    if (authority.find('@') != std::string_view::npos) {
        return std::unexpected(UrlError{"an address with a user name is not supported"});
    }
    if (authority.empty() || !authority_port(authority)) {
        return std::unexpected(UrlError{"the host is malformed"});
    }
    url.port = port_of(url.scheme);
    const std::size_t bracket = authority.rfind(']');
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    const std::string_view host = authority.substr(0, colon);
    url.host = lowered(host.starts_with('[') ? host.substr(1, host.size() - 2) : host);
    if (colon == std::string_view::npos || colon + 1 == authority.size()) return {};
    const std::string_view port = authority.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (error != std::errc() || end != port.data() + port.size() || url.port == 0) {
        return std::unexpected(UrlError{"the port is no number from 1 to 65535"});
    }
    return {};
}

// RFC 3986 5.2.4: removes dot segments from a path.
std::string without_dots(std::string_view path) {
    std::string result;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/', 1), path.size());
        const std::string_view segment = path.substr(0, end);
        path.remove_prefix(end);
        const bool is_last = path.empty();
        if (segment == "/..") {
            result.resize(std::min(result.rfind('/'), result.size()));
            if (is_last) result += '/';
        } else if (segment == "/.") {
            if (is_last) result += '/';
        } else {
            result += segment;
        }
    }
    return result.empty() ? "/" : result;
}

}  // namespace

std::string Url::authority() const {
    std::string result;
    if (host.find(':') != std::string::npos) {
        result.append("[").append(host).append("]");
    } else {
        result = host;
    }
    if (port != port_of(scheme)) result.append(":").append(std::to_string(port));
    return result;
}

std::string Url::text() const {
    return scheme + "://" + authority() + target;
}

std::expected<Url, UrlError> parse_url(std::string_view text) {
    if (text.size() > url_bytes_max) return std::unexpected(UrlError{"the address is too long"});
    if (!is_clean(text)) {
        return std::unexpected(UrlError{
            "an address has no spaces, backslashes, control characters or bytes above 127"});
    }
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos) {
        return std::unexpected(UrlError{"an address begins with http:// or https://"});
    }
    Url url;
    url.scheme = lowered(text.substr(0, colon));
    if (url.scheme != "http" && url.scheme != "https") {
        return std::unexpected(UrlError{"an address begins with http:// or https://"});
    }
    const std::string_view rest = without_fragment(text.substr(colon + 3));
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    if (auto set = set_authority(url, rest.substr(0, end)); !set) {
        return std::unexpected(set.error());
    }
    url.target = rest.substr(end);
    if (!url.target.starts_with('/')) url.target.insert(0, "/");
    return url;
}

std::expected<Url, UrlError> resolve_url(const Url& base, std::string_view reference) {
    const std::size_t colon = reference.find(':');
    if (colon != std::string_view::npos && is_scheme(reference.substr(0, colon))) {
        return parse_url(reference);
    }
    if (reference.starts_with("//")) return parse_url(base.scheme + ":" + std::string(reference));
    reference = without_fragment(reference);
    if (!is_clean(reference) || reference.size() > url_bytes_max) {
        return std::unexpected(UrlError{"the reference is malformed"});
    }
    Url url = base;
    const auto [base_path, base_query] = split_target(base.target);
    const std::size_t question = std::min(reference.find('?'), reference.size());
    const std::string_view path = reference.substr(0, question);
    const std::string_view query = reference.substr(question);
    if (path.empty()) {
        url.target = base_path;
        if (!query.empty()) {
            url.target.append(query);
        } else if (!base_query.empty()) {
            url.target.append("?").append(base_query);
        }
        return url;
    }
    std::string merged(path);
    if (!path.starts_with('/')) {
        merged = std::string(base_path.substr(0, base_path.rfind('/') + 1)) + merged;
    }
    url.target = without_dots(merged).append(query);
    if (url.target.size() > url_bytes_max) {
        return std::unexpected(UrlError{"the address is too long"});
    }
    return url;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const int high = hex_value(text[i + 1]);
        const int low = hex_value(text[i + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        result += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return result;
}

std::string percent_encoded(std::string_view text, std::string_view kept) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string result;
    for (const char c : text) {
        const bool is_plain = is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' ||
                              c == '~' || kept.find(c) != std::string_view::npos;
        if (is_plain) {
            result += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        result += '%';
        result += digits[byte >> 4U];
        result += digits[byte & 15U];
    }
    return result;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
    const auto decoded = [](std::string_view text) {
        std::string spaced(text);
        std::replace(spaced.begin(), spaced.end(), '+', ' ');
        return percent_decoded(spaced);
    };
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const std::size_t equal = std::min(pair.find('='), pair.size());
        if (decoded(pair.substr(0, equal)) != name) continue;
        return decoded(equal == pair.size() ? std::string_view() : pair.substr(equal + 1));
    }
    return std::nullopt;
}

}  // namespace gyre::http
