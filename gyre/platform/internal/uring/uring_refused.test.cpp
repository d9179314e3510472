// SPDX-License-Identifier: Apache-2.0
// If the system refuses io_uring: which platform is used, and what is logged. The refusal is a
// seccomp filter, which cannot be removed again: so each test runs in a separate process.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gyre/base/log.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/refuse_call.test.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::platform {
namespace {

[[noreturn]] void end(bool is_right) {
    std::fflush(stderr);
    ::_exit(is_right ? 0 : 1);
}

Fd next_descriptor() {
    const Fd fd = ::dup(0);
    ::close(fd);
    return fd;
}

TEST(RefusedUringDeathTest, epoll_serves_and_one_line_says_so) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ::unsetenv("GYRE_PLATFORM");
            if (!refuse_call(__NR_io_uring_setup)) end(false);
            static int lines = 0;
            set_log_sink([](LogLevel, std::string_view line) {
                ++lines;
                std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
            });
            SystemClock clock;
            const auto first = make_platform(clock);
            const auto second = make_platform(clock);
            end(first && second && std::strcmp((*first)->name(), "epoll") == 0 && lines == 1);
        },
        testing::ExitedWithCode(0), "io_uring refused: Operation not permitted");
}

TEST(RefusedUringDeathTest, asked_for_by_name_is_an_error_that_says_what_to_do) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ::setenv("GYRE_PLATFORM", "uring", 1);
            if (!refuse_call(__NR_io_uring_setup)) end(false);
            SystemClock clock;
            const auto made = make_platform(clock);
            if (made) end(false);
            std::fprintf(stderr, "%s\n", made.error().message.c_str());
            end(made.error().error.code() == std::errc::operation_not_permitted);
        },
        testing::ExitedWithCode(0), "io_uring refused: Operation not permitted: use epoll");
}

TEST(RefusedUringDeathTest, a_ring_that_cannot_be_asked_what_it_can_do_is_given_up_whole) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            if (!refuse_call(__NR_io_uring_register)) end(false);
            const Fd before = next_descriptor();
            SystemClock clock;
            const bool is_made = UringPlatform::make(clock).has_value();
            end(!is_made && next_descriptor() == before);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gyre::platform
