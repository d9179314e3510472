// SPDX-License-Identifier: Apache-2.0
// The time that the tasks of an executor may take in one turn of their loop.
#include <gtest/gtest.h>

#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/timed_platform.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

// A task that computes for some time, and yields, for ever.
class YieldingWorld {
public:
    YieldingWorld(Duration each, bool is_simulated, ExecutorOptions options = {})
        : platform_(clock_, is_simulated), executor_(options) {
        executor_.root().spawn([this, each]() -> Future<void> {
            while (!is_over_) {
                ++count_;
                clock_.advance(each);
                co_await yield();
            }
        });
    }
    YieldingWorld(const YieldingWorld&) = delete;
    YieldingWorld& operator=(const YieldingWorld&) = delete;
    ~YieldingWorld() {
        is_over_ = true;
        static_cast<void>(loop_.run());
        loop_.close();
    }

    Duration turn() {
        const Instant before = clock_.peek();
        loop_.turn();
        return clock_.peek() - before;
    }
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

private:
    sim::VirtualClock clock_;
    test::TimedPlatform platform_;
    Executor executor_;
    Loop loop_{platform_, executor_, {.spin_max = Duration(0)}};
    std::uint64_t count_ = 0;
    bool is_over_ = false;
};

TEST(TurnTime, a_task_that_yields_leaves_the_turn_when_its_time_is_over) {
    for (const Duration each : {Duration(10us), Duration(100us), Duration(1ms)}) {
        YieldingWorld world(each, false);
        // Until the first clock readings the tasks count as quick: two lots of 64.
        EXPECT_LE(world.turn(), 3ms + 128 * each);
        for (int i = 0; i < 20; ++i) {
            const Duration took = world.turn();
            EXPECT_GE(took, 3ms);
            EXPECT_LE(took, 3ms + 200us + each);
        }
    }
}

TEST(TurnTime, can_be_another_one_or_none) {
    YieldingWorld longer(100us, false, {.time_per_turn_max = 10ms});
    static_cast<void>(longer.turn());
    EXPECT_GE(longer.turn(), 10ms);
    YieldingWorld unlimited(100us, false, {.time_per_turn_max = Duration(0)});
    EXPECT_EQ(unlimited.turn(), 1024 * 100us);
}

TEST(TurnTime, is_not_counted_in_virtual_time) {
    YieldingWorld world(100us, true);
    for (std::uint64_t turn = 1; turn <= 5; ++turn) {
        static_cast<void>(world.turn());
        EXPECT_EQ(world.count(), turn * 4 * 256);  // four rounds of tasks_per_tick_max
    }
}

}  // namespace
}  // namespace gyre
