// SPDX-License-Identifier: Apache-2.0
// Url: an absolute address `http://host:port/path?query`, by RFC 3986 as far as HTTP needs it; with
// functions for request targets, percent-encoding and query strings.
//
//     const auto url = http::parse_url("http://example.org:8080/search?q=a%20b");
//     if (!url) throw std::invalid_argument(std::string(url.error().what));
//     const auto query = http::query_value(http::split_target(url->target).query, "q");
//
// Thread: plain values and pure functions.
// Lifetime: a Url owns its texts; TargetParts are views into the target.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace gyre::http {

// Why an address is malformed, as a phrase for its author.
struct UrlError {
    std::string_view what;
};

struct Url {
    std::string scheme;      // "http" or "https", in lower case
    std::string host;        // in lower case; an IPv6 address without brackets
    std::uint16_t port = 0;  // the default of the scheme if none is given
    std::string target;      // path and query; begins with "/"

    // The value of a Host field: with the port unless it is the default of the scheme.
    [[nodiscard]] std::string authority() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool is_secure() const noexcept { return scheme == "https"; }
    friend bool operator==(const Url&, const Url&) = default;
};

inline constexpr std::size_t url_bytes_max = 8000;

// Parses an absolute address. User names are refused: they would be sent or dropped silently.
[[nodiscard]] std::expected<Url, UrlError> parse_url(std::string_view text);
// Resolves a reference, such as a Location field, against `base` (RFC 3986 5.2).
[[nodiscard]] std::expected<Url, UrlError> resolve_url(const Url& base, std::string_view reference);

// The path and the query of a request target, in any of its forms.
struct TargetParts {
    std::string_view path;   // "/" if an absolute address has none
    std::string_view query;  // without its "?"
};
[[nodiscard]] inline TargetParts split_target(std::string_view target) noexcept {
    if (!target.starts_with('/')) {
        if (const std::size_t colon = target.find("://"); colon != std::string_view::npos) {
            target.remove_prefix(std::min(target.find_first_of("/?", colon + 3), target.size()));
        }
    }
    target = target.substr(0, target.find('#'));
    const std::size_t mark = target.find('?');
    TargetParts parts{.path = target.substr(0, mark), .query = {}};
    if (mark != std::string_view::npos) parts.query = target.substr(mark + 1);
    if (parts.path.empty()) parts.path = "/";
    return parts;
}

// nullopt if a percent sign is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
// Encodes every character except letters, digits, `-._~` and the characters of `kept`.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view kept = {});
// The decoded value of a name in `a=1&b=2`; `+` is a space. nullopt if it is missing or malformed.
[[nodiscard]] std::optional<std::string> query_value(std::string_view query, std::string_view name);

}  // namespace gyre::http
