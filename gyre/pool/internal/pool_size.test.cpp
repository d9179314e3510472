// SPDX-License-Identifier: Apache-2.0
// The text form of a pool's size: its meaning, and the errors.
#include "gyre/pool/internal/pool_size.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <string>

#include "gyre/base/log.hpp"

namespace gyre::pool {
namespace {

constexpr PoolSize base{.thread_count = 3, .queued_count_max = 5};

TEST(PoolSize, is_threads_or_threads_and_queue) {
    EXPECT_EQ(parse_pool_size("8", base), (PoolSize{8, 5}));
    EXPECT_EQ(parse_pool_size("8,64", base), (PoolSize{8, 64}));
    EXPECT_EQ(parse_pool_size("1024,1048576", base), (PoolSize{1024, 1048576}));
}

TEST(PoolSize, refuses_everything_else_and_says_why) {
    for (const char* text : {"", " 4", "4 ", "0", "-1", "+4", "x", "1025", ",9", "4x", "0x10",
                             "18446744073709551617", "4;5"}) {
        const auto size = parse_pool_size(text, base);
        ASSERT_FALSE(size.has_value()) << text;
        EXPECT_EQ(size.error(), "the number of threads must be a number from 1 to 1024") << text;
    }
    for (const char* text : {"4,", "4,0", "4,5,6", "4, 5", "4,1048577"}) {
        const auto size = parse_pool_size(text, base);
        ASSERT_FALSE(size.has_value()) << text;
        EXPECT_EQ(size.error(), "the length of the queue must be a number from 1 to 1048576")
            << text;
    }
}

std::string logged;

TEST(PoolSize, a_bad_environment_is_logged_and_ignored) {
    logged.clear();
    set_log_sink([](LogLevel, std::string_view line) { logged += line; });
    setenv("GYRE_POOL_TEST", "four", 1);
    EXPECT_EQ(pool_size_from_environment("GYRE_POOL_TEST", base), base);
    unsetenv("GYRE_POOL_TEST");
    set_log_sink(nullptr);
    EXPECT_EQ(logged,
              "GYRE_POOL_TEST=four is ignored: the number of threads must be a number from 1 to "
              "1024; write threads or threads,queue");
}

}  // namespace
}  // namespace gyre::pool
