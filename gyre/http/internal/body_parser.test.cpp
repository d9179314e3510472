// SPDX-License-Identifier: Apache-2.0
// Data of a body as views, its limit, and trailers. tests/http/ has whole messages.
#include "gyre/http/internal/body_parser.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace gyre::http {
namespace {

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
