// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of actors: a loop in virtual time with an open system while the body runs. One
// thread; checks that no task or frame is left at the end.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/actor/actor.hpp"
#include "gyre/base/log.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre::actor {

using namespace std::chrono_literals;

class Actors : public ::testing::Test {
protected:
    Actors() {
        before_ = log_level();
        set_log_level(LogLevel::off);  // Actors fail on purpose here.
    }
    ~Actors() override { set_log_level(before_); }

    // Runs the body with a system; returns its result.
    template <class F>
    auto run(F body, SystemOptions options = {}) {
        frames_before_ = FramePool::live_count();
        TaskWorld world(executor_options);
        start_ = world.clock.peek();
        const auto main = [&]() { return with_actors(std::move(body), std::move(options)); };
        struct Stop {
            Actors& test;
            TaskWorld& at;
            ~Stop() {
                test.elapsed_ = at.clock.peek() - test.start_;
                EXPECT_EQ(at.executor.task_count(), 0u) << at.executor.dump_tasks();
                EXPECT_EQ(FramePool::live_count(), test.frames_before_ + test.frames_kept)
                    << "frames are left";
            }
        } const stop{*this, world};
        return world.run(main);
    }
    [[nodiscard]] Duration elapsed() const noexcept { return elapsed_; }

    ExecutorOptions executor_options;
    std::int64_t frames_kept = 0;  // frames that the test itself still holds at the end

private:
    LogLevel before_;
    Instant start_;
    Duration elapsed_{0};
    std::int64_t frames_before_ = 0;
};

}  // namespace gyre::actor
