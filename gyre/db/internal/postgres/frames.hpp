// SPDX-License-Identifier: Apache-2.0
// FrameReader: cuts the bytes of a PostgreSQL server into messages. FieldReader: the fields of one.
// MessageWriter: messages to the server. Protocol 3.0: a type byte, a length of four bytes that counts
// itself, the body. One loop's thread. A frame is valid until the next call of `room`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/db/internal/big_endian.hpp"

namespace gyre::db::postgres {

struct Frame {
    char type = 0;
    ConstBytes body;
};

// Throws DbError (protocol), whatever the server did.
[[noreturn]] void refuse_protocol(const std::string& what);

class FrameReader {
public:
    explicit FrameReader(std::size_t message_bytes_max) noexcept
        : message_bytes_max_(message_bytes_max) {}

    // Where to receive: grows with what has arrived, never with what a length promises.
    [[nodiscard]] Bytes room();
    void received(std::size_t size) noexcept;
    // The next whole message, if it is there. Throws DbError for a length that cannot be.
    [[nodiscard]] std::optional<Frame> next();
    [[nodiscard]] std::size_t held_bytes() const noexcept { return buffer_.size(); }
    [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }

private:
    static constexpr std::size_t head_bytes = 5;
    static constexpr std::size_t room_bytes_min = std::size_t{8} * 1024;

    const std::size_t message_bytes_max_;
    std::vector<std::byte> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

// Throws DbError where the body ends too early.
class FieldReader {
public:
    explicit FieldReader(const Frame& frame) noexcept : type_(frame.type), rest_(frame.body) {}

    template <std::integral T>
    [[nodiscard]] T number() {
        return from_big_endian<T>(bytes(sizeof(T)));
    }
    [[nodiscard]] ConstBytes bytes(std::size_t size);
    // Up to the next zero byte.
    [[nodiscard]] std::string_view text();
    [[nodiscard]] ConstBytes rest() const noexcept { return rest_; }
    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
    // Throws if anything is left.
    void end() const;

private:
    [[noreturn]] void refuse() const;

    char type_;
    ConstBytes rest_;
};

// Appends one message to the output; its length is filled in at the end.
class MessageWriter {
public:
    // A type of 0: the messages before the login have none.
    MessageWriter(std::string& to, char type);
    MessageWriter(const MessageWriter&) = delete;
    MessageWriter& operator=(const MessageWriter&) = delete;

    template <std::integral T>
    MessageWriter& number(T value) {
        append_big_endian(to_, value);
        return *this;
    }
    // With a zero byte behind it. The text has none inside: see `has_zero`.
    MessageWriter& text(std::string_view text);
    MessageWriter& bytes(ConstBytes bytes);
    // Throws a DbError (limit), and takes the message back, if it is longer than the protocol allows.
    void end();

private:
    std::string& to_;
    const std::size_t begin_;
    const std::size_t length_at_;
};

}  // namespace gyre::db::postgres
