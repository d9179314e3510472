// SPDX-License-Identifier: Apache-2.0
// Stream::next inside a combinator: a step that is given up goes on, and nothing is lost.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/select.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/stream/stream.hpp"

namespace gyre {
namespace {

struct StreamStepWorld : CombinatorWorld {
    // Yields 0, 1, … one each `period`. Its clean-up awaits.
    Stream<int> ticks(int count, Duration period) {
        std::exception_ptr cancel;
        try {
            for (int i = 0; i < count; ++i) {
                co_await sleep(period);
                co_yield i;
            }
        } catch (const Cancelled&) {
            cancel = std::current_exception();
        }
        if (cancel == nullptr) co_return;
        co_await sleep(clean_up_time);
        cancelled.push_back(0);
        std::rethrow_exception(cancel);
    }
};

// The debounce of a watch: collects until nothing comes for a while.
TEST(StreamStep, survives_a_timeout) {
    // clause: A33
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        auto stream = world.ticks(3, 5ms);
        std::vector<int> got;
        int late_count = 0;
        for (;;) {
            try {
                const std::optional<int> tick = co_await timeout(stream.next(), 2ms);
                if (!tick) break;
                got.push_back(*tick);
            } catch (const TimeoutError&) {
                ++late_count;
            }
        }
        EXPECT_EQ(got, (std::vector{0, 1, 2}));
        EXPECT_EQ(late_count, 6);
    });
    EXPECT_EQ(world.elapsed(), 15ms);
    EXPECT_TRUE(world.cancelled.empty());
}

TEST(StreamStep, gives_its_value_to_a_plain_next) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        auto stream = world.ticks(2, 5ms);
        EXPECT_THROW((void)co_await timeout(stream.next(), 1ms), TimeoutError);
        EXPECT_EQ(co_await stream.next(), 0);
        EXPECT_EQ(world.elapsed(), 5ms);
        EXPECT_EQ(co_await stream.next(), 1);
        EXPECT_EQ(co_await stream.next(), std::nullopt);
    });
}

TEST(StreamStep, keeps_a_value_that_came_while_nobody_waited) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        auto stream = world.ticks(2, 5ms);
        EXPECT_THROW((void)co_await timeout(stream.next(), 1ms), TimeoutError);
        co_await sleep(10ms);
        EXPECT_EQ(co_await timeout(stream.next(), 1ms), 0);
        EXPECT_EQ(world.elapsed(), 11ms);
    });
}

TEST(StreamStep, keeps_a_failure_that_came_while_nobody_waited) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        auto failing = []() -> Stream<int> {
            co_await sleep(5ms);
            throw std::runtime_error("broken");
            co_yield 0;
        };
        auto stream = failing();
        EXPECT_THROW((void)co_await timeout(stream.next(), 1ms), TimeoutError);
        co_await sleep(10ms);
        EXPECT_THROW((void)co_await stream.next(), std::runtime_error);
        EXPECT_EQ(co_await stream.next(), std::nullopt);
    });
}

TEST(StreamStep, moves_values_that_cannot_be_copied) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        auto boxes = []() -> Stream<std::unique_ptr<int>> {
            co_await sleep(1ms);
            co_yield std::make_unique<int>(4);
        };
        auto stream = boxes();
        std::optional<std::unique_ptr<int>> box = co_await timeout(stream.next(), 1s);
        EXPECT_EQ(**box, 4);
        EXPECT_EQ(co_await timeout(stream.next(), 1s), std::nullopt);
    });
}

TEST(StreamStep, ends_with_its_clean_up_when_the_stream_is_closed) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        auto stream = world.ticks(2, 1h);
        EXPECT_THROW((void)co_await timeout(stream.next(), 1ms), TimeoutError);
        co_await stream.aclose();
        EXPECT_EQ(world.cancelled, std::vector{0});
        EXPECT_EQ(co_await timeout(stream.next(), 1s), std::nullopt);
    });
    EXPECT_EQ(world.elapsed(), 1ms + CombinatorWorld::clean_up_time);
}

TEST(StreamStep, ends_with_its_clean_up_when_the_stream_is_dropped) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        {
            auto stream = world.ticks(2, 1h);
            EXPECT_THROW((void)co_await timeout(stream.next(), 1ms), TimeoutError);
        }
        co_await sleep(1ms);
        EXPECT_EQ(world.cancelled, std::vector{0});
    });
}

// The step has ended at a co_yield, and its value was not taken.
TEST(StreamStep, is_cleaned_up_with_a_value_that_nobody_took) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        {
            auto stream = world.ticks(2, 5ms);
            EXPECT_THROW((void)co_await timeout(stream.next(), 1ms), TimeoutError);
            co_await sleep(10ms);
        }
        co_await sleep(1ms);
        EXPECT_EQ(world.cancelled, std::vector{0});
    });
}

TEST(StreamStep, moves_with_its_stream) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        auto first = world.ticks(1, 5ms);
        EXPECT_THROW((void)co_await timeout(first.next(), 1ms), TimeoutError);
        auto second = std::move(first);
        EXPECT_EQ(co_await second.next(), 0);
    });
}

TEST(StreamStep, of_two_streams_loses_nothing_in_a_select) {
    StreamStepWorld world;
    world.run([&]() -> Future<void> {
        auto first = world.ticks(4, 3ms);
        auto second = world.ticks(3, 4ms);
        std::vector<int> got;
        for (int ended_count = 0; ended_count < 2;) {
            auto [one, two] = co_await select(first.next(), second.next());
            ended_count = 0;
            if (one) {
                const auto value = one.take();
                value ? got.push_back(*value) : (void)++ended_count;
            }
            if (two) {
                const auto value = two.take();
                value ? got.push_back(10 + *value) : (void)++ended_count;
            }
        }
        // At 12 ms both have one.
        EXPECT_EQ(got, (std::vector{0, 10, 1, 11, 2, 3, 12}));
    });
}

// The world closes its loop, then destroys its executor, and counts the frames that are left.
TEST(StreamStep, leaves_nothing_behind_when_its_executor_goes) {
    StreamStepWorld world;
    world.executor.root().spawn([]() -> Future<void> {
        // Not that of the world, whose clean-up would note in a member that is gone by then.
        auto endless = []() -> Stream<int> {
            co_await sleep(1h);
            co_yield 0;
        };
        auto stream = endless();
        EXPECT_THROW((void)co_await timeout(stream.next(), 1ms), TimeoutError);
        co_await shield(nap(1h));
    });
    for (int i = 0; i < 10; ++i) world.loop.turn(world.clock.now() + 1ms);
}

}  // namespace
}  // namespace gyre
