// SPDX-License-Identifier: Apache-2.0
// The first part of the table: futures, tasks, and what tasks of one executor wait for. The table
// has one small program for each thing that can be awaited: covered.test.py says which are missing.
// Name what a row covers as gyre/task spells it.
#include <gtest/gtest.h>

#include <memory>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/sync/semaphore.hpp"
#include "gyre/task/thread/waker.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;

Future<int> give_after(Duration delay, int value) {
    co_await sleep(delay);
    co_return value;
}
Future<int> fail_after(Duration delay) {
    co_await sleep(delay);
    co_await fail(Error(std::errc::no_link));
    co_return 0;
}

Future<void> sleeps(Stage& stage) {
    co_await sleep(1ms);
    co_await sleep_until(stage.loop.now() + 1ms);
    co_await sleep(0ns);
}

Future<void> yields(Stage& stage) {
    stage.helper([]() -> Future<void> { co_await yield(); });
    co_await yield();
    co_await cancel_point();
    co_await yield();
    const Task& self = co_await this_task();
    EXPECT_EQ(self.name(), "victim");
}

Future<void> awaits_children(Stage& /*stage*/) {
    EXPECT_EQ(co_await give_after(1ms, 7), 7);
    EXPECT_EQ(co_await ready(8), 8);
    const Result<int> failed = co_await try_(fail_after(1ms));
    EXPECT_EQ(failed, std::unexpected(Error(std::errc::no_link)));
}

Future<void> chains(Stage& /*stage*/) {
    auto mapped = give_after(1ms, 1).map([](int value) { return value + 1; });
    EXPECT_EQ(co_await std::move(mapped), 2);
    auto flat = give_after(1ms, 1).then([](int value) { return give_after(1ms, value + 2); });
    EXPECT_EQ(co_await std::move(flat), 3);
    auto caught = fail_after(1ms).catch_error([](std::exception_ptr) { return 4; });
    EXPECT_EQ(co_await std::move(caught), 4);
    auto other = fail_after(1ms).or_(give_after(1ms, 5));
    EXPECT_EQ(co_await std::move(other), 5);
}

Future<void> waits_for_a_promise(Stage& stage) {
    auto& first = stage.make<Promise<int>>();
    auto& second = stage.make<Promise<std::unique_ptr<int>>>();
    stage.helper([&]() -> Future<void> {
        co_await sleep(1ms);
        first.resolve(7);
        co_await yield();
        second.resolve(std::make_unique<int>(8));
    });
    auto future = first.future();
    EXPECT_EQ(co_await future, 7);
    EXPECT_EQ(co_await future, 7);
    EXPECT_EQ(*co_await second.future(), 8);
}

Future<void> joins_tasks(Stage& stage) {
    auto kept = stage.executor.root().spawn(give_after(1ms, 7));
    EXPECT_EQ(co_await kept, 7);
    auto moved = stage.executor.root().spawn(give_after(1ms, 8));
    EXPECT_EQ(co_await std::move(moved), 8);
}

Future<void> joins_a_scope(Stage& stage) {
    int& running = stage.make<int>(0);
    int& cleaned = stage.make<int>(0);
    int& opened = stage.make<int>(0);
    stage.afterwards([&] {
        EXPECT_EQ(running, 0);
        EXPECT_EQ(cleaned, opened);
    });
    struct Counted {
        explicit Counted(int& count) : count_(count) { ++count_; }
        ~Counted() { --count_; }
        Counted(const Counted&) = delete;
        Counted& operator=(const Counted&) = delete;
        int& count_;
    };
    const auto work = [&](Duration delay) -> Future<void> {
        const Counted mine(running);
        co_await sleep(delay);
    };
    co_await with_scope(
        [&](Scope& scope) -> Future<void> {
            ++opened;
            scope.on_exit([&]() -> Future<void> {
                EXPECT_EQ(running, 0);
                co_await sleep(1ms);
                ++cleaned;
            });
            for (int i = 0; i < 3; ++i) scope.spawn(work, Duration(1ms));
            co_await work(2ms);
        },
        {.concurrency_max = 2});
    EXPECT_EQ(running, 0);
}

Future<void> shields(Stage& stage) {
    int& begun = stage.make<int>(0);
    int& ended = stage.make<int>(0);
    stage.afterwards([&] { EXPECT_EQ(begun, ended); });
    const auto protect = [&]() -> Future<void> {
        ++begun;
        co_await sleep(1ms);
        co_await yield();
        ++ended;
    };
    co_await shield(protect());
    co_await sleep(1ms);
    co_await shield(protect());
}

Future<void> cleans_up(Stage& stage) {
    bool& is_open = stage.make<bool>(false);
    stage.afterwards([&] { EXPECT_FALSE(is_open); });
    const auto close = [&]() -> Future<void> {
        co_await sleep(1ms);
        is_open = false;
    };
    is_open = true;
    std::exception_ptr failure;
    try {
        co_await sleep(1ms);
        co_await yield();
    } catch (...) {
        failure = std::current_exception();
    }
    co_await shield(close());
    if (failure != nullptr) std::rethrow_exception(failure);
}

