// SPDX-License-Identifier: Apache-2.0
// Fuzz target: requests are heard the same whole, byte by byte and in two pieces, and what was
// taken keeps the promises of the guard.
#include <cstddef>
#include <cstdint>

#include "gyre/base/assert.hpp"
#include "gyre/http/message_story.test.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    using namespace gyre::http;
    // Small, so that short inputs reach them.
    Limits limits;
    limits.line_bytes_max = 64;
    limits.head_bytes_max = 200;
    limits.field_count_max = 6;
    limits.body_bytes_max = 100;
    limits.chunk_line_bytes_max = 20;
    limits.trailer_bytes_max = 50;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size_bytes);
    const std::string whole = story_of<RequestHead>(bytes, limits);
    GYRE_ASSERT(story_byte_by_byte<RequestHead>(bytes, limits) == whole, "byte by byte it differs");
    GYRE_ASSERT(story_split_at<RequestHead>(bytes, size_bytes / 2, limits) == whole,
                "in two pieces it differs");

    RequestParser parser(limits);
    if (parser.parse(bytes) != ParseState::complete) return 0;
    const RequestHead& head = parser.head();
    const bool is_old = head.version == Version::http_1_0;
    GYRE_ASSERT(head.fields.count("host") == 1 || (is_old && !head.fields.has("host")), "one Host");
    GYRE_ASSERT(head.fields.count("content-length") + head.fields.count("transfer-encoding") <= 1,
                "one framing");
    GYRE_ASSERT(head.framing != Framing::chunked || !is_old, "no chunks on HTTP/1.0");
    GYRE_ASSERT(head.target.find(' ') == std::string_view::npos, "no space in the target");
    for (const Field& field : head.fields) {
        GYRE_ASSERT(is_token(field.name), "names are tokens");
        for (const char c : field.value) GYRE_ASSERT(c == '\t' || !is_control(c), "clean values");
    }
    return 0;
}
