// SPDX-License-Identifier: Apache-2.0
// ChunkDecoder: a chunked body, RFC 9112 7.1, from bytes as they come. Chunk data is given as views
// into the input; only trailers are kept. Stricter than the RFC asks: no space around the size,
// line ends are CR LF, and trailers that frame or route a message are refused. One a body; owned by
// the connection's task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/http/internal/head_guard.hpp"
#include "gyre/http/limits.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

// What a look at the input gave: data of the body, if any, and how much of the input is done with.
struct BodyStep {
    ParseState state = ParseState::more;
    std::size_t consumed_bytes = 0;
    std::string_view data;
};

class ChunkDecoder {
public:
    explicit ChunkDecoder(const Limits& limits = {}) noexcept;

    // Goes to the end of the next piece of data, or as far as the input goes. Call it again with
    // the rest of the input until it consumes nothing more.
    [[nodiscard]] BodyStep step(std::string_view input);
    // When complete: the fields after the last chunk. Views into the decoder.
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

// The other way. `data` is not empty: an empty chunk would end the body.
void append_chunk(std::string& out, std::string_view data);
void append_last_chunk(std::string& out);

}  // namespace gyre::http
