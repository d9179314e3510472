// SPDX-License-Identifier: Apache-2.0
#include "gyre/http/internal/crowd.hpp"

#include <gtest/gtest.h>

namespace gyre::http {
namespace {

TEST(Crowd, has_left_once_when_an_eighth_of_it_is_there) {
    Crowd crowd;
    EXPECT_FALSE(crowd.has_left(800));
    EXPECT_FALSE(crowd.has_left(101));
    EXPECT_TRUE(crowd.has_left(100));
    EXPECT_FALSE(crowd.has_left(0)) << "what is left is no crowd";
    EXPECT_FALSE(crowd.has_left(Crowd::count_min));
    EXPECT_TRUE(crowd.has_left(0)) << "the next one";
}

TEST(Crowd, of_few_connections_is_none) {
    Crowd crowd;
    EXPECT_FALSE(crowd.has_left(Crowd::count_min - 1));
    EXPECT_FALSE(crowd.has_left(0));
}

}  // namespace
}  // namespace gyre::http
