// SPDX-License-Identifier: Apache-2.0
// Addresses, targets and percent codes.
#include "gyre/http/url.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gyre::http {
namespace {

TEST(Url, is_taken_apart) {
    const Url url = parse_url("HTTP://Example.COM:8080/a/b?c=d#e").value();
    EXPECT_EQ(url.scheme, "http");
    EXPECT_EQ(url.host, "example.com");
    EXPECT_EQ(url.port, 8080);
    EXPECT_EQ(url.target, "/a/b?c=d");
    EXPECT_EQ(url.authority(), "example.com:8080");
    EXPECT_EQ(url.text(), "http://example.com:8080/a/b?c=d");
    EXPECT_FALSE(url.is_secure());
}

TEST(Url, has_the_port_of_its_scheme) {
    EXPECT_EQ(parse_url("http://a").value().port, 80);
    EXPECT_EQ(parse_url("https://a").value().port, 443);
    EXPECT_EQ(parse_url("https://a:443/").value().authority(), "a");
    EXPECT_EQ(parse_url("http://a:/").value().port, 80);
}

TEST(Url, has_a_path_that_begins_with_a_slash) {
    EXPECT_EQ(parse_url("http://a").value().target, "/");
    EXPECT_EQ(parse_url("http://a?b").value().target, "/?b");
    EXPECT_EQ(parse_url("http://a#b").value().target, "/");
}

TEST(Url, of_ipv6_has_brackets_only_outside) {
    const Url url = parse_url("http://[::1]:81/x").value();
    EXPECT_EQ(url.host, "::1");
    EXPECT_EQ(url.authority(), "[::1]:81");
}

TEST(Url, that_is_malformed_is_refused) {
    for (const char* text : {"", "a", "/a", "ftp://a", "http:/a", "http://", "http:///a",
                             "http://u@a/", "http://u:p@a/", "http://a:0/", "http://a:65536/",
                             "http://a:b/", "http://a b/", "http://a/b c", "http://a\r\nX: y",
                             "http://a\\b", "http://[::1", "http://\xc3\xa9/", "http://a,b/"}) {
        EXPECT_FALSE(parse_url(text).has_value()) << text;
    }
    EXPECT_FALSE(parse_url("http://a/" + std::string(url_bytes_max, 'x')).has_value());
}

TEST(Url, resolves_references_as_the_rfc_shows) {
    // RFC 3986 5.4, with http for its scheme.
    const Url base = parse_url("http://a/b/c/d;p?q").value();
    const std::pair<const char*, const char*> rows[] = {{"g", "http://a/b/c/g"},
                                                        {"./g", "http://a/b/c/g"},
                                                        {"g/", "http://a/b/c/g/"},
                                                        {"/g", "http://a/g"},
                                                        {"//g", "http://g/"},
                                                        {"?y", "http://a/b/c/d;p?y"},
                                                        {"g?y", "http://a/b/c/g?y"},
                                                        {"#s", "http://a/b/c/d;p?q"},
                                                        {"g#s", "http://a/b/c/g"},
                                                        {"", "http://a/b/c/d;p?q"},
                                                        {".", "http://a/b/c/"},
                                                        {"./", "http://a/b/c/"},
                                                        {"..", "http://a/b/"},
                                                        {"../", "http://a/b/"},
                                                        {"../g", "http://a/b/g"},
                                                        {"../..", "http://a/"},
                                                        {"../../g", "http://a/g"},
                                                        {"../../../g", "http://a/g"},
                                                        {"/./g", "http://a/g"},
                                                        {"/../g", "http://a/g"},
                                                        {"g.", "http://a/b/c/g."},
                                                        {"..g", "http://a/b/c/..g"},
                                                        {"./../g", "http://a/b/g"},
                                                        {"./g/.", "http://a/b/c/g/"},
                                                        {"g/../h", "http://a/b/c/h"},
                                                        {"https://x/y", "https://x/y"},
                                                        {"g?y/../x", "http://a/b/c/g?y/../x"}};
    for (const auto& [reference, wanted] : rows) {
        const auto url = resolve_url(base, reference);
        ASSERT_TRUE(url.has_value()) << reference;
        EXPECT_EQ(url->text(), wanted) << reference;
    }
    EXPECT_FALSE(resolve_url(base, "ftp://x/").has_value());
    EXPECT_FALSE(resolve_url(base, "javascript:x").has_value());
    EXPECT_FALSE(resolve_url(base, "/a b").has_value());
}

TEST(Target, has_a_path_and_a_query) {
    EXPECT_EQ(split_target("/a?b?c").path, "/a");
    EXPECT_EQ(split_target("/a?b?c").query, "b?c");
    EXPECT_EQ(split_target("http://h/a?b").path, "/a");
    EXPECT_EQ(split_target("http://h").path, "/");
    EXPECT_EQ(split_target("http://h?q").query, "q");
    EXPECT_EQ(split_target("*").path, "*");
    EXPECT_EQ(split_target("/a?u=http://x/").path, "/a");
    EXPECT_EQ(split_target("/a?b#c").query, "b");
    EXPECT_EQ(split_target("/a#b?c").path, "/a");
    EXPECT_EQ(split_target("/a#b?c").query, "");
}

TEST(Percent, codes_are_two_digits) {
    EXPECT_EQ(percent_decoded("a%20b%2Fc%00"), std::string("a b/c\0", 6));
    EXPECT_EQ(percent_decoded("%"), std::nullopt);
    EXPECT_EQ(percent_decoded("%2"), std::nullopt);
    EXPECT_EQ(percent_decoded("%2g"), std::nullopt);
    EXPECT_EQ(percent_encoded("a b/c~", "/"), "a%20b/c~");
}

RC_GTEST_PROP(PercentLaws, decoding_takes_back_encoding, (const std::string& text)) {
    RC_ASSERT(percent_decoded(percent_encoded(text)) == text);
}

TEST(Query, values_are_found_by_name) {
    EXPECT_EQ(query_value("a=1&b=x+y%21&c", "b"), "x y!");
    EXPECT_EQ(query_value("a=1&b=2&b=3", "b"), "2");
    EXPECT_EQ(query_value("a=1&c", "c"), "");
    EXPECT_EQ(query_value("a=1", "b"), std::nullopt);
    EXPECT_EQ(query_value("b=%", "b"), std::nullopt);
    EXPECT_EQ(query_value("", ""), std::nullopt);
}

}  // namespace
}  // namespace gyre::http
