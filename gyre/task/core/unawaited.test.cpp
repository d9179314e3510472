// SPDX-License-Identifier: Apache-2.0
// Futures that are never awaited: a build with GYRE_DEBUG_CHECKS logs them, with their function.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<int> number() {
    co_return 1;
}
Future<int> broken() {
    co_await fail(Error(std::errc::no_link));
    co_return 1;
}

struct UnawaitedFutures : testing::Test {
    void SetUp() override {
        heard.clear();
        set_log_sink([](LogLevel, std::string_view line) { heard.emplace_back(line); });
    }
    void TearDown() override { set_log_sink(nullptr); }
    static std::ptrdiff_t told_count() {
        return std::count_if(heard.begin(), heard.end(), [](const std::string& line) {
            return line.find("was never awaited") != std::string::npos;
        });
    }

    const FrameCheck frames;
    TaskWorld world;
    static inline std::vector<std::string> heard;
};

TEST_F(UnawaitedFutures, are_told_with_their_function) {
    world.run([]() -> Future<void> {
        auto forgotten = number();
        co_return;
    });
    ASSERT_EQ(told_count(), GYRE_DEBUG_CHECKS);
    if (told_count() == 0) return;
    EXPECT_EQ(heard.front().find("the future of "), 0u) << heard.front();
    EXPECT_NE(heard.front().find("::number ("), std::string::npos) << heard.front();
    EXPECT_NE(heard.front().find("unawaited.test.cpp:"), std::string::npos) << heard.front();
}

TEST_F(UnawaitedFutures, with_others_inside_are_told_once) {
    {
        auto forgotten = timeout(number(), 1s);
    }
    {
        auto forgotten = number().map([](int value) { return value; });
    }
    EXPECT_EQ(told_count(), 2 * GYRE_DEBUG_CHECKS);
}

TEST_F(UnawaitedFutures, are_none_if_they_are_awaited_spawned_or_dropped) {
    world.run([this]() -> Future<void> {
        auto first = number();
        EXPECT_EQ(co_await std::move(first), 1);
        auto moved = number();
        auto second = std::move(moved);
        world.executor.root().spawn(std::move(second));
        auto unneeded = number();
        std::move(unneeded).drop();
        EXPECT_EQ(co_await number().or_(number()), 1);
        EXPECT_EQ(co_await broken().or_(number()), 1);
    });
    EXPECT_EQ(told_count(), 0);
}

TEST_F(UnawaitedFutures, of_a_task_that_fails_or_is_cancelled_are_no_mistake) {
    const auto fails = []() -> Future<void> {
        auto unused = number();
        throw std::runtime_error("broken");
        co_await std::move(unused);
    };
    const auto ends_with_error = []() -> Future<void> {
        auto unused = number();
        co_await fail(Error(std::errc::no_link));
        co_await std::move(unused);
    };
    const auto is_cancelled = []() -> Future<void> {
        auto unused = number();
        co_await sleep(1h);
        co_await std::move(unused);
    };
    const auto takes = [](Future<int> given) -> Future<void> { co_await std::move(given); };
    auto first = world.spawn(fails);
    world.executor.root().cancel("enough");
    auto second = world.spawn(ends_with_error);
    auto third = world.spawn(is_cancelled);
    auto fourth = world.spawn(takes, number());
    (void)world.loop.run();
    EXPECT_TRUE(fourth.was_cancelled());
    EXPECT_EQ(told_count(), 0);
}

TEST_F(UnawaitedFutures, of_tasks_that_run_when_they_are_cancelled_are_no_mistake) {
    world.run([this]() -> Future<void> {
        const auto waits = []() -> Future<void> {
            auto unused = number();
            co_await sleep(1h);
            co_await std::move(unused);
        };
        const auto ends_with_error = []() -> Future<void> {
            auto unused = number();
            co_await fail(Error(std::errc::no_link));
            co_await std::move(unused);
        };
        auto waiting = world.spawn(waits);
        EXPECT_FALSE((co_await try_(ends_with_error())).has_value());
        co_await sleep(1s);
        waiting.cancel();
    });
    EXPECT_EQ(told_count(), 0);
}

}  // namespace
}  // namespace gyre
