// SPDX-License-Identifier: Apache-2.0
// What kind of content a file has, which codings the other side takes, and which file a path of a
// request may name. Pure functions.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "gyre/http/message.hpp"

namespace gyre::http {

// By the file name's ending; `application/octet-stream` for one that nobody knows.
[[nodiscard]] std::string_view media_type_of(std::string_view file_name) noexcept;
// Whether compressing it is worth the while.
[[nodiscard]] bool is_compressible(std::string_view media_type) noexcept;
// Whether an answer may come in this coding: Accept-Encoding with its weights, RFC 9110 12.5.3.
[[nodiscard]] bool accepts_coding(const Fields& fields, std::string_view coding) noexcept;

struct PathError {
    std::string_view what;
};
// The path of a request as a path below a folder: decoded, without a leading slash, without `..`,
// names that begin with a dot, empty names, backslashes, slashes in percent codes or control
// characters. A path that ends with a slash keeps it; "" is the folder itself. Links are the file
// system's: open the file beneath the folder.
[[nodiscard]] std::expected<std::string, PathError> safe_path(std::string_view path);

}  // namespace gyre::http
