// SPDX-License-Identifier: Apache-2.0
// The three framings of a body.
#include "gyre/http/internal/body_parser.hpp"

#include <algorithm>

#include "gyre/base/assert.hpp"

namespace gyre::http {

BodyParser::BodyParser(const MessageHead& head, const Limits& limits) noexcept
    : framing_(head.framing),
      is_complete_(head.framing == Framing::none),
      left_bytes_(head.framing == Framing::length ? head.content_length : limits.body_bytes_max),
      chunks_(limits) {
    if (framing_ == Framing::length && head.content_length > limits.body_bytes_max) {
        refusal_ = Refusal::body_bytes_over_limit;
    }
}

BodyStep BodyParser::step(std::string_view input) {
    if (refusal_ != Refusal::none) return refuse(refusal_, 0);
    if (is_complete_) return {.state = ParseState::complete, .data = {}};
    if (framing_ != Framing::chunked) return take(input);
    return record(chunks_.step(input), input.size());
}

BodyStep BodyParser::record(const BodyStep& step, std::size_t input_bytes) noexcept {
    if (step.state == ParseState::refused) refusal_ = chunks_.refusal();
    GYRE_ASSERT(step.consumed_bytes <= input_bytes, "a decoder consumed more than its input");
    is_complete_ = step.state == ParseState::complete;
    return step;
}

BodyStep BodyParser::take(std::string_view data) noexcept {
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_bytes_, data.size()));
    if (framing_ == Framing::until_close && size < data.size()) {
        return refuse(Refusal::body_bytes_over_limit, 0);
    }
    left_bytes_ -= size;
    is_complete_ = framing_ == Framing::length && left_bytes_ == 0;
    return {.state = is_complete_ ? ParseState::complete : ParseState::more,
            .consumed_bytes = size,
            .data = data.substr(0, size)};
}

ParseState BodyParser::end_of_input() noexcept {
    if (framing_ == Framing::until_close) is_complete_ = true;
    if (!is_complete_ && refusal_ == Refusal::none) refusal_ = Refusal::early_end;
    return is_complete_ ? ParseState::complete : ParseState::refused;
}

}  // namespace gyre::http
