// SPDX-License-Identifier: Apache-2.0
// Media types by file name, content codings, and the safe mapping of request paths to files. Pure
// functions.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "gyre/http/message.hpp"

namespace gyre::http {

// By the extension; `application/octet-stream` if it is unknown.
[[nodiscard]] std::string_view media_type_of(std::string_view file_name) noexcept;
// Whether the media type compresses well.
[[nodiscard]] bool is_compressible(std::string_view media_type) noexcept;
// Whether Accept-Encoding, with its weights, allows this coding (RFC 9110 12.5.3).
[[nodiscard]] bool accepts_coding(const Fields& fields, std::string_view coding) noexcept;

struct PathError {
    std::string_view what;
};
// Maps the path of a request to a relative path: decoded, without the leading slash. nullopt for
// `..`, names that begin with a dot, empty names, backslashes, encoded slashes and control
// characters. A trailing slash is kept; "" is the directory itself. Does not look at symbolic
// links.
[[nodiscard]] std::expected<std::string, PathError> safe_path(std::string_view path);

}  // namespace gyre::http
