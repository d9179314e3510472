// SPDX-License-Identifier: Apache-2.0
// The functions of a coroutine guest: their requests, their calls of each other, and the lifetime
// of their frames.
#include "gyre/effect/coroutine_guest.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

Effectful<int> twice(int of) {
    co_return 2 * co_await perform(Async::await, of);
}

Effectful<int> sum(int first, int second) {
    const int left = co_await twice(first);
    const int right = co_await twice(second);
    co_return left + right;
}

TEST(CoroutineGuest, performs_ops_and_goes_on_with_their_answers) {
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return n + 1; });
    CoroutineGuest guest;
    guest.add("sum", sum);
    const RunOutcome<int> outcome = world.run<int>(guest, "sum", {1, 10});
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome.value(), 26);
}

TEST(CoroutineGuest, calls_a_hundred_thousand_deep_without_growing_the_stack) {
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return n; });
    CoroutineGuest guest;
    struct Deep {
        static Effectful<int> down(int depth) {
            if (depth == 0) co_return co_await perform(Async::await, 7);
            co_return 1 + co_await down(depth - 1);
        }
    };
    guest.add("main", Deep::down);
    EXPECT_EQ(world.run<int>(guest, "main", {100'000}).value(), 100'007);
}

TEST(CoroutineGuest, an_exception_passes_through_its_callers_and_fails_the_run) {
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return n; });
    CoroutineGuest guest;
    struct Fails {
        static Effectful<int> inner() {
            co_await perform(Async::await, 1);
            throw std::runtime_error("out of paper");
        }
        static Effectful<int> outer() { co_return co_await inner(); }
        static Effectful<int> catches() {
            try {
                co_return co_await inner();
            } catch (const std::runtime_error&) {
            }
            co_return co_await perform(Async::await, 5);
        }
    };
    guest.add("outer", Fails::outer).add("catches", Fails::catches);
    const RunOutcome<int> outcome = world.run<int>(guest, "outer");
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::guest_failed);
    EXPECT_EQ(outcome.error().message, "out of paper");
    EXPECT_EQ(world.run<int>(guest, "catches").value(), 5);
}

}  // namespace
}  // namespace gyre::effect
