// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/cancel.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<void> nap(Duration delay) {
    co_await sleep(delay);
}

// Spawns a body, lets it come to its first wait, cancels it and runs to the end.
template <class F>
TaskHandle<void> cancel_waiting(TaskWorld& world, F body) {
    auto handle = world.spawn(std::move(body));
    world.loop.turn();
    handle.cancel("enough");
    (void)world.loop.run();
    return handle;
}

TEST(Cancel, is_delivered_at_the_innermost_await) {
    // clause: A22
    TaskWorld world;
    std::vector<int> notes;
    const auto inner = [&]() -> Future<void> {
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            notes.push_back(1);
            throw;
        }
    };
    auto handle = cancel_waiting(world, [&]() -> Future<void> {
        try {
            co_await inner();
        } catch (const Cancelled&) {
            notes.push_back(2);
            throw;
        }
    });
    EXPECT_EQ(notes, (std::vector{1, 2}));
    EXPECT_THROW(handle.outcome().take(), Cancelled);
}

TEST(Cancel, comes_at_once_not_when_the_wait_would_have_ended) {
    // clause: A22
    TaskWorld world;
    const Instant start = world.clock.now();
    cancel_waiting(world, [] { return nap(1h); });
    EXPECT_EQ(world.clock.now(), start);
    EXPECT_EQ(world.loop.ops_in_flight(), 0u);
}

TEST(Cancel, A22_keeps_the_reason_of_the_first_request) {
    TaskWorld world;
    std::vector<std::string> reasons;
    auto handle = world.spawn([&]() -> Future<void> {
        try {
            co_await sleep(1h);
        } catch (const Cancelled& cancelled) {
            reasons.push_back(cancelled.reason().why);
        }
    });
    world.loop.turn();
    handle.cancel("by its handle");
    world.executor.root().cancel("by its scope");
    (void)world.loop.run();
    EXPECT_EQ(reasons, (std::vector<std::string>{"by its handle"}));
}

TEST(Cancel, is_delivered_once_for_each_request) {
    // clause: A22
    TaskWorld world;
    int delivered = 0;
    auto handle = world.spawn([&]() -> Future<void> {
        for (int i = 0; i < 3; ++i) {
            try {
                co_await sleep(1h);
            } catch (const Cancelled&) {
                ++delivered;
            }
        }
    });
    world.loop.turn();
    handle.cancel();
    handle.cancel();
    world.loop.turn();
    EXPECT_EQ(delivered, 1);
    EXPECT_TRUE(handle.is_cancel_requested());
    world.loop.turn();
    EXPECT_EQ(delivered, 1);
    handle.cancel();
    (void)world.loop.run();
    EXPECT_EQ(delivered, 2);
    EXPECT_TRUE(handle.outcome().has_value());
}

TEST(Cancel, lets_clean_up_await) {
    // clause: A25
    TaskWorld world;
    Duration took{};
    auto handle = cancel_waiting(world, [&]() -> Future<void> {
        std::exception_ptr cancelled;
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            cancelled = std::current_exception();
        }
        const Instant start = world.loop.now();
        co_await sleep(5s);
        took = world.loop.now() - start;
        std::rethrow_exception(cancelled);
    });
    EXPECT_EQ(took, 5s);
    EXPECT_THROW(handle.outcome().take(), Cancelled);
}

TEST(Cancel, says_who_asked_where_and_why) {
    TaskWorld world;
    CancelReason reason;
    std::string text;
    auto handle = world.spawn([&]() -> Future<void> {
        try {
            co_await sleep(1h);
        } catch (const Cancelled& e) {
            reason = e.reason();
            text = e.what();
        }
    });
    std::uint32_t line = 0;
    world
        .spawn([&]() -> Future<void> {
            co_await sleep(1ms);
            line = std::source_location::current().line() + 1;
            handle.cancel("no longer wanted");
        })
        .set_name("boss");
    (void)world.loop.run();
    EXPECT_EQ(reason.why, "no longer wanted");
    EXPECT_EQ(reason.who, "boss");
    EXPECT_EQ(reason.where.line(), line);
    EXPECT_TRUE(text.starts_with("cancelled: no longer wanted, by boss (")) << text;
    EXPECT_TRUE(text.ends_with("cancel.test.cpp:" + std::to_string(line) + ")")) << text;
}

TEST(Cancel, of_a_task_that_has_not_begun_means_it_never_does) {
    // clause: A22
    TaskWorld world;
    bool has_run = false;
    auto held = std::make_shared<int>(1);
    auto handle = world.spawn([&, mine = held]() -> Future<void> {
        has_run = true;
        co_return;
    });
    handle.cancel();
    (void)world.loop.run();
    EXPECT_FALSE(has_run);
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_THROW(handle.outcome().take(), Cancelled);
}

