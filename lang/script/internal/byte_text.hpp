// SPDX-License-Identifier: Apache-2.0
// Texts of bytes: what Buffer of node:buffer reads and writes, by encoding. Decoders never fail: as
// in Node, what is no text becomes U+FFFD, and what is no digit is skipped or ends the input. Any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gyre::script {

// In the order of the numbers that library/lazy/buffer.js passes.
enum class ByteEncoding : std::uint8_t { utf8, latin1, ascii, hex, base64, base64url };

using Bytes = std::span<const std::byte>;

// The bytes as UTF-8 text.
[[nodiscard]] std::string text_of_bytes(Bytes bytes, ByteEncoding encoding);
// Writes a text (UTF-8) of the encodings utf8, hex, base64 or base64url; how many bytes it wrote.
// Of utf8 only whole characters.
std::size_t write_text(std::string_view text, ByteEncoding encoding, std::span<std::byte> to);

[[nodiscard]] bool are_utf8(Bytes bytes) noexcept;
[[nodiscard]] bool are_ascii(Bytes bytes) noexcept;
// Every byte that belongs to no character is replaced by U+FFFD, as the Encoding Standard says.
[[nodiscard]] std::string repaired_utf8(Bytes bytes);

// Where `needle` begins in `bytes`, at a multiple of `unit` bytes, at or behind `from`, or before it
// (backwards); -1: nowhere.
[[nodiscard]] std::ptrdiff_t find_bytes(Bytes bytes, Bytes needle, std::size_t from,
                                        bool is_forward, std::size_t unit) noexcept;

}  // namespace gyre::script
