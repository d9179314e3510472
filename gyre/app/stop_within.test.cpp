// SPDX-License-Identifier: Apache-2.0
// After a signal a program ends within stop_within, whatever holds it up.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <latch>

#include "gyre/app/run.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "tests/support/platforms.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

std::atomic<bool> is_blocked = false;

// Never returns.
void block() {
    is_blocked.store(true);
    std::latch(1).wait();
}

// A signal that comes before the block would end the program cleanly.
Future<void> raise_when_blocked() {
    while (!is_blocked.load()) co_await sleep(1ms);
    ::raise(SIGTERM);
    co_await sleep(1h);
}

class StopWithinDeathTest : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        platform::SystemClock clock;
        const auto made = platform::make_platform(clock, GetParam());
        if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
    static ProgramOptions options(std::uint32_t loop_count) {
        ProgramOptions options{.loops = loop_count, .platform = GetParam()};
        options.run.stop_within = 50ms;
        options.run.blocked_after = 0ms;
        return options;
    }
};
GYRE_ON_PLATFORMS(StopWithinDeathTest, test::real_platforms);

TEST_P(StopWithinDeathTest, is_kept_though_blocking_work_never_returns) {
    const auto main = [](Scope& scope) -> Future<void> {
        scope.spawn([]() -> Future<void> { co_await blocking(block); });
        co_await raise_when_blocked();
    };
    EXPECT_EXIT(static_cast<void>(run(main, options(1))), testing::ExitedWithCode(4),
                "did not end in time after a signal");
}

TEST_P(StopWithinDeathTest, is_kept_though_another_loop_is_blocked) {
    const auto main = [](Program& program) -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto stuck = scope.spawn([&]() -> Future<void> {
                co_await on(program.loop(2), []() -> Future<void> {
                    block();
                    co_return;
                });
            });
            co_await raise_when_blocked();
        });
    };
    EXPECT_EXIT(static_cast<void>(run(main, options(2))), testing::ExitedWithCode(4),
                "did not end");
}

TEST_P(StopWithinDeathTest, is_kept_though_the_first_loop_is_blocked) {
    const auto main = []() -> Future<void> {
        ::raise(SIGTERM);
        co_await sleep(1h);
    };
    const auto blocks_at_its_cancel = [main]() -> Future<void> {
        try {
            co_await main();
        } catch (const Cancelled&) {
            block();
        }
    };
    EXPECT_EXIT(static_cast<void>(run(blocks_at_its_cancel, options(1))),
                testing::ExitedWithCode(4), "the program did not end within 0.05 s after a signal");
}

}  // namespace
}  // namespace gyre
