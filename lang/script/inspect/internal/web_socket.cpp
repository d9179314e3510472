// SPDX-License-Identifier: Apache-2.0
#include "lang/script/inspect/internal/web_socket.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gyre::script {
namespace {

constexpr std::uint16_t protocol_error = 1002;
constexpr std::uint16_t too_large = 1009;
constexpr std::size_t control_bytes_max = 125;
constexpr unsigned continuation = 0;
constexpr unsigned first_control = 8;

unsigned byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

std::string base64(std::string_view bytes) {
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string made;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8u | (k < count ? byte_at(bytes, i + k) : 0u);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            made += k <= count ? digits[group >> (18 - 6 * k) & 63u] : '=';
        }
    }
    return made;
}

// One block of SHA-1 (FIPS 180-4).
void hash_block(std::array<std::uint32_t, 5>& state, std::string_view block) {
    std::array<std::uint32_t, 80> w{};
    for (std::size_t t = 0; t < 16; ++t) {
        for (std::size_t k = 0; k < 4; ++k) w[t] = w[t] << 8u | byte_at(block, 4 * t + k);
    }
    for (std::size_t t = 16; t < 80; ++t) {
        w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    }
    auto [a, b, c, d, e] = state;
    for (std::size_t t = 0; t < 80; ++t) {
        const bool is_choice = t < 20;
        const bool is_majority = t >= 40 && t < 60;
        const std::uint32_t mixed = is_choice     ? (b & c) | (~b & d)
                                    : is_majority ? (b & c) | (b & d) | (c & d)
                                                  : b ^ c ^ d;
        static constexpr std::uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc,
                                                      0xca62c1d6};
        const std::uint32_t next = std::rotl(a, 5) + mixed + e + constants[t / 20] + w[t];
        e = std::exchange(d, c);
        c = std::rotl(b, 30);
        b = std::exchange(a, next);
    }
    const std::array<std::uint32_t, 5> added = {a, b, c, d, e};
    for (std::size_t i = 0; i < 5; ++i) state[i] += added[i];
}

std::string sha1(std::string text) {
    const std::uint64_t bits = std::uint64_t{8} * text.size();
    text += '\x80';
    while (text.size() % 64 != 56) text += '\0';
    for (unsigned shift = 64; shift > 0; shift -= 8)
        text += static_cast<char>(bits >> (shift - 8) & 0xffu);
    std::array<std::uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                                          0xc3d2e1f0};
    for (std::size_t at = 0; at < text.size(); at += 64)
        hash_block(state, std::string_view(text).substr(at, 64));
    std::string digest;
    for (const std::uint32_t word : state) {
        for (unsigned shift = 32; shift > 0; shift -= 8)
            digest += static_cast<char>(word >> (shift - 8) & 0xffu);
    }
    return digest;
}

}  // namespace

void WebSocketParser::feed(ConstBytes bytes) {
    if (at_ > 0 && at_ == waiting_.size()) {
        waiting_.clear();
        at_ = 0;
    }
    waiting_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::optional<WebSocketParser::Head> WebSocketParser::read_head() const {
    const std::string_view bytes = std::string_view(waiting_).substr(at_);
    if (bytes.size() < 2) return std::nullopt;
    if ((byte_at(bytes, 0) & 0x70u) != 0)
        throw WebSocketError(protocol_error, "a frame with an extension");
    if ((byte_at(bytes, 1) & 0x80u) == 0)
        throw WebSocketError(protocol_error, "a frame of a client without a mask");
    Head head{.is_final = (byte_at(bytes, 0) & 0x80u) != 0, .opcode = byte_at(bytes, 0) & 15u};
    const unsigned length = byte_at(bytes, 1) & 127u;
    const std::size_t more = length < 126 ? 0 : length == 126 ? 2 : 8;
    head.size = 2 + more + head.mask.size();
    if (bytes.size() < head.size) return std::nullopt;
    head.length = more == 0 ? length : 0;
    for (std::size_t i = 0; i < more; ++i) head.length = head.length << 8u | byte_at(bytes, 2 + i);
    if ((more == 2 && head.length < 126) || (more == 8 && head.length < 0x10000))
        throw WebSocketError(protocol_error, "a length with more bytes than it needs");
    for (std::size_t i = 0; i < head.mask.size(); ++i)
        head.mask[i] = static_cast<unsigned char>(byte_at(bytes, 2 + more + i));
    return head;
}

void WebSocketParser::check(const Head& head) const {
    if (head.opcode >= first_control) {
        if (head.opcode > static_cast<unsigned>(WebSocketMessage::Kind::pong))
            throw WebSocketError(protocol_error, "a frame of an unknown kind");
        if (!head.is_final || head.length > control_bytes_max)
            throw WebSocketError(protocol_error, "a control frame in pieces, or a long one");
        return;
    }
    if (head.opcode > static_cast<unsigned>(WebSocketMessage::Kind::binary))
        throw WebSocketError(protocol_error, "a frame of an unknown kind");
    if ((head.opcode == continuation) != begun_.has_value())
        throw WebSocketError(protocol_error, "a message begins inside of another one");
    const std::size_t present = begun_ ? begun_->payload.size() : 0;
    if (head.length > size_max_ - present)
        throw WebSocketError(too_large, "a message is too large");
}

std::string WebSocketParser::take_payload(const Head& head) {
    std::string payload = waiting_.substr(at_ + head.size, head.length);
    for (std::size_t i = 0; i < payload.size(); ++i) {
        payload[i] = static_cast<char>(byte_at(payload, i) ^ head.mask[i % head.mask.size()]);
    }
    at_ += head.size + head.length;
    // Not at each frame: a byte is moved at most once.
    if (at_ > waiting_.size() / 2) {
        waiting_.erase(0, at_);
        at_ = 0;
    }
    return payload;
}

std::optional<WebSocketMessage> WebSocketParser::next() {
    for (;;) {
        const std::optional<Head> head = read_head();
        if (!head) return std::nullopt;
        check(*head);
        if (waiting_.size() - at_ - head->size < head->length) return std::nullopt;
        std::string payload = take_payload(*head);
        if (head->opcode >= first_control) {
            return WebSocketMessage{static_cast<WebSocketMessage::Kind>(head->opcode),
                                    std::move(payload)};
        }
        if (head->opcode != continuation) {
            begun_ = WebSocketMessage{static_cast<WebSocketMessage::Kind>(head->opcode), {}};
        }
        begun_->payload += payload;
        if (head->is_final) return std::exchange(begun_, std::nullopt);
    }
}

std::string web_socket_frame(const WebSocketMessage& message) {
    const std::uint64_t size = message.payload.size();
    const unsigned more = size < 126 ? 0 : size < 0x10000 ? 2 : 8;
    std::string frame;
    frame += static_cast<char>(0x80u | static_cast<unsigned>(message.kind));
    frame += static_cast<char>(more == 0 ? size : more == 2 ? 126u : 127u);
    for (unsigned shift = 8 * more; shift > 0; shift -= 8)
        frame += static_cast<char>(size >> (shift - 8) & 0xffu);
    return frame + message.payload;
}

std::string web_socket_accept(std::string_view key) {
    return base64(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

std::string close_payload(std::uint16_t code, std::string_view why) {
    std::string made = {static_cast<char>(code >> 8u), static_cast<char>(code & 0xffu)};
    return made.append(why.substr(0, control_bytes_max - 2));
}

}  // namespace gyre::script
