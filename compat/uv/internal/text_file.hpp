// SPDX-License-Identifier: Apache-2.0
// Reads the small files in which Linux reports numbers (/proc, /sys). Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gyre::uv {

// The whole file; nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> read_text_file(const char* path);

// The number after `key` ("MemTotal:") in a text.
[[nodiscard]] std::optional<std::uint64_t> number_after(std::string_view text,
                                                        std::string_view key);

// The number that a file begins with.
[[nodiscard]] std::optional<std::uint64_t> read_number(const std::string& path);

}  // namespace gyre::uv
