// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/detail/future_chain.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/core/promise.hpp"

namespace gyre {
namespace {

std::string text_of(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return e.what();
    }
}

TEST(FutureChain, is_lazy_like_its_parts) {
    // clause: A08, A15
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        auto chain = world.note_begin(1)
                         .map([](int n) { return n + 1; })
                         .flat_map([&](int n) { return world.note_begin(n); })
                         .or_(world.note_begin(3));
        co_await sleep(1ms);
        EXPECT_TRUE(world.begun.empty());
        EXPECT_EQ(co_await std::move(chain), 2);
        EXPECT_EQ(world.begun, (std::vector{1, 2}));
    });
}

TEST(FutureChain, maps_a_value_and_nothing) {
    // clause: A08
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        EXPECT_EQ(co_await give_after(1ms, 20).map([](int n) { return std::to_string(n); }), "20");
        EXPECT_EQ(co_await nap(1ms).map([] { return 5; }), 5);
        auto moved = co_await Future<std::unique_ptr<int>>(ready(std::make_unique<int>(7)))
                         .map([](std::unique_ptr<int> n) {
                             ++*n;
                             return n;
                         });
        EXPECT_EQ(*moved, 8);
    });
}

TEST(FutureChain, begins_with_what_is_there_already_or_promised) {
    // clause: A08
    CombinatorWorld world;
    Promise<int> promise;
    promise.resolve(20);
    const auto add = [](int n) { return n + 1; };
    const auto add_later = [](int n) { return give_after(1ms, n + 1); };
    const auto refuse = [](int) -> int { throw std::runtime_error("broken"); };
    const auto forgive = [](const std::exception_ptr&) { return 9; };
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await ready(1).map(add), 2);
        EXPECT_EQ(co_await ready(1).flat_map(add_later), 2);
        EXPECT_EQ(co_await ready(1).then(add_later).then(add), 3);
        EXPECT_EQ(co_await ready(1).and_(give_after(1ms, 2)), (std::pair{1, 2}));
        EXPECT_EQ(co_await ready(1).or_(world.note_begin(2)), 1);
        EXPECT_EQ(co_await ready(1).catch_error(forgive), 1);
        EXPECT_EQ(co_await promise.future().map(refuse).catch_error(forgive), 9);
        EXPECT_EQ(co_await promise.future().then(add), 21);
        auto moved =
            co_await ready(std::make_unique<int>(7)).map([](std::unique_ptr<int> n) { return *n; });
        EXPECT_EQ(moved, 7);
    });
    EXPECT_TRUE(world.begun.empty());
}

TEST(FutureChain, maps_flat) {
    // clause: A08
    CombinatorWorld world;
    EXPECT_EQ(world.run([]() -> Future<int> {
        return give_after(1ms, 1)
            .flat_map([](int n) { return give_after(2ms, n + 1); })
            .flat_map([](int n) { return nap(3ms).map([n] { return 10 * n; }); });
    }),
              20);
    EXPECT_EQ(world.elapsed(), 6ms) << "one after another";
}

TEST(FutureChain, then_takes_a_function_that_gives_a_value_or_a_future) {
    // clause: A08
    CombinatorWorld world;
    world.run([]() -> Future<void> {
        EXPECT_EQ(co_await give_after(1ms, 1).then([](int n) { return n + 1; }), 2);
        EXPECT_EQ(co_await give_after(1ms, 1).then([](int n) { return give_after(1ms, n + 2); }),
                  3);
        EXPECT_EQ(co_await nap(1ms).then([] { return ready(4); }), 4);
    });
}

TEST(FutureChain, a_failure_passes_by_the_functions) {
    // clause: A08
    CombinatorWorld world;
    int calls = 0;
    const auto count = [&](int n) {
        ++calls;
        return n;
    };
    const auto count_later = [&](int n) {
        ++calls;
        return ready(n);
    };
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await failure_of(fail_after(1ms, "a").map(count)), "a");
        EXPECT_EQ(co_await failure_of(fail_after(1ms, "b").flat_map(count_later)), "b");
        EXPECT_EQ(co_await failure_of(fail_after(1ms, "c").then(count).then(count_later)), "c");
    });
    EXPECT_EQ(calls, 0);
}

