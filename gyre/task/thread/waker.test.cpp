// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/thread/waker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/sync/event.hpp"
#include "tests/support/test_world.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

class Wakers : public testing::Test {
protected:
    // Pending until `is_there`; stores its waker for the test.
    auto poll_flag() {
        return poll_with([this](const Waker& waker) -> Poll<int> {
            ++polls;
            if (is_there) return 7;
            kept = waker;
            return pending;
        });
    }

    const FrameCheck frames;
    int polls = 0;
    bool is_there = false;
    std::optional<Waker> kept;
    TaskWorld world;
};

TEST_F(Wakers, a_pending_poll_registers_the_waker_and_a_wake_polls_again) {
    // clause: A07
    auto task = world.spawn([this]() -> Future<int> { co_return co_await poll_flag(); });
    world.run([&]() -> Future<void> {
        EXPECT_EQ(polls, 1);
        EXPECT_EQ(task.state(), TaskState::waiting);
        kept->wake();
        EXPECT_EQ(task.state(), TaskState::ready);
        co_await sleep(1ms);
        EXPECT_EQ(polls, 2) << "still pending, and waiting again";
        is_there = true;
        kept->wake();
    });
    EXPECT_EQ(task.outcome().take(), 7);
    EXPECT_EQ(polls, 3);
    kept.reset();
}

TEST_F(Wakers, wake_once_however_often_they_are_called) {
    // clause: A13
    auto task = world.spawn([this]() -> Future<int> { co_return co_await poll_flag(); });
    world.run([&]() -> Future<void> {
        const Waker copy = *kept;
        for (int i = 0; i < 10; ++i) {
            kept->wake();
            copy.wake();
        }
        EXPECT_TRUE(copy.is_same(*kept));
        co_await sleep(1ms);
        // A wake of a task that is already ready is kept: the task may have polled before it.
        EXPECT_LE(polls, 3);
        const int before = polls;
        co_await sleep(1ms);
        EXPECT_EQ(polls, before);
        is_there = true;
        kept->wake();
    });
    EXPECT_EQ(task.outcome().take(), 7);
    kept.reset();
}

TEST_F(Wakers, a_wake_during_the_poll_is_not_lost) {
    // clause: A13
    int calls = 0;
    EXPECT_EQ(world.run([&]() -> Future<int> {
        co_return co_await poll_with([&](const Waker& waker) -> Poll<int> {
            if (++calls == 3) return calls;
            waker.wake();
            return pending;
        });
    }),
              3);
}

TEST_F(Wakers, a_wake_after_the_end_does_nothing) {
    // clause: A13
    is_there = false;
    world.run([&]() -> Future<void> {
        auto task = world.spawn([this]() -> Future<int> { co_return co_await poll_flag(); });
        co_await sleep(1ms);
        is_there = true;
        kept->wake();
        static_cast<void>(co_await std::move(task));
        kept->wake();
        const Waker copy = *kept;
        copy.wake();
        co_await sleep(1ms);
    });
    EXPECT_EQ(polls, 2);
    kept->wake();
    kept.reset();
}

TEST_F(Wakers, the_last_one_dropped_ends_the_hope_and_the_loop_does_not_hang) {
    // clause: A12
    auto task = world.spawn([this]() -> Future<int> { co_return co_await poll_flag(); });
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        is_there = false;
        kept.reset();
        co_await sleep(1ms);
    });
    // The task is polled again and stores a new waker; without it nothing can wake the task.
    EXPECT_EQ(polls, 2);
    EXPECT_EQ(world.loop.run(), Loop::End::stuck);
    kept.reset();
    EXPECT_FALSE(task.is_completed());
}

TEST_F(Wakers, a_wait_that_nobody_can_end_is_no_reason_to_be_alive) {
    int calls = 0;
    auto task = world.spawn([&]() -> Future<int> {
        co_return co_await poll_with([&](const Waker&) -> Poll<int> {
            ++calls;
            return pending;
        });
    });
    EXPECT_EQ(world.loop.run(), Loop::End::idle);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(task.state(), TaskState::waiting);
}

TEST_F(Wakers, a_cancelled_wait_ends_and_a_later_wake_does_no_harm) {
    auto task = world.spawn([this]() -> Future<int> { co_return co_await poll_flag(); });
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        task.cancel();
        kept->wake();
    });
    EXPECT_THROW(task.outcome().take(), Cancelled);
    kept.reset();
}

// Futures polled by hand.
class Polls : public Wakers {
protected:
    // Polls until it is ready, and counts the pending polls.
    template <class T>
    Future<T> poll_to_end(Future<T> future) {
        auto poll_once = [this, &future](const Waker& waker) -> Poll<T> {
            auto found = future.poll(waker);
            if (found.is_pending()) ++pending_polls;
            return found;
        };
        co_return co_await poll_with(poll_once);
    }
    int pending_polls = 0;
};

