// SPDX-License-Identifier: Apache-2.0
// Written heads and chunks parse back to the same; header injection is refused.
#include "gyre/http/internal/head_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include "gyre/http/internal/characters.hpp"
#include "gyre/http/internal/head_guard.hpp"
#include "gyre/http/internal/head_parser.hpp"
#include "gyre/http/message_story.test.hpp"

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

TEST(HeadWriter, writes_what_the_parser_reads) {
    std::string out;
    HeadWriter(out).request("POST", "/a?b").field("Host", "c").length(5).end();
    out += "hello";
    EXPECT_EQ(story_of<RequestHead>(out),
              "POST /a?b 1.1 length keep fields=2 body=\"hello\"\nend\n");
    out.clear();
    HeadWriter(out).status(404).field("X", "").chunked().end();
    append_chunk(out, "no");
    append_chunk(out, std::string(300, 'x'));
    append_last_chunk(out);
    EXPECT_EQ(story_of<ResponseHead>(out), "404 \"Not Found\" 1.1 chunked keep fields=2 body=\"no" +
                                               std::string(300, 'x') + "\" trailers=0\nend\n");
}

TEST(HeadWriter, writes_every_status_of_three_digits) {
    std::string out;
    for (const int status : {200, 204, 299, 599}) HeadWriter(out).status(status).end();
    EXPECT_EQ(out,
              "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 299 \r\n\r\n"
              "HTTP/1.1 599 \r\n\r\n");
    EXPECT_THROW(HeadWriter(out).status(99), std::invalid_argument);
    EXPECT_THROW(HeadWriter(out).status(1000), std::invalid_argument);
}

TEST(HeadWriter, refuses_what_would_split_a_message) {
    std::string out;
    HeadWriter writer(out);
    EXPECT_THROW(writer.field("X", "1\r\nSet-Cookie: a"), std::invalid_argument);
    EXPECT_THROW(writer.field("X", "1\n2"), std::invalid_argument);
    EXPECT_THROW(writer.field("X", std::string_view("\0", 1)), std::invalid_argument);
    EXPECT_THROW(writer.field("X: 1\r\nY", "2"), std::invalid_argument);
    EXPECT_THROW(writer.field("", "2"), std::invalid_argument);
    EXPECT_THROW(writer.request("GET", "/a HTTP/1.1\r\nX: y"), std::invalid_argument);
    EXPECT_THROW(writer.request("GET /", "/"), std::invalid_argument);
    EXPECT_THROW(writer.request("GET", ""), std::invalid_argument);
    EXPECT_EQ(out, "");
}

// llhttp refuses most of these too, but we must not depend on it.
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
    EXPECT_EQ(check_request_line(" / HTTP/1.1"), Refusal::spaces_in_request_line);
}

TEST(Fields, are_found_whatever_their_case) {
    Fields fields;
    fields.add({"Accept", "a, \"b,c\" , D"});
    fields.add({"ACCEPT", "e"});
    EXPECT_EQ(fields.get("accept"), "a, \"b,c\" , D");
    EXPECT_EQ(fields.count("aCCept"), 2U);
    EXPECT_TRUE(fields.lists("accept", "d"));
    EXPECT_TRUE(fields.lists("accept", "e"));
    EXPECT_FALSE(fields.lists("accept", "c\""));
    EXPECT_FALSE(fields.has("accep"));
}

TEST(Methods, know_what_may_be_done_twice) {
    EXPECT_EQ(method_of("DELETE"), Method::delete_);
    EXPECT_EQ(method_of("delete"), Method::other);
    EXPECT_EQ(name_of(Method::patch), "PATCH");
    EXPECT_TRUE(is_safe(Method::head));
    EXPECT_FALSE(is_safe(Method::put));
    EXPECT_TRUE(is_idempotent(Method::put));
    EXPECT_FALSE(is_idempotent(Method::post));
    EXPECT_FALSE(is_idempotent(Method::patch));
    EXPECT_FALSE(is_idempotent(Method::other));
}

TEST(BodyParser, gives_data_as_views_of_the_input) {
    MessageHead head;
    head.framing = Framing::length;
    head.content_length = 5;
    const Limits limits;
    BodyParser body(head, limits);
    const std::string_view input = "helloGET";
    const BodyStep step = body.step(input);
    EXPECT_EQ(step.state, ParseState::complete);
    EXPECT_EQ(step.consumed_bytes, 5U);
    EXPECT_EQ(step.data.data(), input.data());
    EXPECT_TRUE(body.is_complete());
}

TEST(BodyParser, holds_the_limit_of_a_body_that_the_close_ends) {
    MessageHead head;
    head.framing = Framing::until_close;
    Limits limits;
    limits.body_bytes_max = 4;
    BodyParser body(head, limits);
    EXPECT_EQ(body.step("1234").state, ParseState::more);
    EXPECT_EQ(body.step("5").state, ParseState::refused);
    EXPECT_EQ(body.refusal(), Refusal::body_bytes_over_limit);
}

TEST(ChunkDecoder, keeps_trailers_in_order) {
    ChunkDecoder decoder;
    const BodyStep step = decoder.step("0\r\nA: 1\r\nB:  2 \r\n\r\nrest");
    EXPECT_EQ(step.state, ParseState::complete);
    EXPECT_EQ(step.consumed_bytes, 19U);
    ASSERT_EQ(decoder.trailers().size(), 2U);
    EXPECT_EQ(decoder.trailers()[0].name, "A");
    EXPECT_EQ(decoder.trailers().get("b"), "2");
}

}  // namespace
}  // namespace gyre::http