TEST(FutureChain, calls_each_function_once) {
    // clause: A08
    CombinatorWorld world;
    int calls = 0;
    const auto count = [&](int n) {
        ++calls;
        return n;
    };
    const auto count_later = [&](int n) {
        ++calls;
        return ready(n);
    };
    const auto count_failure = [&](const std::exception_ptr&) { return ++calls; };
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await give_after(1ms, 7).map(count).flat_map(count_later).then(count), 7);
        EXPECT_EQ(calls, 3);
        EXPECT_EQ(co_await fail_after(1ms, "a").catch_error(count_failure), 4);
    });
    EXPECT_EQ(calls, 4);
}

TEST(FutureChain, a_function_that_throws_fails_the_chain) {
    // clause: A08
    CombinatorWorld world;
    const auto broken = [](int) -> int { throw std::runtime_error("broken"); };
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await failure_of(give_after(0ms, 1).map(broken)), "broken");
        EXPECT_EQ(co_await failure_of(give_after(0ms, 1).then(broken)), "broken");
    });
}

TEST(FutureChain, catches_a_failure_and_gives_a_value_of_the_same_type) {
    // clause: A08
    CombinatorWorld world;
    const auto no_link = []() -> Future<int> {
        co_await fail(Error(std::errc::no_link));
        co_return 0;
    };
    world.run([&]() -> Future<void> {
        std::string seen;
        const auto note = [&](std::exception_ptr failure) {
            seen = text_of(failure);
            return 1;
        };
        const auto note_later = [&](std::exception_ptr failure) {
            return give_after(1ms, note(failure) + 1);
        };
        static_assert(std::is_same_v<decltype(no_link().catch_error(note)), Future<int>>);
        EXPECT_EQ(co_await fail_after(1ms, "broken").catch_error(note), 1);
        EXPECT_EQ(seen, "broken");
        EXPECT_EQ(co_await fail_after(1ms, "later").catch_error(note_later), 2);
        EXPECT_EQ(seen, "later");
        EXPECT_EQ(co_await no_link().catch_error(note), 1);
        EXPECT_EQ(seen, std::system_error(std::make_error_code(std::errc::no_link)).what());
        seen = "untouched";
        EXPECT_EQ(co_await give_after(1ms, 9).catch_error(note), 9);
        EXPECT_EQ(seen, "untouched");
    });
}

TEST(FutureChain, catches_and_takes_the_other_whatever_is_thrown_and_without_a_value_too) {
    // clause: A08
    CombinatorWorld world;
    const auto throw_number = []() -> Future<int> {
        co_await sleep(1ms);
        throw 5;
    };
    const auto fail_soon = []() -> Future<void> {
        co_await sleep(1ms);
        throw std::runtime_error("broken");
    };
    int calls = 0;
    const auto forgive = [&](const std::exception_ptr&) { return ++calls; };
    const auto note = [&](const std::exception_ptr& failure) { calls += failure != nullptr; };
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await throw_number().catch_error(forgive), 1);
        EXPECT_EQ(co_await throw_number().or_(give_after(1ms, 2)), 2);
        static_assert(std::is_same_v<decltype(fail_soon().catch_error(note)), Future<void>>);
        co_await fail_soon().catch_error(note);
        EXPECT_EQ(calls, 2);
        co_await nap(1ms).catch_error(note);
        EXPECT_EQ(calls, 2);
        co_await fail_soon().or_(nap(1ms));
    });
    EXPECT_EQ(world.elapsed(), 7ms);
}

TEST(FutureChain, or_takes_the_other_where_the_first_fails) {
    // clause: A08
    CombinatorWorld world;
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await fail_after(1ms, "first").or_(give_after(1ms, 2)), 2);
        EXPECT_EQ(co_await give_after(1ms, 1).or_(world.note_begin(2)), 1);
        EXPECT_EQ(co_await failure_of(fail_after(1ms, "first").or_(fail_after(1ms, "second"))),
                  "second");
    });
    EXPECT_TRUE(world.begun.empty()) << "the other ran although the first was good";
}

TEST(FutureChain, a_cancel_passes_by_catch_and_or) {
    // clause: A08, A22
    CombinatorWorld world;
    const auto forgive = [&](const std::exception_ptr&) { return 1; };
    auto catching =
        world.spawn([&]() -> Future<int> { return give_after(1h, 0).catch_error(forgive); });
    auto other =
        world.spawn([&]() -> Future<int> { return give_after(1h, 0).or_(world.note_begin(1)); });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        catching.cancel();
        other.cancel();
    });
    (void)world.loop.run();
    EXPECT_TRUE(catching.was_cancelled());
    EXPECT_TRUE(other.was_cancelled());
    EXPECT_TRUE(world.begun.empty());
}

}  // namespace
}  // namespace gyre