TEST_F(Polls, of_a_future_run_it_to_its_next_wait_and_give_its_value_at_its_end) {
    // clause: A07
    const auto body = []() -> Future<int> {
        co_await sleep(1ms);
        co_await sleep(1ms);
        co_return 5;
    };
    EXPECT_EQ(world.run([&]() -> Future<int> { co_return co_await poll_to_end(body()); }), 5);
    EXPECT_EQ(pending_polls, 2);
}

TEST_F(Polls, of_a_future_that_never_waits_are_ready_at_once) {
    EXPECT_EQ(
        world.run([&]() -> Future<int> { co_return co_await poll_to_end(Future<int>(ready(6))); }),
        6);
    EXPECT_EQ(pending_polls, 0);
}

TEST_F(Polls, run_nothing_before_the_first_one) {
    // clause: A15
    bool has_run = false;
    const auto body = [&]() -> Future<void> {
        has_run = true;
        co_return;
    };
    world.run([&]() -> Future<void> {
        auto future = body();
        co_await sleep(1ms);
        EXPECT_FALSE(has_run);
        const Waker waker = co_await this_waker();
        EXPECT_TRUE(future.poll(waker).is_ready());
    });
    EXPECT_TRUE(has_run);
}

TEST_F(Polls, throw_what_the_future_failed_with) {
    const auto body = []() -> Future<int> {
        co_await sleep(1ms);
        throw std::runtime_error("broken");
    };
    bool is_caught = false;
    world.run([&]() -> Future<void> {
        try {
            static_cast<void>(co_await poll_to_end(body()));
        } catch (const std::runtime_error&) {
            is_caught = true;
        }
    });
    EXPECT_TRUE(is_caught);
    EXPECT_FALSE(world.executor.root().is_cancelled()) << "a failure is for who polls";
}

TEST_F(Polls, without_a_wake_in_between_stay_pending) {
    // clause: A07
    Promise<int> promise;
    world.run([&]() -> Future<void> {
        Future<int> future = promise.future();
        const Waker waker = co_await this_waker();
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(future.poll(waker).is_pending());
        promise.resolve(1);
        EXPECT_EQ(future.poll(waker).value(), 1);
    });
}

TEST_F(Polls, by_another_task_wake_that_one_from_then_on) {
    // clause: A07
    Promise<int> promise;
    Future<int> future = promise.future();
    int first_woken = 0;
    auto first = world.spawn([&]() -> Future<void> {
        const Waker waker = co_await this_waker();
        EXPECT_TRUE(future.poll(waker).is_pending());
        co_await Woken();
        ++first_woken;
    });
    world.run([&]() -> Future<void> {
        const Waker waker = co_await this_waker();
        EXPECT_TRUE(future.poll(waker).is_pending());
        promise.resolve(1);
        co_await Woken();
        EXPECT_TRUE(future.poll(waker).is_ready());
        EXPECT_EQ(first_woken, 0);
        first.cancel();
    });
}

TEST_F(Polls, of_a_future_that_is_then_dropped_cancel_it_and_run_its_clean_up) {
    bool is_cleaned_up = false;
    const auto body = [&]() -> Future<void> {
        bool is_cancelled = false;
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            is_cancelled = true;
        }
        co_await sleep(1ms);
        is_cleaned_up = is_cancelled;
    };
    world.run([&]() -> Future<void> {
        {
            auto future = body();
            const Waker waker = co_await this_waker();
            EXPECT_TRUE(future.poll(waker).is_pending());
        }
        EXPECT_FALSE(is_cleaned_up) << "in the root scope, not inside the drop";
    });
    EXPECT_TRUE(is_cleaned_up);
    EXPECT_LT(world.clock.now(), Instant() + 1h);
}

TEST_F(Polls, of_a_future_that_is_dropped_while_it_is_ready_cancel_it_too) {
    Event event;
    bool went_on = false;
    const auto body = [&]() -> Future<void> {
        co_await event.wait();
        co_await sleep(1h);
        went_on = true;
    };
    world.run([&]() -> Future<void> {
        auto future = body();
        const Waker waker = co_await this_waker();
        EXPECT_TRUE(future.poll(waker).is_pending());
        event.set();
    });
    EXPECT_FALSE(went_on);
    EXPECT_LT(world.clock.now(), Instant() + 1h);
}

// Real threads: an executor on each, in real time.
struct ThreadWorld : test::TestWorld<Executor, test::ThreadPlatformOutside> {
    Executor& executor = app;

    // A test that would hang fails instead: the task is cancelled after a generous time.
    void run_to_the_end_of(TaskHandle<void>& task) {
        auto guard = executor.root().spawn([&task]() -> Future<void> {
            co_await sleep(5min);
            task.cancel("a wake was lost");
        });
        task.on_complete([&guard] { guard.cancel(); });
        static_cast<void>(loop.run());
        EXPECT_TRUE(task.outcome().has_value()) << "a wake was lost";
    }
};

