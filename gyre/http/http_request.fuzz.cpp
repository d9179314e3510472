// SPDX-License-Identifier: Apache-2.0
// Fuzz target: requests parse the same at once, byte by byte and in two pieces, and accepted heads
// satisfy the rules of HeadGuard.
#include "gyre/http/fuzz_text.test.hpp"
#include "gyre/http/message_story.test.hpp"

namespace gyre::http {

int fuzz_text(std::string_view text) {
    const Limits limits = small_limits();
    const std::string whole = story_of<RequestHead>(text, limits);
    GYRE_ASSERT(story_byte_by_byte<RequestHead>(text, limits) == whole, "byte by byte it differs");
    GYRE_ASSERT(story_split_at<RequestHead>(text, text.size() / 2, limits) == whole,
                "in two pieces it differs");

    RequestParser parser(limits);
    if (parser.parse(text) != ParseState::complete) return 0;
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

}  // namespace gyre::http
