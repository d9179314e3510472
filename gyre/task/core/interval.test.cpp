// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/sleep.hpp"

#include <gtest/gtest.h>

#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre {
namespace {

// When a tick came, and when it was due, since the start.
struct Tick {
    Duration came;
    Duration due;
    friend bool operator==(const Tick&, const Tick&) = default;
};

// Five ticks of a period of 10; the work after the first takes `work`.
std::vector<Tick> ticks(MissedTicks policy, Duration work) {
    CombinatorWorld world;
    return world.run([&]() -> Future<std::vector<Tick>> {
        std::vector<Tick> seen;
        Interval interval(10ms, policy);
        for (int i = 0; i < 5; ++i) {
            const Instant due = co_await interval.next();
            seen.push_back({world.elapsed(), due - world.began});
            co_await sleep(i == 0 ? work : 3ms);
        }
        co_return seen;
    });
}

TEST(Interval, ticks_on_multiples_of_its_period_whatever_the_work_takes) {
    for (const auto policy : {MissedTicks::skip, MissedTicks::delay, MissedTicks::burst}) {
        EXPECT_EQ(ticks(policy, 9ms),
                  (std::vector<Tick>{
                      {10ms, 10ms}, {20ms, 20ms}, {30ms, 30ms}, {40ms, 40ms}, {50ms, 50ms}}));
    }
}

TEST(Interval, that_skips_leaves_missed_ticks_out_and_stays_on_its_multiples) {
    EXPECT_EQ(
        ticks(MissedTicks::skip, 25ms),
        (std::vector<Tick>{{10ms, 10ms}, {35ms, 20ms}, {40ms, 40ms}, {50ms, 50ms}, {60ms, 60ms}}));
}

TEST(Interval, that_skips_and_is_late_by_whole_periods_does_not_tick_twice) {
    EXPECT_EQ(
        ticks(MissedTicks::skip, 30ms),
        (std::vector<Tick>{{10ms, 10ms}, {40ms, 20ms}, {50ms, 50ms}, {60ms, 60ms}, {70ms, 70ms}}));
}

TEST(Interval, that_delays_ticks_a_period_after_the_late_one) {
    EXPECT_EQ(
        ticks(MissedTicks::delay, 25ms),
        (std::vector<Tick>{{10ms, 10ms}, {35ms, 20ms}, {45ms, 45ms}, {55ms, 55ms}, {65ms, 65ms}}));
}

TEST(Interval, that_bursts_leaves_none_out) {
    EXPECT_EQ(
        ticks(MissedTicks::burst, 25ms),
        (std::vector<Tick>{{10ms, 10ms}, {35ms, 20ms}, {38ms, 30ms}, {41ms, 40ms}, {50ms, 50ms}}));
}

TEST(Interval, cancelled_loses_no_tick) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        Interval interval(10ms);
        EXPECT_EQ(co_await failure_of(timeout(interval.next(), 4ms)), "Timeout after 4ms");
        EXPECT_EQ(co_await interval.next(), world.began + 10ms);
        EXPECT_EQ(world.elapsed(), 10ms);
    });
}

TEST(Interval, drifts_nowhere_in_a_day) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        Interval interval(Duration(999'999'937));
        for (int i = 1; i <= 86'400; ++i) {
            EXPECT_EQ(co_await interval.next(), world.began + i * Duration(999'999'937));
            co_await sleep(Duration(i * 10'007 % 900'000'000));
        }
    });
}

}  // namespace
}  // namespace gyre
