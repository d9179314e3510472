// SPDX-License-Identifier: Apache-2.0
// Takes the lines between chunks byte by byte, and the chunks as a whole.
#include "gyre/http/internal/chunk_decoder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

// Whether a field of this name affects framing, routing or content coding, and so must not be a
// trailer.
bool is_framing_field(std::string_view name) noexcept {
    static constexpr std::array<std::string_view, 9> names = {
        "transfer-encoding", "content-length", "host",   "trailer",         "te",
        "connection",        "upgrade",        "expect", "content-encoding"};
    for (const std::string_view framing : names) {
        if (same_word(name, framing)) return true;
    }
    return false;
}

}  // namespace

ChunkDecoder::ChunkDecoder(const Limits& limits) noexcept
    : limits_(limits), guard_(HeadGuard::Start::nothing) {}

BodyStep ChunkDecoder::step(std::string_view input) {
    if (refusal_ != Refusal::none) return refuse(refusal_, 0);
    std::size_t at = 0;
    while (at < input.size() && state_ != State::done) {
        if (state_ == State::data) {
            const std::size_t size =
                static_cast<std::size_t>(std::min<std::uint64_t>(left_bytes_, input.size() - at));
            left_bytes_ -= size;
            if (left_bytes_ == 0) state_ = State::data_carriage_return;
            return {.consumed_bytes = at + size, .data = input.substr(at, size)};
        }
        if (state_ == State::trailers) return take_trailers(input.substr(at), at);
        if (const Refusal why = take_line_byte(input[at]); why != Refusal::none) {
            return refuse(why, at);
        }
        ++at;
    }
    return {.state = state_ == State::done ? ParseState::complete : ParseState::more,
            .consumed_bytes = at,
            .data = {}};
}

Refusal ChunkDecoder::take_line_byte(char c) noexcept {
    switch (state_) {
        case State::data_carriage_return:
            if (c != '\r') return c == '\n' ? Refusal::bare_line_feed : Refusal::malformed_chunk;
            state_ = State::data_line_feed;
            return Refusal::none;
        case State::data_line_feed:
            if (c != '\n') return Refusal::bare_carriage_return;
            state_ = State::size_begin;
            return Refusal::none;
        case State::size_line_feed:
            return c == '\n' ? end_size_line() : Refusal::bare_carriage_return;
        default:
            break;
    }
    if (c == '\n') return Refusal::bare_line_feed;
    if (++line_bytes_ > limits_.chunk_line_bytes_max) return Refusal::chunk_line_over_limit;
    return take_size_byte(c);
}

Refusal ChunkDecoder::take_size_byte(char c) noexcept {
    if (state_ == State::size_begin || state_ == State::size) {
        if (const int digit = hex_value(c); digit >= 0) {
            if (left_bytes_ > std::numeric_limits<std::uint64_t>::max() >> 5U) {
                return Refusal::malformed_chunk;
            }
            left_bytes_ = left_bytes_ * 16 + static_cast<unsigned>(digit);
            state_ = State::size;
            return Refusal::none;
        }
        if (state_ == State::size_begin) return Refusal::malformed_chunk;
    }
    switch (state_) {
        case State::size:
        case State::extension:
            if (c == '\r') {
                state_ = State::size_line_feed;
            } else if (c == ';') {
                state_ = State::extension;
            } else if (state_ == State::size) {
                return Refusal::malformed_chunk;
            } else if (c == '"') {
                state_ = State::extension_quoted;
            } else if (c != '=' && !is_token_character(c)) {
                return is_control(c) ? Refusal::control_character : Refusal::malformed_chunk;
            }
            return Refusal::none;
        case State::extension_escape:
            state_ = State::extension_quoted;
            return is_control(c) && c != '\t' ? Refusal::control_character : Refusal::none;
        default:
            if (is_control(c) && c != '\t') return Refusal::control_character;
            if (c == '"') state_ = State::extension;
            if (c == '\\') state_ = State::extension_escape;
            return Refusal::none;
    }
}

Refusal ChunkDecoder::end_size_line() noexcept {
    line_bytes_ = 0;
    if (left_bytes_ == 0) {
        state_ = State::trailers;
        return Refusal::none;
    }
    // Written so that no announced size can overflow it.
    if (left_bytes_ > limits_.body_bytes_max - std::min(total_bytes_, limits_.body_bytes_max)) {
        return Refusal::body_bytes_over_limit;
    }
    total_bytes_ += left_bytes_;
    GYRE_ASSERT(total_bytes_ <= limits_.body_bytes_max, "the chunks exceed body_bytes_max");
    state_ = State::data;
    return Refusal::none;
}

BodyStep ChunkDecoder::take_trailers(std::string_view input, std::size_t consumed) {
    // Copies at most one byte more than the limit.
    const std::size_t room =
        limits_.trailer_bytes_max + 2 -
        std::min<std::size_t>(trailer_text_.size(), limits_.trailer_bytes_max + 2);
    const std::size_t before = trailer_text_.size();
    trailer_text_.append(input.substr(0, room));
    switch (guard_.scan(trailer_text_, limits_)) {
        case ParseState::more:
            return {.consumed_bytes = consumed + trailer_text_.size() - before, .data = {}};
        case ParseState::refused:
            return refuse(guard_.refusal(), consumed);
        case ParseState::complete:
            break;
    }
    GYRE_ASSERT(guard_.end() >= before, "trailers end before the bytes of this step");
    GYRE_ASSERT(guard_.end() <= trailer_text_.size(), "trailers end behind their text");
    trailer_text_.resize(guard_.end());
    if (const Refusal why = read_trailers(); why != Refusal::none) return refuse(why, consumed);
    state_ = State::done;
    return {.state = ParseState::complete,
            .consumed_bytes = consumed + guard_.end() - before,
            .data = {}};
}

Refusal ChunkDecoder::read_trailers() {
    std::string_view rest = trailer_text_;
    for (std::size_t end = rest.find("\r\n"); end != 0; end = rest.find("\r\n")) {
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 2);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
            return Refusal::malformed_trailer;
        }
        if (is_framing_field(line.substr(0, colon))) return Refusal::framing_in_trailer;
        trailers_.add({.name = line.substr(0, colon), .value = trimmed(line.substr(colon + 1))});
    }
    return Refusal::none;
}

BodyStep ChunkDecoder::refuse(Refusal why, std::size_t consumed) noexcept {
    refusal_ = why;
    return {.state = ParseState::refused, .consumed_bytes = consumed, .data = {}};
}

void append_chunk(std::string& out, std::string_view data) {
    GYRE_ASSERT(!data.empty(),
                "an empty chunk would end the body: call append_last_chunk for that");
    std::array<char, 16> digits{};
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), data.size(), 16);
    out.append(digits.data(), end).append("\r\n").append(data).append("\r\n");
}

void append_last_chunk(std::string& out) {
    out.append("0\r\n\r\n");
}

}  // namespace gyre::http
