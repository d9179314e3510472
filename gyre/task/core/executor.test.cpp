// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/executor.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <set>
#include <thread>
#include <vector>

#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<void> note(std::vector<int>& notes, int value) {
    notes.push_back(value);
    co_return;
}

TEST(Executor, queues_what_is_spawned_and_runs_it_in_order) {
    // clause: A12
    TaskWorld world;
    std::vector<int> notes;
    auto first = world.spawn([&]() -> Future<void> {
        world.spawn([&]() { return note(notes, 3); });
        notes.push_back(1);
        co_return;
    });
    world.spawn([&]() { return note(notes, 2); });
    EXPECT_TRUE(notes.empty());
    EXPECT_EQ(first.state(), TaskState::ready);
    EXPECT_EQ(world.executor.task_count(), 2u);
    (void)world.loop.run();
    EXPECT_EQ(notes, (std::vector{1, 2, 3}));
    EXPECT_EQ(world.executor.task_count(), 0u);
}

// The order in which six tasks begin, yield and go on.
std::vector<int> order_with(std::optional<std::uint64_t> seed) {
    TaskWorld world(ExecutorOptions{.tasks_per_tick_max = 4, .order_seed = seed});
    std::vector<int> notes;
    for (int i = 0; i < 6; ++i) {
        world.spawn([&notes, i]() -> Future<void> {
            notes.push_back(i);
            co_await yield();
            notes.push_back(6 + i);
        });
    }
    (void)world.loop.run();
    return notes;
}

