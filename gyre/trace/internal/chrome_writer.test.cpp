// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/internal/chrome_writer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace gyre::trace {
namespace {

std::string json_of(std::string_view text) {
    std::string json;
    append_json_string(json, text);
    return json;
}

RC_GTEST_PROP(JsonString, of_any_bytes_is_read_by_a_parser, (const std::string& bytes)) {
    RC_ASSERT(nlohmann::json::parse(json_of(bytes)).is_string());
}

TEST(JsonString, of_two_and_three_bytes_of_all_values_is_read_by_a_parser) {
    for (unsigned lead = 0; lead < 256; ++lead) {
        for (unsigned second = 0; second < 256; ++second) {
            for (const char third : {'a', '\x80', '\xbf', '"'}) {
                const std::string bytes{static_cast<char>(lead), static_cast<char>(second), third};
                ASSERT_TRUE(nlohmann::json::accept(json_of(bytes))) << lead << ' ' << second;
                ASSERT_TRUE(nlohmann::json::accept(json_of(bytes + '\x80')));
            }
        }
    }
}

TEST(JsonString, of_text_is_that_text_again) {
    for (const std::string text :
         {"", "plain", "\"quoted\" \\ and /", "line\nend\ttab\r", "\xc3\xa4 \xe2\x82\xac",
          "\xf0\x9f\x8c\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(nlohmann::json::parse(json_of(text)).get<std::string>(), text);
    }
    const std::string with_zero("a\0b", 3);
    EXPECT_EQ(nlohmann::json::parse(json_of(with_zero)).get<std::string>(), with_zero);
}

TEST(JsonString, has_a_mark_for_each_byte_that_is_no_character) {
    EXPECT_EQ(json_of("a\xff\xfez"), "\"a\xef\xbf\xbd\xef\xbf\xbdz\"");
    EXPECT_EQ(json_of("\xc3"), "\"\xef\xbf\xbd\"");
    EXPECT_EQ(json_of("\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");  // longer than needed
    EXPECT_EQ(json_of("\xed\xa0\x80").size(), 2 + 3 * 3u);           // a surrogate
    EXPECT_EQ(json_of("\xf4\x90\x80\x80").size(), 2 + 4 * 3u);       // past the last
    EXPECT_EQ(json_of("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");  // cut
}

TEST(EventText, writes_events_with_fields_and_arguments) {
    TextSink sink;
    ChromeWriter out(sink, 1'000);
    out.raw("[");
    out.begin('X', {1, 2}, "a").during(2'001, 1'002'001).end();
    out.begin('s', {1, 2}, "b").at(1'000).id("id", 255).arguments().number("n", -5).end();
    out.begin('X', {1, 2}, "c").during(3'000, 2'000).end();
    out.raw("\n]");
    out.flush();
    EXPECT_EQ(sink.text, R"([
{"ph":"X","pid":1,"tid":2,"name":"a","ts":1.001,"dur":1000.000},
{"ph":"s","pid":1,"tid":2,"name":"b","ts":0.000,"id":"0xff","args":{"n":-5}},
{"ph":"X","pid":1,"tid":2,"name":"c","ts":2.000,"dur":0.000}
])");
}

}  // namespace
}  // namespace gyre::trace
