// SPDX-License-Identifier: Apache-2.0
// The limits of calls from foreign threads: their number, and the wait for a loop that nobody runs.
#include <gtest/gtest.h>

#include <thread>

#include "gyre/base/failure.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/named_platform.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

struct CallLimitsOfALoop : testing::Test {
    test::NamedPlatform outside{{.name = "epoll"}};
    PhasedLoop loop{outside.platform(), {}, {.call_count_max = 3, .wait_max = 1ms}};

    // Calls the function on another thread, and waits for it: nobody runs the loop meanwhile.
    template <class F>
    void elsewhere(F function) {
        std::thread(std::move(function)).join();
    }
};

TEST_F(CallLimitsOfALoop, K29_let_no_more_calls_wait_than_call_count_max) {
    // clause: K29
    int run_count = 0;
    elsewhere([&] {
        for (int i = 0; i < 3; ++i) loop.call([&] { ++run_count; });
        try {
            loop.call([&] { ++run_count; });
            FAIL() << "the limit was not noticed";
        } catch (const LimitError& error) {
            EXPECT_STREQ(error.limit(), "call_count_max");
            EXPECT_EQ(error.value(), 3u);
        }
        EXPECT_THROW(loop.stop(), LimitError);
    });
    EXPECT_EQ(run_count, 0);
    Timer timer(loop);
    timer.start([](Timer& self) { self.close(); }, 1ms);
    loop.run();
    EXPECT_EQ(run_count, 3);
    elsewhere([&] { loop.call([&] { ++run_count; }); });  // There is room again.
    EXPECT_TRUE(loop.close().has_value());
    EXPECT_EQ(run_count, 3);
}

TEST_F(CallLimitsOfALoop, K29_end_the_wait_for_a_loop_that_nobody_runs) {
    // clause: K29
    int run_count = 0;
    elsewhere([&] {
        auto result = loop.call([&] { return ++run_count; });
        EXPECT_EQ(result.get().error().code(), std::errc::timed_out);
        EXPECT_EQ(result.get().error().code(), std::errc::timed_out);
    });
    EXPECT_EQ(run_count, 0);
    Timer timer(loop);
    timer.start([](Timer& self) { self.close(); }, 1ms);
    loop.run();
    EXPECT_EQ(run_count, 1) << "the call stays on its way";
}

TEST(CallLimitsByDefault, K29_are_those_that_a_server_can_live_with) {
    // clause: K29
    EXPECT_LE(CallLimits().call_count_max, 1u << 20u);
    EXPECT_LE(CallLimits().wait_max, 1min);
}

}  // namespace
}  // namespace gyre::handle
