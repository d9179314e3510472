// SPDX-License-Identifier: Apache-2.0
// Reading a body from the two input buffers of a connection: first the bytes that were received
// with the head, then a second buffer, because the texts of the head are views into the first. For
// server and client connections.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "gyre/http/internal/body_parser.hpp"
#include "gyre/http/internal/input_buffer.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

// The next piece of the body, empty at its end; nullopt if more must be received first. The view is
// valid until then. Throws MessageRefused.
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

// Call after each receive: 0 bytes are the end of the stream. Throws if the body is truncated.
inline void end_body_at(BodyParser& body, std::size_t received_bytes) {
    if (received_bytes == 0 && body.end_of_input() == ParseState::refused) {
        throw MessageRefused(body.refusal());
    }
}

}  // namespace gyre::http
