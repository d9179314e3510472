// SPDX-License-Identifier: Apache-2.0
// Which platform each name selects, and the error for an unknown name.
#include "gyre/platform/choose.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "gyre/platform/system_clock.hpp"

namespace gyre::platform {
namespace {

// Sets GYRE_PLATFORM for one test.
class Environment {
public:
    explicit Environment(const char* value) {
        if (const char* before = std::getenv("GYRE_PLATFORM")) before_ = before;
        ::setenv("GYRE_PLATFORM", value, 1);
    }
    ~Environment() {
        if (before_.empty()) {
            ::unsetenv("GYRE_PLATFORM");
        } else {
            ::setenv("GYRE_PLATFORM", before_.c_str(), 1);
        }
    }

private:
    std::string before_;
};

TEST(ChoosingAPlatform, by_name_gives_that_one) {
    SystemClock clock;
    const auto made = make_platform(clock, "epoll");
    ASSERT_TRUE(made);
    EXPECT_STREQ((*made)->name(), "epoll");
}

TEST(ChoosingAPlatform, by_the_name_uring_gives_it_or_says_who_refused) {
    SystemClock clock;
    const auto made = make_platform(clock, "uring");
    if (made) {
        EXPECT_STREQ((*made)->name(), "uring");
    } else {
        EXPECT_EQ(made.error().message.find("io_uring refused: "), 0u) << made.error().message;
    }
}

TEST(ChoosingAPlatform, without_a_name_gives_what_the_environment_names) {
    SystemClock clock;
    const Environment environment("epoll");
    ASSERT_TRUE(make_platform(clock));
    const Environment unknown("teletype");
    EXPECT_EQ(make_platform(clock).error().error.code(), std::errc::invalid_argument);
    EXPECT_TRUE(make_platform(clock, "epoll"));  // A name given in the program takes precedence.
}

TEST(ChoosingAPlatform, without_a_wish_gives_one) {
    SystemClock clock;
    const Environment environment("");
    EXPECT_TRUE(make_platform(clock));
}

TEST(ChoosingAPlatform, that_is_unknown_says_so) {
    SystemClock clock;
    const auto made = make_platform(clock, "teletype");
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("'teletype'"), std::string::npos);
}

TEST(ChoosingAPlatform, that_is_simulated_is_left_to_the_program) {
    SystemClock clock;
    const auto made = make_platform(clock, "sim");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().error.code(), std::errc::not_supported);
    EXPECT_NE(made.error().message.find("gyre/sim"), std::string::npos);
}

}  // namespace
}  // namespace gyre::platform
