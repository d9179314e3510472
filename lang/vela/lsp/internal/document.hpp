// SPDX-License-Identifier: Apache-2.0
// Document: the text of a file as the editor sees it, with its positions: lines from 0, characters
// in UTF-16 units or bytes as agreed. And the paths of `file:` URIs. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/vela/syntax/source.hpp"

namespace gyre::vela::lsp {

// Of the `character` of a position.
enum class Encoding : std::uint8_t { utf16, utf8 };

struct TextPosition {
    std::size_t line = 0;
    std::size_t character = 0;
};

// Where the lines of a text begin.
class LineTable {
public:
    explicit LineTable(std::string_view text);

    // A position behind the end of its line or of the text is the end.
    [[nodiscard]] std::uint32_t offset(std::string_view text, TextPosition position,
                                       Encoding encoding) const;
    [[nodiscard]] TextPosition position(std::string_view text, std::uint32_t offset,
                                        Encoding encoding) const;

private:
    std::vector<std::uint32_t> begins_;
};

struct Document {
    std::string uri;
    std::string path;
    std::string text;
    std::int64_t version = 0;
    bool is_dirty = false;  // its diagnostics are to be published
};

// Whether a byte can be part of a name; all of UTF-8 beyond ASCII can.
[[nodiscard]] bool is_word_part(char letter) noexcept;

// The path of a `file:` URI; another URI is its own path.
[[nodiscard]] std::string path_of_uri(std::string_view uri);
[[nodiscard]] std::string uri_of_path(std::string_view path);

}  // namespace gyre::vela::lsp