TEST(Cancel, of_a_task_that_has_completed_does_nothing) {
    // clause: A22
    TaskWorld world;
    auto handle = world.spawn([]() -> Future<int> { co_return 7; });
    (void)world.loop.run();
    handle.cancel();
    EXPECT_FALSE(handle.is_cancel_requested());
    EXPECT_EQ(world.loop.run(), Loop::End::idle);
    EXPECT_EQ(handle.outcome().value(), 7);
}

TEST(Cancel, leaves_a_result_that_came_first) {
    TaskWorld world;
    Promise<int> promise;
    int got = 0;
    bool is_cancelled = false;
    auto handle = world.spawn([&]() -> Future<void> {
        got = co_await promise.future();
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            is_cancelled = true;
        }
    });
    world.loop.turn();
    promise.resolve(7);
    handle.cancel();
    (void)world.loop.run();
    EXPECT_EQ(got, 7);
    EXPECT_TRUE(is_cancelled);
}

TEST(Cancel, reaches_a_task_that_computes_at_a_cancel_point) {
    TaskWorld world;
    int rounds = 0;
    auto handle = world.spawn([&]() -> Future<void> {
        for (;; ++rounds) {
            co_await cancel_point();
            co_await yield();
        }
    });
    for (int i = 0; i < 3; ++i) world.loop.turn();
    handle.cancel();
    (void)world.loop.run();
    EXPECT_GT(rounds, 0);
    EXPECT_TRUE(handle.is_completed());
}

TEST(Cancel, of_oneself_is_delivered_at_the_next_await) {
    TaskWorld world;
    int steps = 0;
    auto handle = world.spawn([&]() -> Future<void> {
        (co_await this_task()).cancel("on my own");
        ++steps;
        co_await yield();
        ++steps;
    });
    (void)world.loop.run();
    EXPECT_EQ(steps, 1);
    EXPECT_THROW(handle.outcome().take(), Cancelled);
}

TEST(Cancel, waits_for_the_end_of_a_shield) {
    TaskWorld world;
    Duration slept{};
    bool is_past = false;
    auto handle = cancel_waiting(world, [&]() -> Future<void> {
        const Instant start = world.loop.now();
        co_await shield(nap(1h));
        slept = world.loop.now() - start;
        co_await yield();
        is_past = true;
    });
    EXPECT_EQ(slept, 1h);
    EXPECT_FALSE(is_past);
    EXPECT_THROW(handle.outcome().take(), Cancelled);
}

TEST(Cancel, waits_for_the_outermost_of_shields_inside_each_other) {
    TaskWorld world;
    std::vector<int> notes;
    const auto body = [&]() -> Future<void> {
        co_await shield(nap(1s));
        notes.push_back(1);
        co_await sleep(1s);
        notes.push_back(2);
    };
    cancel_waiting(world, [&]() -> Future<void> {
        co_await shield(body());
        notes.push_back(3);
        co_await sleep(1s);
        notes.push_back(4);
    });
    EXPECT_EQ(notes, (std::vector{1, 2, 3}));
}

TEST(Cancel, of_a_shield_that_fails_lets_the_failure_through) {
    TaskWorld world;
    const auto body = []() -> Future<void> {
        co_await sleep(1s);
        throw std::runtime_error("broken");
    };
    auto handle = cancel_waiting(world, [&]() -> Future<void> { co_await shield(body()); });
    EXPECT_THROW(handle.outcome().take(), std::runtime_error);
}

TEST(Cancel, ends_scopes_inside_each_other_from_within) {
    // clause: A23
    TaskWorld world;
    std::vector<int> notes;
    const auto note_at_end = [&](int value) {
        return [&notes, value]() -> Future<void> {
            co_await sleep(1ms);
            notes.push_back(value);
        };
    };
    auto handle = cancel_waiting(world, [&]() -> Future<void> {
        co_await with_scope([&](Scope& outer) -> Future<void> {
            outer.on_exit(note_at_end(4));
            outer.on_exit(note_at_end(3));
            co_await with_scope([&](Scope& inner) -> Future<void> {
                inner.on_exit(note_at_end(2));
                inner.on_exit(note_at_end(1));
                co_await sleep(1h);
            });
            notes.push_back(99);
        });
        notes.push_back(99);
    });
    EXPECT_EQ(notes, (std::vector{1, 2, 3, 4}));
    EXPECT_THROW(handle.outcome().take(), Cancelled);
}

TEST(Cancel, that_is_swallowed_lets_the_task_go_on) {
    TaskWorld world;
    auto handle = world.spawn([]() -> Future<int> {
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
        }
        co_return 7;
    });
    world.loop.turn();
    handle.cancel();
    (void)world.loop.run();
    EXPECT_EQ(handle.outcome().value(), 7);
}

}  // namespace
}  // namespace gyre
