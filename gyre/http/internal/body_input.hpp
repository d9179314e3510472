// SPDX-License-Identifier: Apache-2.0
// How the body of a message is taken from what has come: from what came with its head first, then
// from a buffer of its own, since the head's texts must stay where they are. For the connections of
// servers and clients, on their tasks.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "gyre/http/body_parser.hpp"
#include "gyre/http/internal/input_buffer.hpp"
#include "gyre/http/message_refused.hpp"

namespace gyre::http {

// The next piece of the body, empty at its end; nothing where more must be received first. Throws
// MessageRefused. The bytes of a piece stay where they are until then.
[[nodiscard]] inline std::optional<std::string_view> next_piece(BodyParser& body,
                                                                InputBuffer& with_head,
                                                                InputBuffer& later) {
    while (!body.is_complete()) {
        InputBuffer& input = with_head.empty() ? later : with_head;
        const BodyStep step = body.step(input.unread());
        input.consume(step.consumed_bytes);
        if (step.state == ParseState::refused) throw MessageRefused(body.refusal());
        if (!step.data.empty()) return step.data;
        if (step.consumed_bytes == 0 && step.state != ParseState::complete) return std::nullopt;
    }
    return std::string_view();
}

// So many bytes came; none: that was the end, which a body may not have reached.
inline void end_body_at(BodyParser& body, std::size_t came_bytes) {
    if (came_bytes == 0 && body.end_of_input() == ParseState::refused) {
        throw MessageRefused(body.refusal());
    }
}

}  // namespace gyre::http
