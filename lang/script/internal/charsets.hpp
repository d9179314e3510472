// SPDX-License-Identifier: Apache-2.0
// Charsets: single characters of encodings with several bytes a character, by the C library's iconv.
// The script's thread.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gyre::script {

class Charsets {
public:
    Charsets() = default;
    ~Charsets();
    Charsets(const Charsets&) = delete;
    Charsets& operator=(const Charsets&) = delete;

    // The bytes of one character as UTF-8; nothing where they are none, or the C library lacks the
    // encoding.
    [[nodiscard]] std::optional<std::string> decode(const std::string& name,
                                                    std::span<const std::byte> bytes);

private:
    [[nodiscard]] void* converter(const std::string& name);

    std::map<std::string, void*> converters_;  // of iconv, by the names of encodings
};

}  // namespace gyre::script
