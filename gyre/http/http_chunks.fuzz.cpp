// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a chunked body decodes the same at once and byte by byte; and a body that we encode,
// in pieces chosen by the input, decodes to itself.
#include <algorithm>
#include <string>

#include "gyre/http/fuzz_text.test.hpp"
#include "gyre/http/internal/chunk_decoder.hpp"

namespace gyre::http {
namespace {

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

int fuzz_text(std::string_view text) {
    const Limits limits = small_limits();
    Decoded whole = decode(text, std::max<std::size_t>(text.size(), 1), limits);
    Decoded single = decode(text, 1, limits);
    // Before a refusal, different amounts of data may have been returned.
    if (whole.refusal != Refusal::none) whole.consumed_bytes = single.consumed_bytes = 0;
    GYRE_ASSERT(whole == single, "byte by byte it differs");

    std::string encoded;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = 1 + static_cast<unsigned char>(text[at]) % 40;
        append_chunk(encoded, text.substr(at, size));
        at += size;
    }
    append_last_chunk(encoded);
    const Decoded again = decode(encoded, encoded.size(), Limits());
    GYRE_ASSERT(again.is_complete, "an encoded body decodes completely");
    GYRE_ASSERT(again.data == text, "an encoded body decodes to itself");
    return 0;
}

}  // namespace gyre::http
