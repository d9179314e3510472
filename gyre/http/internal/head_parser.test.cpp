// SPDX-License-Identifier: Apache-2.0
// Characters, start lines and framing, each by itself. tests/http/ has whole messages.
#include "gyre/http/internal/head_parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "gyre/http/internal/characters.hpp"
#include "gyre/http/internal/head_guard.hpp"

namespace gyre::http {
namespace {

TEST(Characters, the_first_control_character_is_found_wherever_it_stands) {
    for (int i = 0; i < 256; ++i) {
        const char c = static_cast<char>(i);
        // Two steps of sixteen bytes, one of eight, and three bytes.
        for (std::size_t at = 0; at < 43; ++at) {
            for (const char behind : {'x', '\0', '\x80', '\x7f', ' '}) {
                std::string text(43, behind);
                std::fill_n(text.begin(), at, at % 2 == 0 ? ' ' : '\xff');
                text[at] = c;
                std::size_t expected = is_control(c) ? at : at + 1;
                while (expected < text.size() && !is_control(text[expected])) ++expected;
                ASSERT_EQ(find_control(text, 0), expected) << i << " at " << at;
                ASSERT_EQ(find_control(text, at), expected) << i << " from " << at;
            }
        }
    }
}

TEST(Framing, that_is_in_doubt_is_refused_by_our_own_check) {
    const auto check = [](std::initializer_list<Field> list, Version version = Version::http_1_1) {
        Fields fields;
        for (const Field& field : list) fields.add(field);
        return FramingFacts(fields).check(version);
    };
    const Field chunked{"Transfer-Encoding", "chunked"};
    EXPECT_EQ(check({}), Refusal::none);
    EXPECT_EQ(check({chunked}), Refusal::none);
    EXPECT_EQ(check({{"Content-Length", "1"}}), Refusal::none);
    EXPECT_EQ(check({chunked, {"Content-Length", "1"}}), Refusal::length_and_coding);
    EXPECT_EQ(check({chunked}, Version::http_1_0), Refusal::coding_in_old_version);
    EXPECT_EQ(check({chunked, chunked}), Refusal::unknown_coding);
    EXPECT_EQ(check({{"Transfer-Encoding", "gzip, chunked"}}), Refusal::unknown_coding);
    EXPECT_EQ(check({{"Content-Length", "1"}, {"Content-Length", "1"}}),
              Refusal::repeated_content_length);
    for (const char* length : {"", "1 ", "1a", "1,1", "+1", "99999999999999999999"}) {
        EXPECT_EQ(check({{"Content-Length", length}}), Refusal::malformed_content_length) << length;
    }
    EXPECT_EQ(check({{"", "x"}}), Refusal::malformed_field);
}

TEST(RequestLine, has_two_spaces_at_their_places) {
    EXPECT_EQ(check_request_line("GET / HTTP/1.1"), Refusal::none);
    for (const char* line : {" GET HTTP/1.1", "GET  HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1",
                             "GET / HTTP/1.1 "}) {
        EXPECT_EQ(check_request_line(line), Refusal::spaces_in_request_line) << line;
    }
}

// Lines whose begin and end look valid but whose middle is not.
TEST(RequestLine, is_looked_at_whole) {
    for (const char* line : {"GET /a HTTP/1.0", "COPY /a HTTP/1.1", "CONNECT a:1 HTTP/1.1",
                             "OPTIONS * HTTP/1.1", "GET http://a/ HTTP/1.1"}) {
        EXPECT_EQ(check_request_line(line), Refusal::none) << line;
    }
    for (const char* line : {"HTTP/1.1", "GETHTTP/1.1", "GET/HTTP/1.1", "GET HTTP/1.1",
                             "GET /aHTTP/1.1", "G(T / HTTP/1.1"}) {
        EXPECT_EQ(check_request_line(line), Refusal::malformed_request_line) << line;
    }
    EXPECT_EQ(check_request_line("CONNECT / HTTP/1.1"), Refusal::malformed_target);
    EXPECT_EQ(check_request_line("GET a HTTP/1.1"), Refusal::malformed_target);
    EXPECT_EQ(check_request_line("GET / HTTP/1.2"), Refusal::unknown_version);
    EXPECT_EQ(check_request_line("GET / http/1.1"), Refusal::malformed_version);
    EXPECT_EQ(check_request_line(" / HTTP/1.1"), Refusal::spaces_in_request_line);
}

TEST(RequestLine, takes_an_absolute_target_of_http_with_a_host_and_a_port_in_range) {
    for (const char* target :
         {"http://a", "HTTP://a:65535/b?c", "https://[::1]:1/", "http://a?b"}) {
        EXPECT_EQ(check_request_line(std::string("GET ") + target + " HTTP/1.1"), Refusal::none)
            << target;
    }
    for (const char* target : {"ftp://a/", "a://b/", "http:///a", "http://?a", "http://:80/",
                               "http://a:65536/", "http://me@a/", "http://a:x/", "http://a b/"}) {
        EXPECT_NE(check_request_line(std::string("GET ") + target + " HTTP/1.1"), Refusal::none)
            << target;
    }
}

}  // namespace
}  // namespace gyre::http
