// SPDX-License-Identifier: Apache-2.0
// Runs the table of boundaries on each platform, and compares it with the guide. Clause A34.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "gyre/base/log.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/kernel/observer.hpp"
#include "tests/boundaries/rows.hpp"
#include "tests/support/handle_world.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::test {
namespace {

class Boundaries : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        set_log_level(LogLevel::off);
        try {
            const NamedPlatform tried({.name = GetParam()});
        } catch (const PlatformRefused& refused) {
            GYRE_SKIP_REFUSED(GetParam(), refused.what());
        }
    }
    void TearDown() override { set_log_level(before_); }

private:
    const LogLevel before_ = log_level();
};
GYRE_ON_PLATFORMS(Boundaries, every_platform);

TEST_P(Boundaries, hold_whatever_a_function_of_the_user_throws) {
    // clause: A34
    for (const BoundaryRow& row : boundary_rows()) {
        for (const Thrown thrown : all_thrown) {
            if (std::string_view(row.place) == "log sink") set_log_level(LogLevel::error);
            const bool is_own = thrown == Thrown::own_cancelled &&
                                std::string_view(row.own_cancel) != "as a failure";
            EXPECT_EQ(row.outcome(GetParam(), thrown), is_own ? row.own_cancel : row.failure)
                << row.place << ", exception " << static_cast<int>(thrown);
            set_log_level(LogLevel::off);
        }
    }
}

TEST_P(Boundaries, of_handles_are_none_and_the_process_ends) {
    EXPECT_DEATH(
        {
            HandleWorld world(GetParam(), 0);
            handle::Timer timer(world.loop());
            timer.start([](handle::Timer&) { throw std::runtime_error("thrown in a callback"); },
                        1ms);
            world.loop().run();
        },
        "thrown in a callback");
}

TEST(BoundariesOfObservers, are_none_because_their_functions_may_not_throw) {
    EXPECT_TRUE(noexcept(
        std::declval<Observer&>().on_submit(std::declval<Op&>(), std::declval<Machine&>())));
    EXPECT_TRUE(noexcept(std::declval<Observer&>().on_mark("")));
}

TEST(BoundariesInTheGuide, are_the_rows_that_are_tested) {
    std::ifstream file(GYRE_FAILURES_PAGE);
    std::stringstream text;
    text << file.rdbuf();
    const std::string page = text.str();
    ASSERT_NE(page, "") << GYRE_FAILURES_PAGE;
    for (const BoundaryRow& row : boundary_rows()) {
        const std::string line =
            "| " + std::string(row.place) + " | " + row.failure + " | " + row.own_cancel + " |\n";
        EXPECT_NE(page.find(line), std::string::npos) << "docs/guide/failures.md lacks:\n" << line;
    }
}

}  // namespace
}  // namespace gyre::test
