// SPDX-License-Identifier: Apache-2.0
// BodyParser: an incremental parser of the body that a head announced, in any framing. Data is
// returned as views into the input. One per message; owned by the connection's task.
#pragma once

#include <cstdint>
#include <string_view>

#include "gyre/http/internal/chunk_decoder.hpp"

namespace gyre::http {

class BodyParser {
public:
    // No body.
    BodyParser() noexcept = default;
    // A Content-Length over the limit is refused before the first byte.
    BodyParser(const MessageHead& head, const Limits& limits) noexcept;

    // Returns a piece of data, the end, or a refusal; like ChunkDecoder::step.
    [[nodiscard]] BodyStep step(std::string_view input);
    // The peer has closed: complete, or refused if the body is truncated.
    [[nodiscard]] ParseState end_of_input() noexcept;
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }
    [[nodiscard]] const Fields& trailers() const noexcept { return chunks_.trailers(); }

private:
    [[nodiscard]] BodyStep refuse(Refusal why, std::size_t consumed) noexcept {
        refusal_ = why;
        return {.state = ParseState::refused, .consumed_bytes = consumed, .data = {}};
    }
    [[nodiscard]] BodyStep take(std::string_view data) noexcept;
    // Records what the decoder made of this many bytes.
    [[nodiscard]] BodyStep record(const BodyStep& step, std::size_t input_bytes) noexcept;

    Framing framing_ = Framing::none;
    bool is_complete_ = true;
    Refusal refusal_ = Refusal::none;
    std::uint64_t left_bytes_ = 0;  // of the length, or of the limit if framed by the close
    ChunkDecoder chunks_;
};

}  // namespace gyre::http
