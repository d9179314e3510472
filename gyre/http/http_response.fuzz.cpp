// SPDX-License-Identifier: Apache-2.0
// Fuzz target: responses are heard the same whole, byte by byte and in two pieces.
#include <cstddef>
#include <cstdint>

#include "gyre/base/assert.hpp"
#include "gyre/http/message_story.test.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    using namespace gyre::http;
    Limits limits;
    limits.line_bytes_max = 64;
    limits.head_bytes_max = 200;
    limits.field_count_max = 6;
    limits.body_bytes_max = 100;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size_bytes);
    const std::string whole = story_of<ResponseHead>(bytes, limits);
    GYRE_ASSERT(story_byte_by_byte<ResponseHead>(bytes, limits) == whole,
                "byte by byte it differs");
    GYRE_ASSERT(story_split_at<ResponseHead>(bytes, size_bytes / 2, limits) == whole,
                "in two pieces it differs");
    ResponseParser parser(limits);
    if (parser.parse(bytes) != ParseState::complete) return 0;
    GYRE_ASSERT(parser.head().status >= 100 && parser.head().status <= 999, "three digits");
    return 0;
}