Future<void> waits_for_a_waker(Stage& stage) {
    auto& waker = stage.make<std::optional<Waker>>();
    bool& is_there = stage.make<bool>(false);
    stage.helper([&]() -> Future<void> {
        for (int i = 0; i < 3; ++i) {
            co_await sleep(1ms);
            is_there = i == 2;
            if (waker) waker->wake();
        }
        waker.reset();
    });
    const int found = co_await poll_with([&](const Waker& mine) -> Poll<int> {
        if (is_there) return 7;
        waker = mine;
        return pending;
    });
    EXPECT_EQ(found, 7);
    const Waker again = co_await this_waker();
    again.wake();
    co_await Woken();
}

Future<void> polls_a_future(Stage& /*stage*/) {
    auto future = give_after(1ms, 7);
    const int found =
        co_await poll_with([&](const Waker& waker) -> Poll<int> { return future.poll(waker); });
    EXPECT_EQ(found, 7);
}

Future<void> waits_for_an_event(Stage& stage) {
    auto& event = stage.make<Event>();
    stage.helper([&]() -> Future<void> {
        co_await sleep(1ms);
        event.set();
        event.reset();
        co_await sleep(1ms);
        event.set();
    });
    co_await event.wait();
    co_await event;
}

Future<void> takes_permits(Stage& stage) {
    auto& semaphore = stage.make<Semaphore>(3u);
    stage.afterwards([&] { EXPECT_EQ(semaphore.available(), 3u); });
    stage.helper([&]() -> Future<void> {
        Permits two = co_await semaphore.acquire(2);
        co_await sleep(2ms);
    });
    stage.helper([&]() -> Future<void> {
        co_await sleep(1ms);
        Permits one = co_await semaphore.acquire(1);
    });
    co_await sleep(1ms);
    Permits all = co_await semaphore.acquire(3);
    co_await sleep(1ms);
}

Future<void> locks(Stage& stage) {
    auto& mutex = stage.make<Mutex>();
    int& inside = stage.make<int>(0);
    stage.afterwards([&] {
        EXPECT_FALSE(mutex.is_locked());
        EXPECT_EQ(inside, 0);
    });
    for (int i = 0; i < 2; ++i) {
        stage.helper([&]() -> Future<void> {
            MutexGuard guard = co_await mutex.lock();
            EXPECT_EQ(++inside, 1);
            co_await sleep(1ms);
            --inside;
        });
    }
    co_await yield();
    MutexGuard guard = co_await mutex.lock();
    EXPECT_EQ(inside, 0);
    co_await yield();
}

// Each item is received once, or still inside, or was never sent.
Future<void> sends(Stage& stage) {
    auto& channel = stage.make<Channel<int>>(1u);
    int& sent = stage.make<int>(0);
    int& received = stage.make<int>(0);
    bool& has_ended = stage.make<bool>(false);
    stage.afterwards([&] {
        int left = 0;
        while (channel.try_receive()) ++left;
        EXPECT_EQ(sent, received + left);
    });
    stage.helper([&]() -> Future<void> {
        for (int i = 0; i < 12 && !has_ended; ++i) {
            co_await sleep(1ms);
            while (channel.try_receive()) ++received;
        }
    });
    const auto end = [&has_ended](int*) { has_ended = true; };
    const std::unique_ptr<int, decltype(end)> ending(&sent, end);
    for (int i = 0; i < 3; ++i) {
        co_await channel.send(i);
        ++sent;
    }
}

Future<void> receives(Stage& stage) {
    auto& channel = stage.make<Channel<int>>(0u);
    int& sent = stage.make<int>(0);
    int& received = stage.make<int>(0);
    stage.afterwards([&] { EXPECT_EQ(sent, received); });
    stage.helper([&]() -> Future<void> {
        try {
            for (int i = 0; i < 3; ++i) {
                co_await channel.send(i);
                ++sent;
                co_await sleep(1ms);
            }
            channel.close();
        } catch (const ChannelClosed&) {
        }
    });
    const auto close = [&channel](int*) { channel.close(); };
    const std::unique_ptr<int, decltype(close)> closing(&received, close);
    while (auto item = co_await channel.receive()) {
        EXPECT_EQ(*item, received);
        ++received;
    }
}

}  // namespace

std::vector<Program> basic_rows() {
    return {
        {"sleeps", {"Sleep", "SleepUntil"}, sleeps},
        {"yields", {"Yield", "CancelPoint", "ThisTask"}, yields},
        {"awaits_children", {"Future", "Ready", "ready", "Tried", "Fail"}, awaits_children},
        {"chains", {"Future"}, chains},
        {"waits_for_a_promise", {"Promise", "SharedFuture"}, waits_for_a_promise},
        {"joins_tasks", {"TaskHandle"}, joins_tasks},
        {"joins_a_scope", {"Scope", "with_scope"}, joins_a_scope},
        {"shields", {"Shielded"}, shields},
        {"cleans_up", {"Shielded"}, cleans_up},
        {"waits_for_a_waker", {"ThisWaker", "Woken", "poll_with"}, waits_for_a_waker},
        {"polls_a_future", {"Future", "poll_with"}, polls_a_future},
        {"waits_for_an_event", {"Event"}, waits_for_an_event},
        {"takes_permits", {"Semaphore"}, takes_permits},
        {"locks", {"Mutex"}, locks},
        {"sends", {"Channel"}, sends},
        {"receives", {"Channel"}, receives},
    };
}

}  // namespace gyre::task_cancel
