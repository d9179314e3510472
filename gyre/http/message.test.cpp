// SPDX-License-Identifier: Apache-2.0
// Fields and methods by name.
#include "gyre/http/message.hpp"

#include <gtest/gtest.h>

namespace gyre::http {
namespace {

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

}  // namespace
}  // namespace gyre::http
