// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/stream/stream.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "gyre/task/combine/combinator_world.test.hpp"

namespace gyre {
namespace {

Stream<int> count_to(int last) {
    for (int i = 1; i <= last; ++i) co_yield i;
}
Stream<int> count_slowly_to(int last) {
    for (int i = 1; i <= last; ++i) {
        co_await sleep(1ms);
        co_yield i;
    }
}
// Counts without end; records that it was cancelled, and cleans up with an await.
Stream<int> count_until_closed(std::vector<std::string>& notes) {
    std::exception_ptr end;
    try {
        for (int i = 1;; ++i) co_yield i;
    } catch (const Cancelled& e) {
        notes.push_back(e.reason().why);
        end = std::current_exception();
    }
    co_await sleep(1ms);
    notes.emplace_back("clean");
    std::rethrow_exception(end);
}

TEST(Stream, gives_what_is_yielded_and_then_nothing) {
    // clause: A24
    CombinatorWorld world;
    std::vector<int> seen;
    world.run([&]() -> Future<void> {
        auto stream = count_slowly_to(3);
        while (auto number = co_await stream.next()) seen.push_back(*number);
        EXPECT_FALSE(co_await stream.next());
    });
    EXPECT_EQ(seen, (std::vector{1, 2, 3}));
    EXPECT_EQ(world.elapsed(), 3ms);
}

TEST(Stream, runs_only_as_far_as_it_is_asked) {
    // clause: A24, A15
    CombinatorWorld world;
    const auto noting = [&](int last) -> Stream<int> {
        for (int i = 1; i <= last; ++i) {
            world.begun.push_back(i);
            co_yield i;
        }
    };
    world.run([&]() -> Future<void> {
        auto stream = noting(5);
        co_await sleep(1ms);
        EXPECT_TRUE(world.begun.empty());
        (void)co_await stream.next();
        (void)co_await stream.next();
        co_await sleep(1ms);
        EXPECT_EQ(world.begun, (std::vector{1, 2}));
    });
}

TEST(Stream, that_never_waits_leaves_the_run_queue_and_the_stack_alone) {
    CombinatorWorld world;
    bool has_other_run = false;
    world.run([&]() -> Future<void> {
        const auto note = [&]() -> Future<void> {
            has_other_run = true;
            co_return;
        };
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn(note);
            auto stream = count_to(1'000'000);
            for (int i = 1; i <= 500; ++i) (void)co_await stream.next();
            EXPECT_FALSE(has_other_run);
            int last = 0;
            while (auto number = co_await stream.next()) last = *number;
            EXPECT_EQ(last, 1'000'000);
        });
    });
}

Stream<int> nested(int depth) {
    if (depth == 0) {
        co_yield 1;
        co_await sleep(1ms);
        co_yield 2;
        co_return;
    }
    auto inner = nested(depth - 1);
    while (auto number = co_await inner.next()) co_yield *number + 1;
}

