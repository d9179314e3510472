// SPDX-License-Identifier: Apache-2.0
// Which route serves which path.
#include "gyre/http/internal/route_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "gyre/base/failure.hpp"

namespace gyre::http {
namespace {

using Kind = RouteMatch::Kind;

TEST(RouteTable, finds_words_names_and_the_rest) {
    RouteTable table;
    EXPECT_EQ(table.add(Method::get, "/"), 0U);
    EXPECT_EQ(table.add(Method::get, "/users/:id"), 1U);
    EXPECT_EQ(table.add(Method::get, "/users/:id/orders/:order"), 2U);
    EXPECT_EQ(table.add(Method::get, "/files/*path"), 3U);
    EXPECT_EQ(table.find(Method::get, "/").route, 0U);
    const RouteMatch user = table.find(Method::get, "/users/7");
    EXPECT_EQ(user.kind, Kind::found);
    EXPECT_EQ(user.route, 1U);
    EXPECT_EQ(user.param("id"), "7");
    EXPECT_EQ(user.param("order"), "");
    const RouteMatch order = table.find(Method::get, "/users/7/orders/a%20b");
    EXPECT_EQ(order.route, 2U);
    EXPECT_EQ(order.param("id"), "7");
    EXPECT_EQ(order.param("order"), "a%20b");
    EXPECT_EQ(table.find(Method::get, "/files/a/b/c.txt").param("path"), "a/b/c.txt");
    EXPECT_EQ(table.find(Method::get, "/files/").param("path"), "");
}

TEST(RouteTable, finds_nothing_where_nothing_fits) {
    RouteTable table;
    table.add(Method::get, "/users/:id");
    table.add(Method::get, "/files/*path");
    for (const char* path : {"/", "", "users/7", "/users", "/users/", "/users/7/", "/users//7",
                             "/Users/7", "/files", "/users/7/x", "*"}) {
        EXPECT_EQ(table.find(Method::get, path).kind, Kind::no_path) << path;
    }
}

TEST(RouteTable, tries_a_word_before_a_name_before_the_rest) {
    RouteTable table;
    const auto rest = table.add(Method::get, "/a/*rest");
    const auto name = table.add(Method::get, "/a/:name/end");
    const auto word = table.add(Method::get, "/a/word");
    EXPECT_EQ(table.find(Method::get, "/a/word").route, word);
    EXPECT_EQ(table.find(Method::get, "/a/word/end").route, name);
    EXPECT_EQ(table.find(Method::get, "/a/other/end").route, name);
    const RouteMatch found = table.find(Method::get, "/a/other/way");
    EXPECT_EQ(found.route, rest);
    EXPECT_EQ(found.param("rest"), "other/way");
    EXPECT_EQ(found.param_count(), 1U) << "what a failed try had found is forgotten";
}

TEST(RouteTable, says_which_methods_a_path_has) {
    RouteTable table;
    const auto get = table.add(Method::get, "/a");
    const auto post = table.add(Method::post, "/a");
    EXPECT_EQ(table.find(Method::post, "/a").route, post);
    const RouteMatch found = table.find(Method::delete_, "/a");
    EXPECT_EQ(found.kind, Kind::no_method);
    EXPECT_EQ(found.allowed, "GET, HEAD, POST");
    EXPECT_EQ(table.find(Method::head, "/a").kind, Kind::found);
    EXPECT_EQ(table.find(Method::head, "/a").route, get);
}

TEST(RouteTable, refuses_patterns_that_are_malformed_or_taken) {
    RouteTable table;
    table.add(Method::get, "/a/:id");
    for (const char* pattern : {"", "a", "/a/:", "/a/*", "/*rest/b", "/a/:id", "/a/:other",
                                "/:1/:2/:3/:4/:5/:6/:7/:8/:9"}) {
        EXPECT_THROW(table.add(Method::get, pattern), Failure) << pattern;
    }
    std::string deep;
    for (int i = 0; i < 33; ++i) deep += "/x";
    EXPECT_THROW(table.add(Method::get, deep), Failure);
    EXPECT_EQ(table.size(), 1U);
}

RC_GTEST_PROP(RouteTableLaws, a_name_takes_any_segment, ()) {
    RouteTable table;
    table.add(Method::get, "/x/:a/y/*b");
    const auto segment = *rc::gen::nonEmpty(
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab%20.-_~:*"))));
    const auto rest =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab/%.-_~:*")));
    const std::string path = "/x/" + segment + "/y/" + rest;
    const RouteMatch found = table.find(Method::get, path);
    RC_ASSERT(found.kind == Kind::found);
    RC_ASSERT(found.param("a") == segment);
    RC_ASSERT(found.param("b") == rest);
}

TEST(RouteTable, of_a_thousand_that_begin_differently_each_is_found_and_no_other) {
    constexpr std::size_t count = 1'000;
    const auto word = [](std::size_t i) { return "/w" + std::to_string(i * 7'919 % count); };
    RouteTable table;
    for (std::size_t i = 0; i < count; ++i) table.add(Method::get, word(i) + "/:id");
    for (std::size_t i = 0; i < count; ++i) {
        const std::string path = word(i) + "/x";  // the match refers to it
        const RouteMatch found = table.find(Method::get, path);
        ASSERT_EQ(found.kind, Kind::found) << word(i);
        ASSERT_EQ(found.route, i);
        ASSERT_EQ(found.param("id"), "x");
        ASSERT_EQ(table.find(Method::get, word(i) + "x/x").kind, Kind::no_path);
    }
}

}  // namespace
}  // namespace gyre::http
