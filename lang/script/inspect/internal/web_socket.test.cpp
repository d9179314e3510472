// SPDX-License-Identifier: Apache-2.0
#include "lang/script/inspect/internal/web_socket.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace gyre::script {
namespace {

using Kind = WebSocketMessage::Kind;

// A frame of a client. `length`: the size that its head tells, in `more` bytes.
std::string client_frame(unsigned first, std::string_view payload, unsigned more = 0) {
    static constexpr std::string_view mask = "\x01\x02\x03\x04";
    std::string frame = {static_cast<char>(first)};
    const unsigned code = more == 0   ? static_cast<unsigned>(payload.size())
                          : more == 2 ? 126u
                                      : 127u;
    frame += static_cast<char>(0x80u | code);
    for (unsigned shift = 8 * more; shift > 0; shift -= 8)
        frame += static_cast<char>(std::uint64_t{payload.size()} >> (shift - 8) & 0xffu);
    frame += mask;
    for (std::size_t i = 0; i < payload.size(); ++i)
        frame += static_cast<char>(payload[i] ^ mask[i % mask.size()]);
    return frame;
}

std::uint16_t error_of(std::string_view bytes, std::size_t size_max = 100) {
    WebSocketParser parser(size_max);
    parser.feed(bytes_of(bytes));
    try {
        while (parser.next()) continue;
    } catch (const WebSocketError& error) {
        return error.code();
    }
    return 0;
}

TEST(WebSocket, accepts_the_key_of_the_rfc) {
    EXPECT_EQ(web_socket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocket, gives_the_same_messages_of_bytes_in_pieces) {
    const std::string large(300, 'x');
    const std::string all = client_frame(0x81, "hello") + client_frame(0x01, "in ") +
                            client_frame(0x89, "ping") + client_frame(0x00, "pie") +
                            client_frame(0x80, "ces") + client_frame(0x82, large, 2) +
                            client_frame(0x88, "\x03\xe8");
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, all.size()}) {
        WebSocketParser parser;
        std::vector<WebSocketMessage> messages;
        for (std::size_t at = 0; at < all.size(); at += piece) {
            parser.feed(bytes_of(std::string_view(all).substr(at, piece)));
            while (auto message = parser.next()) messages.push_back(std::move(*message));
        }
        ASSERT_EQ(messages.size(), 5u);
        EXPECT_EQ(messages[0].payload, "hello");
        EXPECT_EQ(messages[1].kind, Kind::ping);
        EXPECT_EQ(messages[2].payload, "in pieces");
        EXPECT_EQ(messages[3].payload, large);
        EXPECT_EQ(messages[4].kind, Kind::close);
    }
}

TEST(WebSocket, refuses_what_the_rfc_forbids) {
    EXPECT_EQ(error_of("\x81\x02hi"), 1002);             // no mask
    EXPECT_EQ(error_of(client_frame(0xc1, "a")), 1002);  // an extension
    EXPECT_EQ(error_of(client_frame(0x83, "a")), 1002);  // kinds that are not there
    EXPECT_EQ(error_of(client_frame(0x8b, "a")), 1002);
    EXPECT_EQ(error_of(client_frame(0x09, "a")), 1002);                       // a ping in pieces
    EXPECT_EQ(error_of(client_frame(0x89, std::string(126, 'a'), 2)), 1002);  // a long one
    EXPECT_EQ(error_of(client_frame(0x80, "a")), 1002);  // goes on with nothing
    EXPECT_EQ(error_of(client_frame(0x01, "a") + client_frame(0x81, "b")), 1002);
    EXPECT_EQ(error_of(client_frame(0x81, "a", 2)), 1002);  // a length too long
    EXPECT_EQ(error_of(client_frame(0x81, "a", 8)), 1002);
    EXPECT_EQ(error_of(client_frame(0x81, "a")), 0);
}

TEST(WebSocket, bounds_a_message_by_all_its_frames) {
    EXPECT_EQ(error_of(client_frame(0x81, std::string(100, 'a'))), 0);
    EXPECT_EQ(error_of(client_frame(0x81, std::string(101, 'a'))), 1009);
    EXPECT_EQ(error_of(client_frame(0x01, std::string(60, 'a')) +
                       client_frame(0x80, std::string(41, 'a'))),
              1009);
    // Before its bytes have come.
    EXPECT_EQ(error_of(std::string_view("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14)),
              1009);
}

TEST(WebSocket, writes_frames_of_each_length) {
    EXPECT_EQ(web_socket_frame({Kind::text, "hi"}), "\x81\x02hi");
    EXPECT_EQ(web_socket_frame({Kind::pong, std::string(126, 'a')}).substr(0, 4),
              std::string_view("\x8a\x7e\0\x7e", 4));
    EXPECT_EQ(web_socket_frame({Kind::text, std::string(65536, 'a')}).substr(0, 10),
              std::string_view("\x81\x7f\0\0\0\0\0\1\0\0", 10));
    EXPECT_EQ(close_payload(1002, "no"),
              "\x03\xea"
              "no");
}

}  // namespace
}  // namespace gyre::script
