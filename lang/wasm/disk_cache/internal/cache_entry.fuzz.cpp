// SPDX-License-Identifier: Apache-2.0
// Fuzz target: bytes are an entry of the cache only if they are exactly what was written for that key. The first byte says
// how the rest becomes an entry: as it is, or as code whose entry has a few bytes changed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "lang/wasm/disk_cache/internal/cache_entry.hpp"

using namespace gyre::wasm;

namespace {

void check(std::string_view entry, const CacheHash& key) {
    if (const auto code = read_cache_entry(entry, key)) {
        GYRE_ASSERT(write_cache_entry(key, *code) == entry, "an entry that was not written");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
    const CacheHash key = cache_key("engine", "module");
    if (data[0] == 0) {
        check(rest, key);
        return 0;
    }
    std::string entry = write_cache_entry(key, rest);
    GYRE_ASSERT(read_cache_entry(entry, key) == rest, "a whole entry is read");
    GYRE_ASSERT(!read_cache_entry(entry, cache_key("engine", "other")), "an entry of another key");
    if (data[0] == 1) {
        entry.resize(data[1] * std::size_t{256} % entry.size() + data[2] % 256u % entry.size());
    } else {
        entry[(data[1] * std::size_t{256} + data[2]) % entry.size()] ^= static_cast<char>(data[0]);
    }
    check(entry, key);
    return 0;
}
