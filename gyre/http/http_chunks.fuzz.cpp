// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a chunked body decodes the same whole and byte by byte; and what we encode, in
// pieces that the input chooses, decodes to itself.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gyre/base/assert.hpp"
#include "gyre/http/chunk_decoder.hpp"

namespace {

using namespace gyre::http;

struct Decoded {
    std::string data;
    Refusal refusal = Refusal::none;
    bool is_complete = false;
    std::size_t consumed_bytes = 0;
    friend bool operator==(const Decoded&, const Decoded&) = default;
};

Decoded decode(std::string_view bytes, std::size_t piece_bytes, const Limits& limits) {
    ChunkDecoder decoder(limits);
    Decoded result;
    std::string held;
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
        held += bytes.substr(at, piece_bytes);
        for (bool goes_on = true; goes_on;) {
            const BodyStep step = decoder.step(held);
            result.data += step.data;
            goes_on = step.consumed_bytes > 0 && step.state == ParseState::more;
            if (step.state == ParseState::refused) {
                result.refusal = decoder.refusal();
                return result;
            }
            result.consumed_bytes += step.consumed_bytes;
            held.erase(0, step.consumed_bytes);
            if (step.state != ParseState::complete) continue;
            result.is_complete = true;
            return result;
        }
    }
    return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size_bytes);
    Limits limits;
    limits.body_bytes_max = 300;
    limits.chunk_line_bytes_max = 20;
    limits.trailer_bytes_max = 60;
    Decoded whole = decode(bytes, std::max<std::size_t>(size_bytes, 1), limits);
    Decoded single = decode(bytes, 1, limits);
    // Up to a refusal a different part of the bytes may have been taken.
    if (whole.refusal != Refusal::none) whole.consumed_bytes = single.consumed_bytes = 0;
    GYRE_ASSERT(whole == single, "byte by byte it differs");

    std::string encoded;
    for (std::size_t at = 0; at < size_bytes;) {
        const std::size_t size = 1 + data[at] % 40;
        append_chunk(encoded, bytes.substr(at, size));
        at += size;
    }
    append_last_chunk(encoded);
    const Decoded again = decode(encoded, encoded.size(), Limits());
    GYRE_ASSERT(again.is_complete, "what we encode is complete");
    GYRE_ASSERT(again.data == bytes, "what we encode decodes to itself");
    return 0;
}
