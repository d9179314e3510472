// SPDX-License-Identifier: Apache-2.0
// run() on the real platforms: signals, and a blocked loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/platforms.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

struct RunOnSystem : testing::TestWithParam<const char*> {};
GYRE_ON_PLATFORMS(RunOnSystem, gyre::test::real_platforms);

TEST_P(RunOnSystem, a_signal_cancels_and_a_broken_pipe_does_not_kill) {
    platform::SystemClock clock;
    auto made = platform::make_platform(clock, GetParam());
    if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
    testing::internal::CaptureStderr();
    const auto result = run(**made, []() -> Future<int> {
        ::raise(SIGPIPE);
        ::raise(SIGTERM);
        co_await sleep(1h);
        co_return 0;
    });
    EXPECT_NE(testing::internal::GetCapturedStderr().find("SIGTERM"), std::string::npos);
    EXPECT_EQ(result.exit_code(), 4);
}

TEST_P(RunOnSystem, a_deadlock_is_found_though_signals_could_come) {
    platform::SystemClock clock;
    auto made = platform::make_platform(clock, GetParam());
    if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
    Promise<int> never;
    testing::internal::CaptureStderr();
    const auto result = run(**made, [&]() -> Future<int> { co_return co_await never.future(); });
    EXPECT_NE(testing::internal::GetCapturedStderr().find("deadlock"), std::string::npos);
    EXPECT_EQ(result.exit_code(), 3);
}

struct RunOnSystemDeathTest : RunOnSystem {};
GYRE_ON_PLATFORMS(RunOnSystemDeathTest, gyre::test::real_platforms);

TEST_P(RunOnSystemDeathTest, a_second_signal_ends_a_program_whose_loop_is_blocked) {
    platform::SystemClock clock;
    if (!platform::make_platform(clock, GetParam())) GYRE_SKIP_REFUSED(GetParam(), "by the system");
    const auto blocked = [&] {
        auto made = platform::make_platform(clock, GetParam());
        (void)run(**made, []() -> Future<void> {
            ::raise(SIGINT);
            ::raise(SIGINT);
            std::exit(99);
            co_return;
        });
    };
    EXPECT_EXIT(blocked(), testing::ExitedWithCode(128 + SIGINT), "");
}

// The watchdog writes to the log from a thread of its own.
class BlockedRun : public testing::Test {
protected:
    void SetUp() override {
        heard.clear();
        set_log_sink([](LogLevel, std::string_view line) {
            const std::lock_guard lock(mutex);
            heard.emplace_back(line);
            changed.notify_all();
        });
    }
    void TearDown() override { set_log_sink(nullptr); }

    // Blocks the thread until the log has the text that the caller looks for.
    static void block_until_heard(std::string_view text) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [text] { return has_heard(text); });
    }
    // For a while: a turn that was late before its task began has had its report.
    static bool blocks_until_heard(std::string_view text) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, 50ms, [text] { return has_heard(text); });
    }
    static bool has_heard(std::string_view text) {
        return std::any_of(heard.begin(), heard.end(), [text](const std::string& line) {
            return line.find(text) != std::string::npos;
        });
    }

    static inline std::mutex mutex;
    static inline std::condition_variable changed;
    static inline std::vector<std::string> heard;
};
class BlockedRunOnSystem : public BlockedRun, public testing::WithParamInterface<const char*> {};
GYRE_ON_PLATFORMS(BlockedRunOnSystem, gyre::test::real_platforms);

TEST_P(BlockedRunOnSystem, names_the_task_that_blocks_and_where_it_is) {
    platform::SystemClock clock;
    auto made = platform::make_platform(clock, GetParam());
    if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
    const auto result = run(**made,
                            []() -> Future<int> {
                                do {
                                    co_await sleep(1ns);
                                } while (!blocks_until_heard("by task 1 'main'"));
                                co_return 0;
                            },
                            {.blocked_after = 1ms});
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_TRUE(has_heard("the loop is blocked for over 1 ms by task 1 'main'"));
    EXPECT_TRUE(has_heard("run_on_system.test.cpp:"));
}

TEST_P(BlockedRunOnSystem, answers_sigquit_though_the_loop_cannot) {
    platform::SystemClock clock;
    auto made = platform::make_platform(clock, GetParam());
    if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
    testing::internal::CaptureStderr();
    const auto result = run(**made,
                            []() -> Future<int> {
                                co_await sleep(1ns);
                                block_until_heard("  ");  // Its place is told from here on.
                                ::raise(SIGQUIT);
                                block_until_heard("the report for SIGQUIT comes when it goes on");
                                co_await sleep(1ms);
                                co_return 0;
                            },
                            {.blocked_after = 1ms});
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("what the program waits for:"),
              std::string::npos);
}

TEST_F(BlockedRun, in_virtual_time_is_nobodys_business) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    const auto result = run(platform,
                            []() -> Future<int> {
                                std::this_thread::sleep_for(20ms);
                                co_return 0;
                            },
                            {.blocked_after = 1ms});
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_TRUE(heard.empty());
}

}  // namespace
}  // namespace gyre