TEST(Stream, ten_thousand_deep_leaves_the_stack_alone) {
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<std::vector<int>> { return nested(10'000).collect(); }),
              (std::vector{10'001, 10'002}));
}

TEST(Stream, gives_what_only_moves) {
    CombinatorWorld world;
    const auto make = []() -> Stream<std::unique_ptr<int>> {
        auto kept = std::make_unique<int>(1);
        co_yield std::move(kept);
        co_yield std::make_unique<int>(2);
    };
    world.run([&]() -> Future<void> {
        auto stream = make();
        EXPECT_EQ(**co_await stream.next(), 1);
        EXPECT_EQ(**co_await stream.next(), 2);
    });
}

TEST(Stream, throws_to_its_consumer_and_has_ended) {
    // clause: A24
    CombinatorWorld world;
    const auto failing = []() -> Stream<int> {
        co_yield 1;
        co_await sleep(1ms);
        throw std::runtime_error("dry");
    };
    const auto rest = [](Stream<int>& stream) -> Future<void> {
        while (co_await stream.next()) {
        }
    };
    world.run([&]() -> Future<void> {
        auto stream = failing();
        EXPECT_EQ(co_await failure_of(rest(stream)), "dry");
        EXPECT_FALSE(co_await stream.next());
    });
}

TEST(Stream, goes_on_in_another_task) {
    // clause: A24
    CombinatorWorld world;
    auto stream = std::make_unique<Stream<int>>(count_slowly_to(2));
    const auto take_one = [&]() -> Future<std::optional<int>> {
        co_return co_await stream->next();
    };
    EXPECT_EQ(world.run(take_one), 1);
    EXPECT_EQ(world.run(take_one), 2);
    EXPECT_EQ(world.run(take_one), std::nullopt);
}

TEST(Stream, closed_cleans_up_before_that_is_done) {
    // clause: A24, A25
    CombinatorWorld world;
    std::vector<std::string> notes;
    world.run([&]() -> Future<void> {
        auto stream = count_until_closed(notes);
        EXPECT_EQ(co_await stream.next(), 1);
        co_await stream.aclose();
        EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed", "clean"}));
        EXPECT_FALSE(co_await stream.next());
        co_await stream.aclose();
    });
    EXPECT_EQ(world.elapsed(), 1ms);
}

TEST(Stream, is_empty_from_the_call_that_closes_it) {
    CombinatorWorld world;
    std::vector<std::string> notes;
    world.run([&]() -> Future<void> {
        auto stream = count_until_closed(notes);
        EXPECT_EQ(co_await stream.next(), 1);
        auto closing = stream.aclose();
        EXPECT_FALSE(co_await stream.next());
        EXPECT_TRUE(notes.empty()) << "the close itself is lazy";
        co_await std::move(closing);
        EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed", "clean"}));
    });
}

TEST(Stream, that_is_being_closed_can_be_cancelled_in_its_clean_up) {
    CombinatorWorld world;
    std::vector<std::string> notes;
    auto closer = world.spawn([&]() -> Future<void> {
        auto stream = count_until_closed(notes);
        (void)co_await stream.next();
        co_await stream.aclose();
    });
    world.loop.turn();
    closer.cancel("enough");
    (void)world.loop.run();
    EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed"})) << "the rest was cut";
    EXPECT_TRUE(closer.was_cancelled());
}

TEST(Stream, that_another_takes_the_place_of_is_closed) {
    // clause: A25
    CombinatorWorld world;
    std::vector<std::string> notes;
    world.run([&]() -> Future<void> {
        auto stream = count_until_closed(notes);
        (void)co_await stream.next();
        stream = count_to(3);
        EXPECT_EQ(co_await stream.next(), 1);
        co_await sleep(2ms);
        EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed", "clean"}));
        EXPECT_EQ(co_await stream.next(), 2);
    });
}

TEST(Stream, whose_next_was_cancelled_has_ended) {
    // clause: A24
    CombinatorWorld world;
    auto consumer = world.spawn([&]() -> Future<void> {
        auto stream = count_slowly_to(3);
        EXPECT_EQ(co_await stream.next(), 1);
        bool is_cancelled = false;
        try {
            (void)co_await stream.next();
        } catch (const Cancelled&) {
            is_cancelled = true;
        }
        EXPECT_TRUE(is_cancelled);
        EXPECT_FALSE(co_await stream.next());
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1500us);
        consumer.cancel();
    });
    (void)world.loop.run();
    EXPECT_TRUE(consumer.outcome().has_value());
}

TEST(Stream, closed_before_it_began_never_runs) {
    CombinatorWorld world;
    std::vector<std::string> notes;
    world.run([&]() -> Future<void> {
        co_await count_until_closed(notes).aclose();
        auto dropped = count_until_closed(notes);
    });
    EXPECT_TRUE(notes.empty());
}

TEST(Stream, closed_tells_what_its_clean_up_failed_with) {
    // clause: A24, A25
    CombinatorWorld world;
    const auto failing = []() -> Stream<int> {
        try {
            co_yield 1;
        } catch (const Cancelled&) {
            throw std::runtime_error("clean-up");
        }
    };
    world.run([&]() -> Future<void> {
        auto stream = failing();
        (void)co_await stream.next();
        EXPECT_EQ(co_await failure_of(stream.aclose()), "clean-up");
    });
}

TEST(Stream, that_yields_while_it_is_closed_is_an_error_and_goes) {
    CombinatorWorld world;
    const auto stubborn = []() -> Stream<int> {
        for (;;) {
            try {
                co_yield 1;
            } catch (const Cancelled&) {
            }
        }
    };
    world.run([&]() -> Future<void> {
        auto stream = stubborn();
        (void)co_await stream.next();
        EXPECT_EQ(co_await failure_of(stream.aclose()),
                  "a stream that is being closed has yielded: let Cancelled pass");
    });
}

TEST(Stream, dropped_leaves_its_clean_up_to_the_root_scope) {
    // clause: A24, A25
    CombinatorWorld world;
    std::vector<std::string> notes;
    world.run([&]() -> Future<void> {
        {
            auto stream = count_until_closed(notes);
            (void)co_await stream.next();
        }
        EXPECT_TRUE(notes.empty());
    });
    EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed", "clean"}));
}

TEST(Stream, dropped_while_the_loop_closes_cleans_up_all_the_same) {
    // clause: A25
    std::vector<std::string> notes;
    {
        CombinatorWorld world;
        world.spawn([&]() -> Future<void> {
            auto stream = count_until_closed(notes);
            (void)co_await stream.next();
            co_await sleep(1h);
        });
        world.loop.turn();
    }
    EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed", "clean"}));
}

TEST(Stream, dropped_after_the_loop_has_closed_goes_without_clean_up) {
    std::vector<std::string> notes;
    const FrameCheck check;
    TaskWorld world;
    auto stream = std::make_unique<Stream<int>>(count_until_closed(notes));
    world.run([&]() -> Future<void> { (void)co_await stream->next(); });
    world.loop.close();
    stream.reset();
    EXPECT_TRUE(notes.empty());
}

