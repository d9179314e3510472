// SPDX-License-Identifier: Apache-2.0
// Written heads and chunks parse back to the same; header injection is refused.
#include "gyre/http/internal/head_writer.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "gyre/base/failure.hpp"
#include "gyre/http/message_story.test.hpp"

namespace gyre::http {
namespace {

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
    EXPECT_THROW(HeadWriter(out).status(99), Failure);
    EXPECT_THROW(HeadWriter(out).status(1000), Failure);
}

TEST(HeadWriter, refuses_what_would_split_a_message) {
    std::string out;
    HeadWriter writer(out);
    EXPECT_THROW(writer.field("X", "1\r\nSet-Cookie: a"), Failure);
    EXPECT_THROW(writer.field("X", "1\n2"), Failure);
    EXPECT_THROW(writer.field("X", std::string_view("\0", 1)), Failure);
    EXPECT_THROW(writer.field("X: 1\r\nY", "2"), Failure);
    EXPECT_THROW(writer.field("", "2"), Failure);
    EXPECT_THROW(writer.request("GET", "/a HTTP/1.1\r\nX: y"), Failure);
    EXPECT_THROW(writer.request("GET /", "/"), Failure);
    EXPECT_THROW(writer.request("GET", ""), Failure);
    EXPECT_EQ(out, "");
}

// llhttp refuses most of these too, but we must not depend on it.

}  // namespace
}  // namespace gyre::http
