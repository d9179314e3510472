// SPDX-License-Identifier: Apache-2.0
// Fuzz target: responses parse the same at once, byte by byte and in two pieces.
#include "gyre/http/fuzz_text.test.hpp"
#include "gyre/http/message_story.test.hpp"

namespace gyre::http {

int fuzz_text(std::string_view text) {
    const Limits limits = small_limits();
    const std::string whole = story_of<ResponseHead>(text, limits);
    GYRE_ASSERT(story_byte_by_byte<ResponseHead>(text, limits) == whole, "byte by byte it differs");
    GYRE_ASSERT(story_split_at<ResponseHead>(text, text.size() / 2, limits) == whole,
                "in two pieces it differs");
    ResponseParser parser(limits);
    if (parser.parse(text) != ParseState::complete) return 0;
    GYRE_ASSERT(parser.head().status >= 100 && parser.head().status <= 999, "three digits");
    return 0;
}

}  // namespace gyre::http