TEST(Stream, whose_consumer_is_cancelled_is_cancelled_where_it_waits) {
    // clause: A22
    CombinatorWorld world;
    std::string why;
    const auto waiting = [&]() -> Stream<int> {
        co_yield 1;
        try {
            co_await sleep(1h);
        } catch (const Cancelled& e) {
            why = e.reason().why;
            throw;
        }
    };
    auto consumer = world.spawn([&]() -> Future<void> {
        auto stream = waiting();
        while (co_await stream.next()) {
        }
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        consumer.cancel("enough");
    });
    (void)world.loop.run();
    EXPECT_EQ(why, "enough");
    EXPECT_TRUE(consumer.was_cancelled());
    EXPECT_EQ(world.elapsed(), 1ms);
}

TEST(StreamDeathTest, has_one_consumer_at_a_time) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            TaskWorld world;
            auto stream = count_slowly_to(5);
            const auto consume = [&]() -> Future<void> { (void)co_await stream.next(); };
            world.spawn(consume);
            world.run(consume);
        },
        "one consumer at a time");
}

TEST(StreamChain, maps_filters_and_takes) {
    // clause: A24
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<std::vector<std::string>> {
        return count_slowly_to(100)
            .filter([](int n) { return n % 2 == 0; })
            .map([](int n) { return std::to_string(n); })
            .take(3)
            .collect();
    }),
              (std::vector<std::string>{"2", "4", "6"}));
}

TEST(StreamChain, filters_and_takes_what_only_moves) {
    CombinatorWorld world;
    const auto make = []() -> Stream<std::unique_ptr<int>> {
        for (int i = 1; i <= 9; ++i) co_yield std::make_unique<int>(i);
    };
    const auto is_even = [](const std::unique_ptr<int>& number) { return *number % 2 == 0; };
    const auto kept = world.run([&]() -> Future<std::vector<std::unique_ptr<int>>> {
        return make().filter(is_even).take(2).collect();
    });
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(*kept[0], 2);
    EXPECT_EQ(*kept[1], 4);
}

TEST(StreamChain, maps_with_a_function_that_awaits) {
    // clause: A24
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<std::vector<int>> {
        return count_to(3).map([](int n) { return give_after(1ms, 10 * n); }).collect();
    }),
              (std::vector{10, 20, 30}));
    EXPECT_EQ(world.elapsed(), 3ms) << "one after another";
}

TEST(StreamChain, that_takes_enough_closes_its_source) {
    // clause: A24, A25
    CombinatorWorld world;
    std::vector<std::string> notes;
    world.run([&]() -> Future<void> {
        const auto two = co_await count_until_closed(notes).take(2).collect();
        EXPECT_EQ(two, (std::vector{1, 2}));
        EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed", "clean"}));
        EXPECT_TRUE((co_await count_until_closed(notes).take(0).collect()).empty());
    });
    EXPECT_EQ(notes.size(), 2u) << "the second one never began";
}

TEST(StreamChain, closed_closes_its_source_before_that_is_done) {
    // clause: A24, A25
    CombinatorWorld world;
    std::vector<std::string> notes;
    world.run([&]() -> Future<void> {
        auto stream = count_until_closed(notes).map([](int n) { return n + 1; });
        EXPECT_EQ(co_await stream.next(), 2);
        co_await stream.aclose();
        EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed", "clean"}));
    });
}

TEST(StreamChain, whose_function_fails_closes_its_source_and_throws) {
    // clause: A24, A25
    CombinatorWorld world;
    std::vector<std::string> notes;
    world.run([&]() -> Future<void> {
        const auto fail_at_3 = [](int n) {
            if (n == 3) throw std::runtime_error("three");
        };
        EXPECT_EQ(co_await failure_of(count_until_closed(notes).for_each(fail_at_3)), "three");
        EXPECT_EQ(notes, (std::vector<std::string>{"its stream is closed", "clean"}));
    });
}

TEST(StreamChain, calls_a_function_that_awaits_with_each) {
    // clause: A24
    CombinatorWorld world;
    int total = 0;
    world.run([&]() -> Future<void> {
        co_await count_to(4).for_each([&](int n) -> Future<void> {
            co_await sleep(1ms);
            total += n;
        });
    });
    EXPECT_EQ(total, 10);
    EXPECT_EQ(world.elapsed(), 4ms);
}

TEST(StreamDeathTest, that_has_begun_is_dropped_on_its_own_thread) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            TaskWorld world;
            world.run([]() -> Future<void> {
                auto stream = std::make_unique<Stream<int>>([]() -> Stream<int> {
                    co_yield 1;
                    co_yield 2;
                }());
                static_cast<void>(co_await stream->next());
                std::thread([&] { stream.reset(); }).join();
            });
        },
        "dropped on another thread");
}

}  // namespace
}  // namespace gyre
