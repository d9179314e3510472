// SPDX-License-Identifier: Apache-2.0
// Addresses: `http://host:port/path?query`, the targets of requests, and the percent codes in both.
// By RFC 3986, as far as HTTP needs it. Plain values and pure functions.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace gyre::http {

// A sentence for who wrote the address.
struct UrlError {
    std::string_view what;
};

struct Url {
    std::string scheme;      // "http" or "https", in small letters
    std::string host;        // in small letters; an IPv6 address without its brackets
    std::uint16_t port = 0;  // the scheme's own where none is given
    std::string target;      // path and query; begins with "/"

    // What a Host field says: brackets where needed, the port where it is not the scheme's.
    [[nodiscard]] std::string authority() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool is_secure() const noexcept { return scheme == "https"; }
    friend bool operator==(const Url&, const Url&) = default;
};

inline constexpr std::size_t url_bytes_max = 8000;

// An absolute address. User names are refused: they would be sent, or lost, unseen.
[[nodiscard]] std::expected<Url, UrlError> parse_url(std::string_view text);
// What `reference`, such as a Location field, means in a document at `base`. RFC 3986 5.2.
[[nodiscard]] std::expected<Url, UrlError> resolve_url(const Url& base, std::string_view reference);

// The two parts of a request's target, whichever form it has.
struct TargetParts {
    std::string_view path;   // "/" where an absolute address has none
    std::string_view query;  // without its "?"
};
[[nodiscard]] TargetParts split_target(std::string_view target) noexcept;

// Nothing where a percent sign is followed by anything but two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
// Everything but letters, digits and `-._~`, and what is in `kept`.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view kept = {});
// The value of a name in `a=1&b=2`; `+` is a space. Nothing where it is missing or malformed.
[[nodiscard]] std::optional<std::string> query_value(std::string_view query, std::string_view name);

}  // namespace gyre::http
