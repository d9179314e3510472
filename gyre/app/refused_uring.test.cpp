// SPDX-License-Identifier: Apache-2.0
// Programs on a system that refuses io_uring: in the environment it is a wish, in the options a
// condition. Each test runs in a process of its own, because a seccomp filter stays.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cstdlib>

#include "gyre/app/run.hpp"
#include "gyre/platform/refuse_call.test.hpp"

namespace gyre {
namespace {

// The main function of both: 5 if its loop is on epoll.
Future<int> find_epoll(Program& program) {
    co_return std::string_view(program.platform().name()) == "epoll" ? 5 : 1;
}

TEST(RefusedUringDeathTest, of_the_environment_is_one_warning_and_epoll_serves) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ::setenv("GYRE_PLATFORM", "uring", 1);
            if (!platform::refuse_call(__NR_io_uring_setup)) std::exit(1);
            std::exit(run(find_epoll, {.loops = 2}));
        },
        testing::ExitedWithCode(5),
        "^gyre: warn: GYRE_PLATFORM=uring is ignored: the system refuses io_uring; epoll "
        "serves\n$");
}

TEST(RefusedUringDeathTest, of_the_options_ends_the_program_at_its_start) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            if (!platform::refuse_call(__NR_io_uring_setup)) std::exit(1);
            std::exit(run(find_epoll, {.platform = "uring"}));
        },
        testing::ExitedWithCode(2),
        "^gyre: io_uring refused: .*: use epoll, or leave the choice open\n$");
}

}  // namespace
}  // namespace gyre
