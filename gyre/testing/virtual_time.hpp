// SPDX-License-Identifier: Apache-2.0
// VirtualTimeTest: a GoogleTest fixture for tasks in simulated time: a sleep of a day takes no real
// time, and a test is deterministic. Sockets and files are simulated too.
//
//     using Clocks = gyre::testing::VirtualTimeTest;
//
//     TEST_F(Clocks, ring_every_hour) {
//         run([]() -> gyre::Future<void> {
//             co_await gyre::sleep(1h);
//         });
//         EXPECT_EQ(elapsed(), 1h);
//     }
//
// Thread: the thread of the test.
// Lifetime: every test has its own clock, platform and executor. All tasks must have ended when the
// test ends, else it fails.
//
// gyre provides this header only: compile and link it with GoogleTest yourself.
#pragma once

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::testing {

class VirtualTimeTest : public ::testing::Test {
protected:
    // ExecutorOptions::order_seed changes the order in which tasks run.
    explicit VirtualTimeTest(const sim::SimOptions& options = {},
                             const ExecutorOptions& executor = {})
        : platform_(clock_, options), executor_(executor) {}
    ~VirtualTimeTest() override { loop_.close(); }

    // Starts an async function in the root scope.
    template <class F, class... Args>
    auto spawn(F function, Args... args) {
        return executor_.root().spawn(std::move(function), std::move(args)...);
    }

    // Runs an async function and all tasks that it starts to completion, and advances the clock as
    // needed. Returns the function's value or throws its exception. On a deadlock the test fails
    // with a list of the waiting tasks, and the tasks are cancelled.
    template <class F, class... Args>
    auto run(F function, Args... args) {
        auto handle = spawn(std::move(function), std::move(args)...);
        run_all();
        return handle.outcome().take();
    }
    // Runs all spawned tasks to completion.
    void run_all() {
        static_cast<void>(loop_.run());
        if (executor_.task_count() == 0) return;
        ADD_FAILURE() << "nothing can wake the tasks that wait:\n" << executor_.dump_tasks();
        executor_.root().cancel("the test has a deadlock");
        static_cast<void>(loop_.run());
    }
    // Advances the clock by this time, and runs the timers that become due on the way, in order.
    void advance(Duration by) {
        const Instant until = clock_.peek() + by;
        auto alarm = spawn([until]() -> Future<void> { co_await sleep_until(until); });
        while (!alarm.is_completed()) loop_.turn();
    }
    // The simulated time since the start of the test.
    [[nodiscard]] Duration elapsed() const noexcept { return clock_.peek() - start_; }

    [[nodiscard]] sim::VirtualClock& clock() noexcept { return clock_; }
    [[nodiscard]] sim::SimPlatform& platform() noexcept { return platform_; }
    [[nodiscard]] Executor& executor() noexcept { return executor_; }
    [[nodiscard]] Loop& loop() noexcept { return loop_; }
    [[nodiscard]] Scope& root() noexcept { return executor_.root(); }

    // Fails the test if tasks are left. A derived fixture that overrides it must call it.
    void TearDown() override {
        EXPECT_EQ(executor_.task_count(), 0u) << "tasks are left:\n" << executor_.dump_tasks();
    }

private:
    sim::VirtualClock clock_;
    const Instant start_ = clock_.peek();
    sim::SimPlatform platform_;
    Executor executor_;
    Loop loop_{platform_, executor_, {.offload = &platform_.offload()}};
};

}  // namespace gyre::testing
