// SPDX-License-Identifier: Apache-2.0
// Ranges, conditional requests, dates, media types, content codings and safe paths.
#include "gyre/http/internal/content.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "gyre/http/internal/conditional.hpp"
#include "gyre/http/internal/range.hpp"

namespace gyre::http {
namespace {

using Kind = RangeAnswer::Kind;

TEST(Ranges, are_parts_of_what_there_is) {
    const auto one = [](std::string_view field, std::uint64_t size) {
        const RangeAnswer answer = answer_range(field, size);
        EXPECT_EQ(answer.kind, Kind::part) << field;
        EXPECT_EQ(answer.ranges.size(), 1U) << field;
        return answer.ranges.empty() ? ByteRange{} : answer.ranges.front();
    };
    EXPECT_EQ(one("bytes=0-0", 10), (ByteRange{0, 1}));
    EXPECT_EQ(one("bytes=2-5", 10), (ByteRange{2, 4}));
    EXPECT_EQ(one("bytes=2-", 10), (ByteRange{2, 8}));
    EXPECT_EQ(one("bytes=2-99", 10), (ByteRange{2, 8}));
    EXPECT_EQ(one("bytes=-3", 10), (ByteRange{7, 3}));
    EXPECT_EQ(one("bytes=-99", 10), (ByteRange{0, 10}));
    EXPECT_EQ(one("Bytes = 9-", 10), (ByteRange{9, 1}));
    EXPECT_EQ(one("bytes=9-18446744073709551615", 10), (ByteRange{9, 1}));
    EXPECT_EQ(one("bytes=0-1, 20-30", 10), (ByteRange{0, 2}));
    EXPECT_EQ(answer_range("bytes=0-1,4-5,-1", 10).ranges.size(), 3U);
}

TEST(Ranges, outside_of_it_cannot_be_satisfied) {
    for (const char* field : {"bytes=10-", "bytes=10-20", "bytes=-0", "bytes=10-,11-"}) {
        EXPECT_EQ(answer_range(field, 10).kind, Kind::not_satisfiable) << field;
    }
    EXPECT_EQ(answer_range("bytes=0-", 0).kind, Kind::not_satisfiable);
    EXPECT_EQ(answer_range("bytes=-1", 0).kind, Kind::not_satisfiable);
}

TEST(Ranges, that_are_malformed_or_too_many_are_ignored) {
    for (const char* field :
         {"", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "lines=0-1", "bytes=0-1,x",
          "bytes=+1-2", "bytes=1--2", "bytes=99999999999999999999-"}) {
        EXPECT_EQ(answer_range(field, 10).kind, Kind::whole) << field;
    }
    std::string many = "bytes=0-0";
    for (std::size_t i = 0; i < range_count_max; ++i) many += ",0-0";
    EXPECT_EQ(answer_range(many, 10).kind, Kind::whole);
    std::string apart = "bytes=0-0";
    for (std::size_t i = 1; i < range_count_max; ++i) {
        apart += "," + std::to_string(2 * i) + "-" + std::to_string(2 * i);
    }
    EXPECT_EQ(answer_range(apart, 100).ranges.size(), range_count_max);
    EXPECT_EQ(answer_range(apart + ",90-90", 100).kind, Kind::whole);
}

TEST(Ranges, that_overlap_are_one_and_too_many_of_them_the_whole) {
    using List = std::vector<ByteRange>;
    EXPECT_EQ(answer_range("bytes=0-3,8-9,2-5", 10).ranges, (List{{0, 6}, {8, 2}}));
    EXPECT_EQ(answer_range("bytes=6-7,0-1,1-6", 10).ranges, (List{{0, 8}})) << "it joins two";
    EXPECT_EQ(answer_range("bytes=0-3,4-5", 10).ranges, (List{{0, 4}, {4, 2}})) << "side by side";
    EXPECT_EQ(answer_range("bytes=0-5,1-2,3-4", 10).ranges, (List{{0, 6}}));
    EXPECT_EQ(answer_range("bytes=0-5,1-2,3-4,0-0", 10).kind, Kind::whole);
}

TEST(Ranges, of_one_answer_stand_in_a_body_with_heads_of_their_own) {
    const PartsBody body = parts_body({{0, 2}, {5, 3}}, 10, "text/plain", "b");
    std::string text;
    for (const PartsBody::Part& part : body.parts) {
        text +=
            part.before + std::string("0123456789").substr(part.range.first, part.range.size_bytes);
    }
    text += body.end;
    EXPECT_EQ(text,
              "--b\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
              "\r\n--b\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-7/10\r\n\r\n567"
              "\r\n--b--\r\n");
    EXPECT_EQ(body.size_bytes, text.size());
}

TEST(Ranges, are_said_in_the_answer) {
    EXPECT_EQ(content_range({2, 4}, 10), "bytes 2-5/10");
    EXPECT_EQ(content_range_unsatisfied(10), "bytes */10");
    const auto range = parse_content_range("bytes 2-5/10");
    ASSERT_TRUE(range.has_value());
    EXPECT_EQ(range->first, 2U);
    EXPECT_EQ(range->last, 5U);
    EXPECT_EQ(range->whole_bytes, 10U);
    EXPECT_EQ(parse_content_range("bytes 2-5/*")->whole_bytes, std::nullopt);
    for (const char* field : {"bytes 5-2/10", "bytes 2-5/5", "bytes */10", "bytes 2-5", "2-5/10"}) {
        EXPECT_FALSE(parse_content_range(field).has_value()) << field;
    }
}

RC_GTEST_PROP(RangeLaws, every_range_lies_inside, (std::uint64_t size)) {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123-,9")));
    const RangeAnswer answer = answer_range("bytes=" + text, size);
    RC_ASSERT((answer.kind == Kind::part) == !answer.ranges.empty());
    for (const ByteRange& range : answer.ranges) {
        RC_ASSERT(range.size_bytes > 0U);
        RC_ASSERT(range.first < size);
        RC_ASSERT(range.size_bytes <= size - range.first);
    }
}

Fields fields_of(std::initializer_list<Field> list) {
    Fields fields;
    for (const Field& field : list) fields.add(field);
    return fields;
}

constexpr Validators current{.etag = "\"v2\"", .modified = 784111777};

TEST(Conditions, of_tags_hold_or_not) {
    const auto check = [](Method method, Field field) {
        return check_conditions(method, fields_of({field}), current);
    };
    EXPECT_EQ(check(Method::get, {"If-None-Match", "\"v2\""}), Condition::not_modified);
    EXPECT_EQ(check(Method::head, {"If-None-Match", "W/\"v2\""}), Condition::not_modified);
    EXPECT_EQ(check(Method::get, {"If-None-Match", "\"v1\", \"v2\""}), Condition::not_modified);
    EXPECT_EQ(check(Method::get, {"If-None-Match", "*"}), Condition::not_modified);
    EXPECT_EQ(check(Method::put, {"If-None-Match", "*"}), Condition::failed);
    EXPECT_EQ(check(Method::get, {"If-None-Match", "\"v1\""}), Condition::holds);
    EXPECT_EQ(check(Method::get, {"If-Match", "\"v2\""}), Condition::holds);
    EXPECT_EQ(check(Method::get, {"If-Match", "W/\"v2\""}), Condition::failed);
    EXPECT_EQ(check(Method::put, {"If-Match", "\"v1\""}), Condition::failed);
}

TEST(Conditions, of_dates_hold_or_not) {
    const auto check = [](const char* name, UnixSeconds time) {
        const std::string date = date_text(time);
        return check_conditions(Method::get, fields_of({{name, date}}), current);
    };
    EXPECT_EQ(check("If-Modified-Since", 784111777), Condition::not_modified);
    EXPECT_EQ(check("If-Modified-Since", 784111776), Condition::holds);
    EXPECT_EQ(check("If-Unmodified-Since", 784111777), Condition::holds);
    EXPECT_EQ(check("If-Unmodified-Since", 784111776), Condition::failed);
    EXPECT_EQ(
        check_conditions(Method::get, fields_of({{"If-Modified-Since", "yesterday"}}), current),
        Condition::holds);
}

TEST(Conditions, of_tags_win_over_those_of_dates) {
    const std::string date = date_text(784111777);
    const Fields fields = fields_of({{"If-None-Match", "\"v1\""}, {"If-Modified-Since", date}});
    EXPECT_EQ(check_conditions(Method::get, fields, current), Condition::holds);
}

TEST(Conditions, decide_whether_a_range_is_followed) {
    const std::string same = date_text(784111777);
    const std::string later = date_text(784111778);
    EXPECT_TRUE(is_range_current(fields_of({}), current));
    EXPECT_TRUE(is_range_current(fields_of({{"If-Range", "\"v2\""}}), current));
    EXPECT_FALSE(is_range_current(fields_of({{"If-Range", "W/\"v2\""}}), current));
    EXPECT_FALSE(is_range_current(fields_of({{"If-Range", "\"v1\""}}), current));
    EXPECT_TRUE(is_range_current(fields_of({{"If-Range", same}}), current));
    EXPECT_FALSE(is_range_current(fields_of({{"If-Range", later}}), current));
}

TEST(Dates, have_one_form_to_write_and_three_to_read) {
    EXPECT_EQ(date_text(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(date_text(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    EXPECT_EQ(date_text(1709164800), "Thu, 29 Feb 2024 00:00:00 GMT");
    EXPECT_EQ(date_text(-5), date_text(0));
    for (const char* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994"}) {
        EXPECT_EQ(parse_date(text), 784111777) << text;
    }
    for (const char* text : {"", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT",
                             "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
                             "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 GMT "}) {
        EXPECT_EQ(parse_date(text), std::nullopt) << text;
    }
}

RC_GTEST_PROP(DateLaws, reading_takes_back_writing, ()) {
    const auto time = *rc::gen::inRange<UnixSeconds>(0, 253402300800);
    RC_ASSERT(parse_date(date_text(time)) == time);
}

TEST(MediaTypes, come_from_the_ending) {
    EXPECT_EQ(media_type_of("a/b.HTML"), "text/html; charset=utf-8");
    EXPECT_EQ(media_type_of("x.tar.gz"), "application/gzip");
    EXPECT_EQ(media_type_of("Makefile"), "application/octet-stream");
    EXPECT_TRUE(is_compressible(media_type_of("a.svg")));
    EXPECT_FALSE(is_compressible(media_type_of("a.png")));
}

TEST(Codings, are_taken_by_their_weight) {
    const auto accepts = [](const char* value) {
        return accepts_coding(fields_of({{"Accept-Encoding", value}}), "gzip");
    };
    EXPECT_TRUE(accepts("gzip"));
    EXPECT_TRUE(accepts("br;q=1.0, GZIP;q=0.5"));
    EXPECT_TRUE(accepts("*"));
    EXPECT_TRUE(accepts("gzip;q=0.001"));
    EXPECT_FALSE(accepts("gzip;q=0"));
    EXPECT_FALSE(accepts("gzip;q=0.000, *"));
    EXPECT_FALSE(accepts("br, *;q=0"));
    EXPECT_FALSE(accepts("gzip;q=x"));
    EXPECT_FALSE(accepts("xgzip"));
    EXPECT_FALSE(accepts(""));
    EXPECT_FALSE(accepts_coding({}, "gzip"));
}

TEST(Paths, stay_below_their_folder) {
    EXPECT_EQ(safe_path("/").value(), "");
    EXPECT_EQ(safe_path("/a/b%20c.txt").value(), "a/b c.txt");
    EXPECT_EQ(safe_path("/a/").value(), "a/");
    EXPECT_EQ(safe_path("/a..b/c.").value(), "a..b/c.");
    for (const char* path : {"",          "a",      "/..",    "/../a",        "/a/../b",
                             "/%2e%2e/a", "/.%2e/", "/a/.",   "/.git/config", "/a//b",
                             "//a",       "/a%2fb", "/a%2Fb", "/a\\b",        "/a%5cb",
                             "/%00",      "/a%0a",  "/%",     "/%zz",         "/..%2f..%2fetc"}) {
        EXPECT_FALSE(safe_path(path).has_value()) << path;
    }
}

RC_GTEST_PROP(PathLaws, no_path_leads_out, ()) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a./%2eEfF\\0")));
    const auto path = safe_path("/" + text);
    if (!path) return;
    RC_ASSERT(path->find("..") != 0U);
    RC_ASSERT(path->find("/..") == std::string::npos);
    RC_ASSERT(!path->starts_with('/'));
    RC_ASSERT(path->find('\\') == std::string::npos);
}

}  // namespace
}  // namespace gyre::http