TEST(WakersOfThreads, wake_a_task_from_any_thread) {
    // clause: A12, A13, K24
    static constexpr int rounds = 200;
    ThreadWorld world;
    std::atomic<int> published{0};
    int polls_in_vain = 0;
    std::vector<std::thread> threads;
    auto task = world.executor.root().spawn([&]() -> Future<void> {
        for (int round = 1; round <= rounds; ++round) {
            co_await poll_with([&](const Waker& waker) -> Poll<int> {
                if (published.load() >= round) return 1;
                if (threads.empty()) {
                    threads.emplace_back([&published, waker] {
                        for (int i = 1; i <= rounds; ++i) {
                            published.store(i);
                            waker.wake();
                            if (i % 8 == 0) std::this_thread::yield();
                        }
                    });
                }
                ++polls_in_vain;
                return pending;
            });
        }
    });
    world.run_to_the_end_of(task);
    for (auto& thread : threads) thread.join();
    EXPECT_LE(polls_in_vain, rounds + 1);
}

TEST(WakersOfThreads, may_outlive_the_task_and_be_dropped_anywhere) {
    // clause: A13, K24
    const FrameCheck frames;
    static constexpr int thread_count = 4;
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    int wake_count = 0;
    {
        ThreadWorld world;
        auto task = world.executor.root().spawn([&]() -> Future<void> {
            int polls = 0;
            wake_count = co_await poll_with([&](const Waker& waker) -> Poll<int> {
                for (; polls == 0 && threads.size() < thread_count;) {
                    threads.emplace_back([&is_over, waker] {
                        while (!is_over.load()) waker.wake();
                        waker.wake();
                    });
                }
                if (++polls < 50) return pending;
                return polls;
            });
        });
        world.run_to_the_end_of(task);
        is_over.store(true);
        for (auto& thread : threads) thread.join();
    }
    EXPECT_EQ(wake_count, 50);
}

TEST(WakersOfThreads, the_last_one_dropped_on_another_thread_ends_the_hope) {
    // clause: K24
    ThreadWorld world;
    int polls = 0;
    std::thread thread;
    auto task = world.executor.root().spawn([&]() -> Future<void> {
        co_await poll_with([&](const Waker& waker) -> Poll<int> {
            if (++polls == 1) thread = std::thread([mine = waker] {});
            return pending;
        });
    });
    EXPECT_EQ(world.loop.run(), Loop::End::idle) << "nobody can wake it";
    EXPECT_FALSE(task.is_completed());
    EXPECT_LE(polls, 2) << "once, where it was dropped before the task waited";
    thread.join();
}

// A thread that wakes the loop returns only when the loop has handled the wake and sleeps again, or
// has ended.
class HoldingPlatform final : public test::ThreadPlatform {
public:
    [[nodiscard]] Instant wait(Instant deadline) noexcept override {
        if (deadline > now()) ++sleep_count_;
        return ThreadPlatform::wait(deadline);
    }
    void wake() noexcept override {
        const int before = sleep_count_.load();
        ThreadPlatform::wake();
        if (std::this_thread::get_id() != home_) await_sleep(before + 1);
    }
    void await_sleep(int count) const noexcept {
        while (sleep_count_.load() < count && !has_ended.load()) std::this_thread::yield();
    }
    std::atomic<bool> has_ended{false};

private:
    const std::thread::id home_ = std::this_thread::get_id();
    std::atomic<int> sleep_count_{0};
};

TEST(WakersOfThreads, the_last_one_dropped_ends_the_hope_although_its_thread_is_slow) {
    // clause: K24
    HoldingPlatform platform;
    Executor executor;
    Loop loop(platform, executor, {.spin_max = Duration(0)});
    int polls = 0;
    std::thread thread;
    auto task = executor.root().spawn([&]() -> Future<void> {
        co_await poll_with([&](const Waker& waker) -> Poll<int> {
            if (++polls > 1) return pending;
            thread = std::thread([mine = waker, &platform] { platform.await_sleep(1); });
            return pending;
        });
    });
    EXPECT_EQ(loop.run(), Loop::End::idle) << "nobody can wake it";
    EXPECT_FALSE(task.is_completed());
    platform.has_ended.store(true);
    thread.join();
    loop.close();
}

TEST(WakerDeathTest, a_future_is_not_polled_with_the_waker_of_a_task_that_has_ended) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    TaskWorld world;
    std::optional<Waker> waker;
    world.run([&]() -> Future<void> { waker = co_await this_waker(); });
    EXPECT_DEATH(
        {
            auto future = []() -> Future<int> { co_return 1; }();
            static_cast<void>(future.poll(*waker));
        },
        "the waker's task has ended");
}

}  // namespace
}  // namespace gyre
