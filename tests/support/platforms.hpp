// SPDX-License-Identifier: Apache-2.0
// The platforms that suites run on: one list for all of them. A test on a platform that the system
// refuses is skipped by GYRE_SKIP_REFUSED; GYRE_REQUIRE_PLATFORMS=epoll,uring,sim in the
// environment turns that into a failure (main.cpp), and main.cpp fails a skip without a reason.
// Any thread.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace gyre::test {

inline constexpr std::array<const char*, 3> every_platform = {"epoll", "uring", "sim"};
inline constexpr std::array<const char*, 2> real_platforms = {"epoll", "uring"};

// Whether the environment demands that the tests of this platform run.
[[nodiscard]] inline bool is_required(std::string_view platform) {
    const char* required = std::getenv("GYRE_REQUIRE_PLATFORMS");
    const std::string names = "," + std::string(required == nullptr ? "" : required) + ",";
    return names.find("," + std::string(platform) + ",") != std::string::npos;
}

// For INSTANTIATE_TEST_SUITE_P: the test has the name of its platform.
inline constexpr auto platform_of_test = [](const auto& test) { return std::string(test.param); };

}  // namespace gyre::test

// In the body of a test or in SetUp. main.cpp reads the name of the platform out of the reason.
#define GYRE_SKIP_REFUSED(platform, why) \
    GTEST_SKIP() << "skipped: " << (platform) << " refused: " << (why)

#define GYRE_ON_PLATFORMS(Suite, platforms) \
    INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(platforms), gyre::test::platform_of_test)
