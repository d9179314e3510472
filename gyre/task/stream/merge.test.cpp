// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/stream/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre {
namespace {

Stream<int> every(Duration period, std::vector<int> values) {
    for (const int value : values) {
        co_await sleep(period);
        co_yield value;
    }
}
Stream<int> until_closed(Duration period, CombinatorWorld& world, int number) {
    std::exception_ptr end;
    try {
        for (;;) {
            co_await sleep(period);
            co_yield number;
        }
    } catch (const Cancelled&) {
        end = std::current_exception();
    }
    co_await sleep(CombinatorWorld::clean_up_time);
    world.cancelled.push_back(number);
    std::rethrow_exception(end);
}

TEST(Merge, gives_values_as_they_become_ready) {
    // clause: A24
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<std::vector<int>> {
        return merge(every(2ms, {2, 4, 6}), every(3ms, {3, 7}), every(5ms, {5})).collect();
    }),
              (std::vector{2, 3, 4, 5, 7, 6}));
    EXPECT_EQ(world.elapsed(), 6ms) << "they ran one after another";
}

TEST(Merge, its_sources_run_under_the_deadline_of_who_asked_last) {
    CombinatorWorld world;
    const auto deadlines = []() -> Stream<Instant> {
        for (;;) {
            co_await sleep(1ms);
            co_yield co_await current_deadline();
        }
    };
    world.run([&]() -> Future<void> {
        auto merged = merge(deadlines(), deadlines());
        const auto ask = [&]() -> Future<Instant> {
            (void)co_await merged.next();  // begun before: one value of each
            (void)co_await merged.next();
            co_return *co_await merged.next();
        };
        EXPECT_EQ(co_await ask(), Instant::never());
        const Instant limit = world.clock.now() + 1h;
        EXPECT_EQ(co_await deadline(ask(), limit), limit);
        EXPECT_EQ(co_await ask(), Instant::never());
        co_await merged.aclose();
    });
}
TEST(Merge, begun_under_a_deadline_shows_it_to_its_sources) {
    CombinatorWorld world;
    const auto tell = []() -> Stream<Instant> { co_yield co_await current_deadline(); };
    world.run([&]() -> Future<void> {
        const Instant limit = world.clock.now() + 1h;
        const auto seen = co_await deadline(merge(tell(), tell()).collect(), limit);
        EXPECT_EQ(seen, (std::vector{limit, limit}));
    });
}

TEST(Merge, closed_waits_for_the_clean_up_of_a_source_whose_value_nobody_took) {
    // clause: A24, A25
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto merged = merge(until_closed(1ms, world, 1), until_closed(2ms, world, 2));
        EXPECT_EQ(*co_await merged.next(), 1);
        co_await sleep(1h);  // Both stand at their co_yield.
        co_await merged.aclose();
        EXPECT_EQ(world.cancelled, (std::vector{1, 2}));
    });
}

TEST(Merge, is_fair_among_sources_that_never_wait) {
    CombinatorWorld world;
    const auto repeat = [](int value) -> Stream<int> {
        for (int i = 0; i < 3; ++i) co_yield value;
    };
    EXPECT_EQ(world.run([&]() -> Future<std::vector<int>> {
        return merge(repeat(1), repeat(2)).collect();
    }),
              (std::vector{1, 2, 1, 2, 1, 2}));
}

TEST(Merge, is_at_most_a_value_ahead_of_its_consumer) {
    // clause: A24
    CombinatorWorld world;
    const auto noting = [&]() -> Stream<int> {
        for (int i = 1;; ++i) {
            world.begun.push_back(i);
            co_yield i;
        }
    };
    world.run([&]() -> Future<void> {
        auto merged = merge(noting());
        co_await sleep(1ms);
        EXPECT_TRUE(world.begun.empty());
        EXPECT_EQ(co_await merged.next(), 1);
        co_await sleep(1ms);
        EXPECT_EQ(world.begun, (std::vector{1, 2}));
        co_await merged.aclose();
    });
}

TEST(Merge, of_no_streams_ends_at_once) {
    CombinatorWorld world;
    EXPECT_TRUE(world
                    .run([]() -> Future<std::vector<int>> {
                        return merge(std::vector<Stream<int>>()).collect();
                    })
                    .empty());
}

TEST(Merge, fails_with_the_first_failure_and_closes_the_others) {
    // clause: A24, A25
    CombinatorWorld world;
    const auto failing = []() -> Stream<int> {
        co_await sleep(2ms);
        co_yield 1;
        throw std::runtime_error("dry");
    };
    world.run([&]() -> Future<void> {
        EXPECT_EQ(
            co_await failure_of(
                merge(until_closed(1h, world, 2), failing(), until_closed(1h, world, 3)).collect()),
            "dry");
        EXPECT_EQ(world.cancelled, (std::vector{2, 3}));
    });
}

TEST(Merge, closed_closes_its_sources_before_that_is_done) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto merged = merge(until_closed(1ms, world, 1), until_closed(1h, world, 2));
        EXPECT_EQ(co_await merged.next(), 1);
        co_await merged.aclose();
        EXPECT_EQ(world.cancelled, (std::vector{1, 2}));
    });
}

TEST(Merge, dropped_closes_its_sources) {
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto merged = merge(until_closed(1ms, world, 1), until_closed(1h, world, 2));
        EXPECT_EQ(co_await merged.next(), 1);
    });
    std::ranges::sort(world.cancelled);
    EXPECT_EQ(world.cancelled, (std::vector{1, 2}));
    EXPECT_LT(world.elapsed(), 1h);
}

TEST(Merge, whose_consumer_is_cancelled_closes_its_sources) {
    // clause: A22
    CombinatorWorld world;
    auto consumer = world.spawn([&]() -> Future<std::vector<int>> {
        return merge(until_closed(1h, world, 1), until_closed(1h, world, 2)).collect();
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        consumer.cancel();
    });
    (void)world.loop.run();
    EXPECT_EQ(world.cancelled, (std::vector{1, 2}));
    EXPECT_TRUE(consumer.was_cancelled());
}

TEST(Merge, goes_on_in_another_task) {
    CombinatorWorld world;
    auto merged = std::make_unique<Stream<int>>(merge(every(1ms, {1, 2}), every(1h, {3})));
    const auto take_one = [&]() -> Future<std::optional<int>> {
        co_return co_await merged->next();
    };
    EXPECT_EQ(world.run(take_one), 1);
    EXPECT_EQ(world.run(take_one), 2);
    EXPECT_EQ(world.run(take_one), 3);
    EXPECT_EQ(world.run(take_one), std::nullopt);
}

}  // namespace
}  // namespace gyre
