// SPDX-License-Identifier: Apache-2.0
// The messages of malformed/ and well_formed/: each is heard as its file says, whole, split at
// every byte, and one byte at a time.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gyre/http/message_story.test.hpp"
#include "tests/http/message_files.hpp"

namespace gyre::http {
namespace {

std::string last_line_of(const std::string& story) {
    const std::size_t end = story.rfind('\n', story.size() - 2);
    return end == std::string::npos ? story : story.substr(end + 1);
}

template <class Head>
void expect_the_same_however_split(const MessageCase& message) {
    const std::string whole = story_of<Head>(message.bytes);
    if (message.verdict == "fine") {
        EXPECT_EQ(whole, message.story) << message.name;
    } else {
        EXPECT_EQ(last_line_of(whole), "refused: " + message.verdict + "\n") << message.name;
    }
    EXPECT_EQ(story_byte_by_byte<Head>(message.bytes), whole) << message.name;
    // A long one is mostly the same byte: its first and last places do.
    for (std::size_t at = 1; at < message.bytes.size(); ++at) {
        if (at > 700 && at + 700 < message.bytes.size()) at = message.bytes.size() - 700;
        EXPECT_EQ(story_split_at<Head>(message.bytes, at), whole) << message.name << " at " << at;
    }
}

void expect_as_the_file_says(const MessageCase& message) {
    if (message.is_request) {
        expect_the_same_however_split<RequestHead>(message);
    } else {
        expect_the_same_however_split<ResponseHead>(message);
    }
}

bool is_section(const std::string& rule) {
    return !rule.empty() && rule.find_first_not_of("0123456789.") == std::string::npos;
}

TEST(Messages, malformed_ones_are_refused_however_they_are_split) {
    for (const MessageCase& message : cases_of("malformed")) {
        EXPECT_NE(message.verdict, "fine") << message.name;
        EXPECT_TRUE(is_section(message.rule)) << message.name << " names " << message.rule;
        expect_as_the_file_says(message);
    }
}

TEST(Messages, well_formed_ones_are_heard_however_they_are_split) {
    for (const MessageCase& message : cases_of("well_formed")) {
        EXPECT_EQ(message.verdict, "fine") << message.name;
        EXPECT_TRUE(is_section(message.rule)) << message.name << " names " << message.rule;
        expect_as_the_file_says(message);
    }
}

TEST(Messages, every_refusal_is_shown_by_three_or_more) {
    std::map<std::string, std::set<std::string>> shown;
    for (const MessageCase& message : cases_of("malformed")) {
        EXPECT_TRUE(shown[message.verdict].insert(message.bytes).second) << message.name;
    }
    for (int i = 1; i <= static_cast<int>(Refusal::trailer_bytes_over_limit); ++i) {
        const std::string name(name_of(static_cast<Refusal>(i)));
        EXPECT_GE(shown[name].size(), 3U) << name;
    }
}

TEST(Messages, there_are_enough_of_both) {
    EXPECT_GE(cases_of("malformed").size(), 120U);
    EXPECT_GE(cases_of("well_formed").size(), 50U);
}

TEST(Messages, what_is_refused_has_a_status_for_its_sender) {
    EXPECT_EQ(status_of(Refusal::folded_field), 400);
    EXPECT_EQ(status_of(Refusal::start_line_over_limit), 414);
    EXPECT_EQ(status_of(Refusal::head_bytes_over_limit), 431);
    EXPECT_EQ(status_of(Refusal::body_bytes_over_limit), 413);
    EXPECT_EQ(status_of(Refusal::unknown_method), 501);
}

}  // namespace
}  // namespace gyre::http
