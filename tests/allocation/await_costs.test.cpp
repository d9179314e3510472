// SPDX-License-Identifier: Apache-2.0
// What an await takes in frames and allocations, which no load of the machine changes, and the same
// work in hand-written callbacks beside it. docs/guide/costs.md has the times.
#include <gtest/gtest.h>

#include <functional>

#include "gyre/sim/platform.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/thread/waker.hpp"
#include "tests/allocation/counting.hpp"
#include "tests/support/test_app.hpp"

namespace gyre::allocation {
namespace {

using namespace std::chrono_literals;

constexpr int warm_up_rounds = 100;
constexpr int rounds = 1'000;

struct AwaitCosts : testing::Test {
    void SetUp() override {
        if (!has_pools) GTEST_SKIP() << "a sanitizer watches the memory";
    }
    // Runs the body in a task, in virtual time.
    template <class Body>
    void run(Body body) {
        sim::VirtualClock clock;
        sim::SimPlatform platform(clock);
        Executor executor;
        Loop loop(platform, executor);
        turn_count = [&loop] { return loop.turn_count(); };
        executor.root().spawn(body);
        (void)loop.run();
        loop.close();
    }

    std::function<std::uint64_t()> turn_count;  // of the loop that runs
};

Future<int> give(int value) {
    co_return value;
}

TEST_F(AwaitCosts, A20_a_future_is_two_pointers_at_most_and_one_frame_and_a_ready_one_has_none) {
    // clause: A20
    EXPECT_LE(sizeof(Future<int>), 2 * sizeof(void*));
    bool has_run = false;
    run([&]() -> Future<void> {
        for (int i = 0; i < warm_up_rounds; ++i) co_await give(i);
        const Since since;
        const auto frames = FramePool::live_count();
        {
            Future<int> created = give(1);
            EXPECT_EQ(FramePool::live_count(), frames + 1);
            EXPECT_EQ(co_await std::move(created), 1);
        }
        EXPECT_EQ(FramePool::live_count(), frames);
        EXPECT_EQ(co_await ready(2), 2);
        EXPECT_EQ(since.count(), 0u);
        has_run = true;
    });
    EXPECT_TRUE(has_run);
}

TEST_F(AwaitCosts, A20_a_wake_takes_no_memory_and_one_turn) {
    // clause: A20
    std::uint64_t allocations = 1;
    std::uint64_t turns = 0;
    run([&]() -> Future<void> {
        const Waker waker = co_await this_waker();
        const auto wake_once = [&]() -> Future<void> {
            waker.wake();
            co_await Woken();
        };
        for (int i = 0; i < warm_up_rounds; ++i) co_await wake_once();
        const Since since;
        const std::uint64_t before = turn_count();
        for (int i = 0; i < rounds; ++i) co_await wake_once();
        allocations = since.count();
        turns = turn_count() - before;
    });
    EXPECT_EQ(allocations, 0u);
    EXPECT_LE(turns, std::uint64_t{rounds});
}

// A timer that is started again in its own callback.
std::uint64_t allocations_of_callbacks() {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    test::TestApp app;
    Loop loop(platform, app);
    TimerOp timer(platform.now() + 1ms);
    int left = warm_up_rounds + rounds;
    std::uint64_t before = 0;
    app.on_done = [&](Op&) {
        app.done.clear();
        if (--left == rounds) before = allocations_so_far().count;
        if (left == 0) return;
        timer.deadline = timer.deadline + 1ms;
        app.submit(timer);
    };
    app.submit(timer);
    (void)loop.run();
    loop.close();
    EXPECT_EQ(left, 0);
    return allocations_so_far().count - before;
}

TEST_F(AwaitCosts, A31_an_await_allocates_no_more_than_a_hand_written_callback) {
    // clause: A31
    std::uint64_t of_awaits = 1'000'000;
    run([&]() -> Future<void> {
        const auto nap = []() -> Future<void> { co_await sleep(1ms); };
        for (int i = 0; i < warm_up_rounds; ++i) co_await nap();
        const Since since;
        for (int i = 0; i < rounds; ++i) co_await nap();
        of_awaits = since.count();
    });
    EXPECT_LE(of_awaits, allocations_of_callbacks());
}

}  // namespace
}  // namespace gyre::allocation
