// SPDX-License-Identifier: Apache-2.0
// VirtualTimeTest: a GoogleTest fixture for programs of tasks. Time is simulated: a sleep of a day
// takes no time, and a test that passes once passes always. Sockets and files are simulated too.
// One test, one thread; everything is made anew for each test, and must have ended when it ends.
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
// Compile and link it with GoogleTest yourself: gyre has only this header for it.
#pragma once

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "gyre/task/scope.hpp"
#include "gyre/task/sleep.hpp"

namespace gyre::testing {

class VirtualTimeTest : public ::testing::Test {
protected:
    // With ExecutorOptions::order_seed a test tries another order of its tasks.
    explicit VirtualTimeTest(const sim::SimOptions& options = {},
                             const ExecutorOptions& executor = {})
        : platform_(clock_, options), executor_(executor) {}
    ~VirtualTimeTest() override { loop_.close(); }

    // Starts an async function in the root scope.
    template <class F, class... Args>
    auto spawn(F function, Args... args) {
        return executor_.root().spawn(std::move(function), std::move(args)...);
    }

    // Runs an async function and all that it starts to their end, moving the clock as they need,
    // and gives its value or throws what it failed with. Where nothing can wake it, the test fails
    // with who waits on what; it is cancelled then.
    template <class F, class... Args>
    auto run(F function, Args... args) {
        auto handle = spawn(std::move(function), std::move(args)...);
        run_all();
        return handle.outcome().take();
    }
    // Runs everything that was spawned to its end.
    void run_all() {
        static_cast<void>(loop_.run());
        if (executor_.task_count() == 0) return;
        ADD_FAILURE() << "nothing can wake the tasks that wait:\n" << executor_.dump_tasks();
        executor_.root().cancel("the test has a deadlock");
        static_cast<void>(loop_.run());
    }
    // Lets that much time pass: all that is due until then happens, in its order.
    void advance(Duration by) {
        const Instant until = clock_.peek() + by;
        auto alarm = spawn([until]() -> Future<void> { co_await sleep_until(until); });
        while (!alarm.is_completed()) loop_.turn();
    }
    // Since the test began.
    [[nodiscard]] Duration elapsed() const noexcept { return clock_.peek() - start_; }

    [[nodiscard]] sim::VirtualClock& clock() noexcept { return clock_; }
    [[nodiscard]] sim::SimPlatform& platform() noexcept { return platform_; }
    [[nodiscard]] Executor& executor() noexcept { return executor_; }
    [[nodiscard]] Loop& loop() noexcept { return loop_; }
    [[nodiscard]] Scope& root() noexcept { return executor_.root(); }

    // A derived fixture that overrides it calls it: tasks that are left fail the test.
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
