// SPDX-License-Identifier: Apache-2.0
// ChunkDecoder: an incremental decoder of chunked bodies, RFC 9112 7.1. Chunk data is returned as
// views into the input; only trailers are copied. Stricter than the RFC: no spaces around the size,
// CRLF only, and no trailers that affect framing or routing. One per body; owned by the
// connection's task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/http/internal/head_guard.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

// The result of a step: data of the body, possibly empty, and the number of input bytes consumed.
struct BodyStep {
    ParseState state = ParseState::more;
    std::size_t consumed_bytes = 0;
    std::string_view data;
};

class ChunkDecoder {
public:
    explicit ChunkDecoder(const Limits& limits = {}) noexcept;

    // Advances to the end of the next piece of data, or of the input. Call it again with the rest
    // of the input until it consumes nothing.
    [[nodiscard]] BodyStep step(std::string_view input);
    // When complete: the trailers, as views into the decoder.
    [[nodiscard]] const Fields& trailers() const noexcept { return trailers_; }
    [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }

private:
    enum class State : std::uint8_t {
        size_begin,
        size,
        extension,         // after `;`
        extension_quoted,  // inside quotes
        extension_escape,  // after a backslash inside quotes
        size_line_feed,
        data,
        data_carriage_return,
        data_line_feed,
        trailers,
        done,
    };

    [[nodiscard]] Refusal take_line_byte(char c) noexcept;
    [[nodiscard]] Refusal take_size_byte(char c) noexcept;
    [[nodiscard]] Refusal end_size_line() noexcept;
    [[nodiscard]] BodyStep take_trailers(std::string_view input, std::size_t consumed);
    [[nodiscard]] Refusal read_trailers();
    [[nodiscard]] BodyStep refuse(Refusal why, std::size_t consumed) noexcept;

    Limits limits_;
    State state_ = State::size_begin;
    Refusal refusal_ = Refusal::none;
    std::uint32_t line_bytes_ = 0;
    std::uint64_t left_bytes_ = 0;   // of this chunk
    std::uint64_t total_bytes_ = 0;  // of all chunks announced
    HeadGuard guard_;                // of the trailers
    std::string trailer_text_;
    Fields trailers_;
};

// Encoders. `data` must not be empty: an empty chunk ends the body.
void append_chunk(std::string& out, std::string_view data);
void append_last_chunk(std::string& out);

}  // namespace gyre::http
