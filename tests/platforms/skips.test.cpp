// SPDX-License-Identifier: Apache-2.0
// What the main of the test programs makes of a skipped test: this program runs again, with one of
// the disabled tests below.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/support/platforms.hpp"

namespace gyre::test {
namespace {

TEST(Skipped, DISABLED_without_a_reason) {
    GTEST_SKIP();
}

TEST(Skipped, DISABLED_with_a_reason) {
    GTEST_SKIP() << "skipped: for a good reason";
}

TEST(Skipped, DISABLED_by_a_refused_platform) {
    GYRE_SKIP_REFUSED("uring", "no such call");
}

bool passes(const std::string& test, const std::string& required) {
    char* const program = ::realpath("/proc/self/exe", nullptr);
    if (program == nullptr) return false;
    const std::string line = "GYRE_REQUIRE_PLATFORMS=" + required + " '" + program +
                             "' --gtest_also_run_disabled_tests --gtest_filter=Skipped.DISABLED_" +
                             test + " >/dev/null 2>&1";
    std::free(program);
    const int status = std::system(line.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Skips, need_a_reason) {
    EXPECT_FALSE(passes("without_a_reason", ""));
    EXPECT_TRUE(passes("with_a_reason", "epoll,uring,sim"));
}

TEST(Skips, of_a_platform_that_is_required_fail) {
    EXPECT_TRUE(passes("by_a_refused_platform", ""));
    EXPECT_TRUE(passes("by_a_refused_platform", "epoll,sim"));
    EXPECT_FALSE(passes("by_a_refused_platform", "epoll,uring,sim"));
}

}  // namespace
}  // namespace gyre::test
