// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the texts of any bytes are UTF-8, and those of hex, base64 and base64url are read as the same
// bytes; decoders of arbitrary text write within their room; a search finds what is there.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gyre/base/assert.hpp"
#include "lang/script/internal/byte_text.hpp"

namespace gyre::script {
namespace {

Bytes bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

void check_encodings(Bytes bytes) {
    for (const ByteEncoding encoding :
         {ByteEncoding::utf8, ByteEncoding::latin1, ByteEncoding::ascii, ByteEncoding::hex,
          ByteEncoding::base64, ByteEncoding::base64url}) {
        const std::string text = text_of_bytes(bytes, encoding);
        GYRE_ASSERT(are_utf8(bytes_of(text)), "a text is UTF-8");
        if (encoding < ByteEncoding::hex) continue;
        std::vector<std::byte> back(bytes.size());
        const std::size_t size = write_text(text, encoding, back);
        GYRE_ASSERT(size == bytes.size(), "all bytes come back");
        GYRE_ASSERT(std::equal(back.begin(), back.end(), bytes.begin()), "the same bytes");
    }
    if (are_utf8(bytes)) {
        GYRE_ASSERT(repaired_utf8(bytes).size() == bytes.size(), "UTF-8 needs no repair");
    }
}

void check_decoders(Bytes bytes) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<std::byte> room(bytes.size() / 2);
    for (const ByteEncoding encoding :
         {ByteEncoding::utf8, ByteEncoding::hex, ByteEncoding::base64, ByteEncoding::base64url}) {
        GYRE_ASSERT(write_text(text, encoding, room) <= room.size(), "within the room");
    }
}

void check_search(Bytes bytes) {
    if (bytes.size() < 4) return;
    const auto at = static_cast<std::size_t>(bytes[0]) % (bytes.size() - 2);
    const Bytes needle = bytes.subspan(at, 2);
    const std::ptrdiff_t first = find_bytes(bytes, needle, 0, true, 1);
    const std::ptrdiff_t last = find_bytes(bytes, needle, bytes.size(), false, 1);
    GYRE_ASSERT(first >= 0 && static_cast<std::size_t>(first) <= at, "the first is found");
    GYRE_ASSERT(last >= 0 && static_cast<std::size_t>(last) >= at, "the last is found");
}

}  // namespace
}  // namespace gyre::script

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    gyre::script::check_encodings(bytes);
    gyre::script::check_decoders(bytes);
    gyre::script::check_search(bytes);
    return 0;
}
