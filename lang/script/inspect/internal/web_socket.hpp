// SPDX-License-Identifier: Apache-2.0
// The server's end of a WebSocket (RFC 6455), without its socket: frames of a client become messages, and
// messages frames. No extensions. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/base/bytes.hpp"
#include "gyre/base/failure.hpp"

namespace gyre::script {

struct WebSocketMessage {
    // The numbers of the frames.
    enum class Kind : std::uint8_t { text = 1, binary = 2, close = 8, ping = 9, pong = 10 };
    Kind kind = Kind::text;
    std::string payload;
};

// The client does not keep to the protocol; the connection is to be closed with the code.
class WebSocketError : public Failure {
public:
    WebSocketError(std::uint16_t code, const std::string& why) : Failure(why), code_(code) {}
    [[nodiscard]] std::uint16_t code() const noexcept { return code_; }

private:
    std::uint16_t code_;
};

class WebSocketParser {
public:
    // Of a message, all its frames together.
    static constexpr std::size_t message_bytes_max = std::size_t{64} << 20u;

    explicit WebSocketParser(std::size_t size_max = message_bytes_max) : size_max_(size_max) {}
    void feed(ConstBytes bytes);
    // Nothing: it needs more bytes. Throws WebSocketError; no message follows then.
    [[nodiscard]] std::optional<WebSocketMessage> next();

private:
    struct Head {
        std::size_t size = 0;  // of the head itself
        bool is_final = false;
        unsigned opcode = 0;
        std::uint64_t length = 0;
        std::array<unsigned char, 4> mask{};
    };
    [[nodiscard]] std::optional<Head> read_head() const;
    void check(const Head& head) const;
    [[nodiscard]] std::string take_payload(const Head& head);

    const std::size_t size_max_;
    std::string waiting_;  // bytes that have come
    std::size_t at_ = 0;   // those before it are taken
    // A message of several frames.
    std::optional<WebSocketMessage> begun_;
};

// A frame of the server: whole, without a mask.
[[nodiscard]] std::string web_socket_frame(const WebSocketMessage& message);
// The answer to the Sec-WebSocket-Key of a client.
[[nodiscard]] std::string web_socket_accept(std::string_view key);
// The payload of a close.
[[nodiscard]] std::string close_payload(std::uint16_t code, std::string_view why);

}  // namespace gyre::script