TEST(Executor, runs_tasks_in_the_order_that_a_seed_draws) {
    std::set<std::vector<int>> orders;
    std::set<int> last;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const std::vector<int> order = order_with(seed);
        EXPECT_EQ(order, order_with(seed));
        EXPECT_EQ(std::set(order.begin(), order.end()).size(), 12u);
        orders.insert(order);
        last.insert(order.back());
    }
    EXPECT_GT(orders.size(), 90u);
    EXPECT_EQ(last, (std::set{6, 7, 8, 9, 10, 11})) << "any of them may be the last";
    EXPECT_EQ(order_with(std::nullopt), (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(Executor, ends_its_run_when_no_task_is_ready_or_waiting) {
    // clause: A12
    TaskWorld world;
    bool has_ended = false;
    world.spawn([&]() -> Future<void> {
        co_await sleep(1h);
        co_await yield();
        has_ended = true;
    });
    EXPECT_EQ(world.loop.run(), Loop::End::idle);
    EXPECT_TRUE(has_ended);
    EXPECT_EQ(world.loop.ops_in_flight(), 0u);
    EXPECT_EQ(world.loop.run(), Loop::End::idle);
}

TEST(Executor, knows_which_task_runs) {
    TaskWorld world;
    EXPECT_EQ(world.executor.current(), nullptr);
    auto handle = world.spawn([&]() -> Future<void> {
        const Task* before = world.executor.current();
        co_await sleep(1ms);
        EXPECT_EQ(world.executor.current(), before);
        EXPECT_EQ(before, &co_await this_task());
    });
    (void)world.loop.run();
    EXPECT_TRUE(handle.outcome().has_value());
    EXPECT_EQ(world.executor.current(), nullptr);
}

TEST(Executor, queues_a_task_once_for_all_that_wakes_it_at_once) {
    TaskWorld world;
    Promise<int> promise;
    int resumes = 0;
    auto handle = world.spawn([&]() -> Future<void> {
        co_await promise.future();
        ++resumes;
        co_await yield();
        ++resumes;
    });
    world.spawn([&]() -> Future<void> {
        promise.resolve(1);
        handle.cancel();  // It is ready already: what comes now waits for its next await.
        co_return;
    });
    (void)world.loop.run();
    EXPECT_EQ(resumes, 1);
}

// The virtual clock stands still while a task is ready, so only timers that are due can starve.
TEST(Executor, lets_timers_in_between_tasks_that_always_have_work) {
    // clause: A12
    TaskWorld world(ExecutorOptions{.tasks_per_tick_max = 4});
    bool is_over = false;
    int turns = 0;
    for (int i = 0; i < 8; ++i) {
        world.spawn([&]() -> Future<void> {
            for (; !is_over && turns < 10'000; ++turns) co_await yield();
        });
    }
    world.spawn([&]() -> Future<void> {
        for (int i = 0; i < 10; ++i) co_await sleep(0ns);
        is_over = true;
    });
    (void)world.loop.run();
    EXPECT_LT(turns, 10'000);
}

TEST(Executor, lets_input_and_output_in_between_tasks_that_always_have_work) {
    // clause: A12
    platform::SystemClock clock;
    auto made = platform::make_platform(clock, "epoll");
    ASSERT_TRUE(made.has_value());
    Executor executor(ExecutorOptions{.tasks_per_tick_max = 4});
    bool is_over = false;
    std::thread other;
    {
        Loop loop(**made, executor);
        executor.root().spawn([&]() -> Future<void> {
            while (!is_over) co_await yield();
        });
        executor.root().spawn([&]() -> Future<void> {
            // Not in the capture list: g++ 12 drops a captured result of co_await twice.
            Waker waker = co_await this_waker();
            other = std::thread([waker = std::move(waker)] { waker.wake(); });
            co_await Woken();
            is_over = true;
        });
        EXPECT_EQ(loop.run(), Loop::End::idle);
        loop.close();
    }
    other.join();
}

// The CPU time of this thread.
Duration busy_time() {
    rusage usage{};
    EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
    return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST(Executor, sleeps_while_its_tasks_wait) {
    // clause: A12
    platform::SystemClock clock;
    auto made = platform::make_platform(clock);
    ASSERT_TRUE(made.has_value());
    Executor executor;
    Loop loop(**made, executor);
    executor.root().spawn([]() -> Future<void> { co_await sleep(1s); });
    const Duration before = busy_time();
    (void)loop.run();
    EXPECT_LT(loop.turn_count(), 10u);  // A loop that polls turns many thousand times.
    // CPU time, not wall-clock time, which the load of the machine does not change: under 1 %.
    EXPECT_LT(busy_time() - before, 10ms);
    loop.close();
}

TEST(Executor, sleeps_while_another_thread_is_to_wake_its_task) {
    // clause: A12
    platform::SystemClock clock;
    auto made = platform::make_platform(clock);
    ASSERT_TRUE(made.has_value());
    Executor executor;
    std::thread other;
    bool is_over = false;
    {
        Loop loop(**made, executor);
        executor.root().spawn([&]() -> Future<void> {
            Waker waker = co_await this_waker();
            other = std::thread([waker = std::move(waker)] {
                std::this_thread::sleep_for(100ms);
                waker.wake();
            });
            co_await Woken();
            is_over = true;
        });
        EXPECT_EQ(loop.run(), Loop::End::idle);
        EXPECT_TRUE(is_over) << "it did not wait";
        EXPECT_LT(loop.turn_count(), 1000u);
        loop.close();
    }
    other.join();
}

TEST(Executor, that_closes_cancels_what_waits_and_lets_it_clean_up) {
    TaskWorld world;
    std::vector<int> notes;
    world.spawn([&]() -> Future<void> {
        try {
            co_await sleep(1h);
        } catch (const Cancelled& e) {
            EXPECT_EQ(e.reason().why, "the loop closes");
        }
        co_await sleep(1s);
        notes.push_back(1);
    });
    world.loop.turn();
    world.loop.close();
    EXPECT_EQ(notes, (std::vector{1}));
    EXPECT_EQ(world.executor.task_count(), 0u);
}

TEST(Executor, that_closes_does_not_wait_for_a_shielded_task_that_only_a_waker_could_wake) {
    std::optional<Waker> waker;
    {
        TaskWorld world;
        const auto wait = [&]() -> Future<void> {
            waker = co_await this_waker();
            co_await Woken();
        };
        world.spawn([&]() -> Future<void> { co_await shield(wait()); });
        world.loop.turn();
        world.loop.close();
        EXPECT_EQ(world.executor.task_count(), 1u);
    }
    // Its task is gone: a wake does nothing, and further wakers can be dropped.
    std::optional<Waker> other = waker;
    waker->wake();
    other.reset();
}

}  // namespace
}  // namespace gyre
