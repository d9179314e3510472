// SPDX-License-Identifier: Apache-2.0
// The format of a cache entry: the code, the magic bytes and version of the format, the key, the length of the code, and a
// checksum of all that. The code comes first, so that nothing need be moved to get at it. Numbers are little-endian. Any
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gyre::wasm {

using CacheHash = std::array<unsigned char, 32>;

// Of an engine and a module: the lengths are part of it, so that no two pairs have the same text.
[[nodiscard]] CacheHash cache_key(std::string_view engine, std::string_view module);
// The name of the entry's file.
[[nodiscard]] std::string cache_file_name(const CacheHash& key);

[[nodiscard]] std::string write_cache_entry(const CacheHash& key, std::string_view code);
// A part of `entry`. None: it is no entry, damaged, or of another key.
[[nodiscard]] std::optional<std::string_view> read_cache_entry(std::string_view entry,
                                                               const CacheHash& key);

}  // namespace gyre::wasm
