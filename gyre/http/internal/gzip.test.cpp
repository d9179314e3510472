// SPDX-License-Identifier: Apache-2.0
#include "gyre/http/internal/gzip.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace gyre::http {
namespace {

using State = GunzipStream::State;

// Decodes the text in two pieces, cut at `cut`.
std::pair<State, std::string> decode_cut(std::string_view text, std::size_t cut,
                                         std::uint64_t bytes_max = 1U << 20U) {
    GunzipStream gunzip(bytes_max);
    std::string out;
    State state = State::more;
    for (std::string_view piece : {text.substr(0, cut), text.substr(cut)}) {
        do {
            state = gunzip.decode(piece, out);
        } while (state == State::full || (state == State::complete && !piece.empty()));
    }
    return {state, out};
}

class Gunzip : public testing::Test {
    void SetUp() override {
        if (!is_gzip_available()) GTEST_SKIP() << "skipped: no zlib";
    }
};

TEST_F(Gunzip, decodes_all_members_wherever_they_are_cut) {
    const std::string text = gzip_text("one, ") + gzip_text("") + gzip_text("two");
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        EXPECT_EQ(decode_cut(text, cut), std::pair(State::complete, std::string("one, two")))
            << cut;
    }
}

TEST_F(Gunzip, refuses_what_is_no_member_behind_the_last_one) {
    const std::string text = gzip_text("one") + "garbage";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        EXPECT_EQ(decode_cut(text, cut).first, State::malformed) << cut;
    }
}

TEST_F(Gunzip, is_not_complete_within_a_member) {
    const std::string text = gzip_text("one") + gzip_text("two");
    EXPECT_EQ(decode_cut(text.substr(0, text.size() - 1), 3).first, State::more);
}

TEST_F(Gunzip, gives_a_bounded_piece_at_a_time) {
    const std::string text = gzip_text(std::string(10'000'000, 'x'));
    GunzipStream gunzip(20'000'000);
    std::string_view left = text;
    std::size_t size = 0;
    State state = State::full;
    while (state == State::full) {
        std::string out;
        state = gunzip.decode(left, out);
        EXPECT_LE(out.size(), GunzipStream::output_bytes_max);
        size += out.size();
    }
    EXPECT_EQ(state, State::complete);
    EXPECT_EQ(size, 10'000'000U);
}

TEST_F(Gunzip, stays_at_its_limit) {
    const std::string text = gzip_text(std::string(1000, 'x'));
    EXPECT_EQ(decode_cut(text, 0, 1000).first, State::complete);
    EXPECT_EQ(decode_cut(text, 0, 999).first, State::over_limit);
    EXPECT_EQ(decode_cut(text + text, 0, 1999).first, State::over_limit);
}

}  // namespace
}  // namespace gyre::http
