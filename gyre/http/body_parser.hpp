// SPDX-License-Identifier: Apache-2.0
// BodyParser: the body that a head announced, whatever its framing, from bytes as they come. Data
// is given as views into the input. One a message; owned by the connection's task.
#pragma once

#include <cstdint>
#include <string_view>

#include "gyre/http/chunk_decoder.hpp"

namespace gyre::http {

class BodyParser {
public:
    // Nothing to come.
    BodyParser() noexcept = default;
    // Of this head. A length over the limit is refused before a byte of it is read.
    BodyParser(const MessageHead& head, const Limits& limits) noexcept;

    // A piece of data, the end, or a refusal; as ChunkDecoder::step.
    [[nodiscard]] BodyStep step(std::string_view input);
    // The other side sends no more: whether the body was whole by then.
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

    Framing framing_ = Framing::none;
    bool is_complete_ = true;
    Refusal refusal_ = Refusal::none;
    std::uint64_t left_bytes_ = 0;  // of the length, or of the limit where the close is the end
    ChunkDecoder chunks_;
};

}  // namespace gyre::http
