// SPDX-License-Identifier: Apache-2.0
// The limits of MessageParser, and what it refuses that its state machine lets pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lang/script/http/internal/message_parser.hpp"

namespace gyre::script {
namespace {

std::string shown(std::string list) {
    std::ranges::replace(list, '\0', '|');
    return list;
}

TEST(MessageParser, gives_a_request_and_its_body_as_a_list) {
    MessageParser parser(false, 1000, false);
    const std::string list =
        parser.feed("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok", 0);
    EXPECT_EQ(shown(list), "HE1.1|POST|/a|0||2|24|Host|x|Content-Length|2|B|48|2|E|0|");
}

TEST(MessageParser, a_head_that_is_too_long_is_an_error_that_names_the_limit) {
    MessageParser parser(false, 100, false);
    const std::string list = parser.feed("GET / HTTP/1.1\r\nA: " + std::string(100, 'x'), 0);
    EXPECT_TRUE(shown(list).starts_with("X|HPE_HEADER_OVERFLOW|Header overflow|")) << list;
    EXPECT_EQ(parser.feed("\r\n\r\n", 0), "");
}

TEST(MessageParser, extensions_of_chunks_have_a_limit) {
    MessageParser parser(false, 1000, false);
    static_cast<void>(parser.feed("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;", 0));
    const std::string list =
        parser.feed(std::string(MessageParser::chunk_extension_bytes_max + 1, 'x') + "\r\n", 0);
    EXPECT_TRUE(shown(list).starts_with("X|HPE_CHUNK_EXTENSIONS_OVERFLOW|")) << list;
}

TEST(MessageParser, fields_beyond_the_limit_are_left_out) {
    MessageParser parser(false, 1'000'000, false);
    std::string head = "GET / HTTP/1.1\r\n";
    for (std::size_t i = 0; i < MessageParser::field_count_max + 5; ++i) head += "A: b\r\n";
    const std::string list = shown(parser.feed(head + "\r\n", 0));
    const auto count = std::to_string(MessageParser::field_count_max);
    const auto letters = std::to_string(4 * MessageParser::field_count_max);
    EXPECT_TRUE(list.starts_with("HA1.1|GET|/|0||" + count + "|" + letters + "|A|b|"))
        << list.substr(0, 60);
}

TEST(MessageParser, no_line_of_a_head_ends_without_cr) {
    for (const char* const first :
         {"GET / HTTP/1.1\nA: b\r\n\r\n", "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n"}) {
        MessageParser parser(false, 1000, false);
        EXPECT_TRUE(parser.feed(first, 0).starts_with('X')) << first;
    }
    MessageParser in_pieces(false, 1000, false);
    static_cast<void>(in_pieces.feed("GET / HTTP/1.1\r\nA: b", 0));
    EXPECT_EQ(shown(in_pieces.feed("\nC: d\r\n\r\n", 0)),
              "X|HPE_CR_EXPECTED|Missing expected CR after header value|0|");
}

TEST(MessageParser, an_end_in_the_middle_of_a_body_is_an_error_unless_the_end_is_its_length) {
    MessageParser with_length(true, 1000, false);
    static_cast<void>(with_length.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", 0));
    EXPECT_EQ(shown(with_length.finish()), "X|HPE_INVALID_EOF_STATE|Invalid EOF state|0|");
    MessageParser to_the_end(true, 1000, false);
    static_cast<void>(to_the_end.feed("HTTP/1.1 200 OK\r\n\r\nab", 0));
    EXPECT_EQ(shown(to_the_end.finish()), "E|0|");
}

}  // namespace
}  // namespace gyre::script
