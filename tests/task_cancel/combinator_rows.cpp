// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for what waits for several futures, or for some time.
#include <gtest/gtest.h>

#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/select.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/channel.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;

// How many of these run just now: none may be left when the program has ended.
class Runners {
public:
    explicit Runners(Stage& stage) : running_(stage.make<int>(0)) {
        stage.afterwards([&running = running_] { EXPECT_EQ(running, 0); });
    }
    [[nodiscard]] Future<int> give(Duration delay, int value) const {
        return run(delay, value, running_);
    }
    [[nodiscard]] Future<int> fail(Duration delay) const { return run(delay, -1, running_); }

private:
    static Future<int> run(Duration delay, int value, int& running) {
        struct Counted {
            explicit Counted(int& count) : count_(count) { ++count_; }
            ~Counted() { --count_; }
            Counted(const Counted&) = delete;
            Counted& operator=(const Counted&) = delete;
            int& count_;
        };
        const Counted mine(running);
        co_await sleep(delay);
        if (value < 0) co_await gyre::fail(Error(std::errc::no_link));
        co_return value;
    }
    int& running_;
};

std::vector<Future<int>> two(Future<int> first, Future<int> second) {
    std::vector<Future<int>> futures;
    futures.push_back(std::move(first));
    futures.push_back(std::move(second));
    return futures;
}

Future<void> awaits_all(Stage& stage) {
    const Runners runners(stage);
    auto pair = all(runners.give(2ms, 1), runners.give(1ms, 2));
    EXPECT_EQ(co_await std::move(pair), std::tuple(1, 2));
    auto range = all(two(runners.give(1ms, 3), runners.give(1ms, 4)));
    const std::vector<int> values = co_await std::move(range);
    EXPECT_EQ(values, (std::vector{3, 4}));
}

Future<void> awaits_all_that_fail(Stage& stage) {
    const Runners runners(stage);
    auto failing = all(two(runners.give(1h, 1), runners.fail(1ms)));
    bool has_failed = false;
    try {
        (void)co_await std::move(failing);
    } catch (const std::system_error&) {
        has_failed = true;
    }
    EXPECT_TRUE(has_failed);
    co_await sleep(1ms);
}

Future<void> awaits_both(Stage& stage) {
    const Runners runners(stage);
    auto both = runners.give(1ms, 1).and_(runners.give(2ms, 2));
    EXPECT_EQ(co_await std::move(both), std::pair(1, 2));
}

Future<void> settles_all(Stage& stage) {
    const Runners runners(stage);
    auto settling = all_settled(two(runners.fail(1ms), runners.give(2ms, 2)));
    const auto settled = co_await std::move(settling);
    EXPECT_FALSE(settled[0].has_value());
    EXPECT_EQ(*settled[1], 2);
}

Future<void> races(Stage& stage) {
    const Runners runners(stage);
    auto racing = race(runners.give(1h, 1), runners.give(1ms, 2));
    EXPECT_EQ(co_await std::move(racing), 2);
}

Future<void> takes_any(Stage& stage) {
    const Runners runners(stage);
    auto trying = any(runners.fail(1ms), runners.give(2ms, 2));
    EXPECT_EQ(co_await std::move(trying), 2);
}

Future<void> is_in_time(Stage& stage) {
    const Runners runners(stage);
    EXPECT_EQ(co_await timeout(runners.give(1ms, 1), 5ms), 1);
    EXPECT_EQ(co_await deadline(runners.give(1ms, 2), stage.loop.now() + 5ms), 2);
}

Future<void> is_late(Stage& stage) {
    const Runners runners(stage);
    const Result<int> late = co_await try_(timeout(runners.give(1h, 1), 1ms));
    EXPECT_EQ(late, std::unexpected(Error(std::errc::timed_out)));
}

// The nearer of two limits holds, and can be read.
Future<void> is_late_within_another(Stage& stage) {
    const Runners runners(stage);
    const Instant near = stage.loop.now() + 1ms;
    const auto inner = [&]() -> Future<int> {
        EXPECT_LE(co_await current_deadline(), near);
        co_return co_await deadline(runners.give(1h, 1), near + 1h);
    };
    const Result<int> late = co_await try_(deadline(inner(), near));
    EXPECT_EQ(late, std::unexpected(Error(std::errc::timed_out)));
}

Future<void> ticks(Stage& /*stage*/) {
    Interval interval(2ms);
    const Instant first = co_await interval.next();
    co_await sleep(3ms);
    EXPECT_EQ(co_await interval.next(), first + 2ms);
    EXPECT_EQ(co_await interval.next(), first + 4ms);
}

// The work that was left running has ended, whether or not its waiter was cancelled.
Future<int> save(int& begun, int& saved) {
    ++begun;
    co_await sleep(2ms);
    co_return ++saved;
}

Future<void> lets_a_loser_run_on(Stage& stage) {
    int& saved = stage.make<int>(0);
    int& begun = stage.make<int>(0);
    stage.afterwards([&] { EXPECT_EQ(saved, begun); });
    auto saving = keep_running(stage.executor.root(), save(begun, saved));
    const Result<int> late = co_await try_(timeout(std::move(saving), 1ms));
    EXPECT_FALSE(late.has_value());
    co_await sleep(1ms);
}

// An item that is not in the result of the select is still in its channel.
Future<void> selects(Stage& stage) {
    auto& first = stage.make<Channel<int>>(2u);
    auto& second = stage.make<Channel<int>>(2u);
    int& got = stage.make<int>(0);
    stage.helper([&]() -> Future<void> {
        co_await sleep(1ms);
        (void)first.try_send(1);
        (void)second.try_send(2);
    });
    stage.afterwards([&] {
        for (Channel<int>* channel : {&first, &second}) {
            while (const auto item = channel->try_receive()) got += *item;
        }
        EXPECT_EQ(got, 3);
    });
    auto [one, two, tick] = co_await select(first.receive(), second.receive(), sleep(5ms));
    if (one) got += *one.take();
    if (two) got += *two.take();
    EXPECT_FALSE(tick);
}

// The ways of everything that can be awaited, around a channel.
Future<void> wraps_a_receive(Stage& stage) {
    auto& channel = stage.make<Channel<int>>(2u);
    stage.helper([&]() -> Future<void> {
        co_await sleep(1ms);
        channel.close();
    });
    const auto is_none = [](std::optional<int> item) { return !item.has_value(); };
    EXPECT_TRUE(co_await map(as_future(channel.receive()), is_none));
    const auto result = co_await try_(shield(channel.receive()));
    EXPECT_FALSE(result.value().has_value());
}

// A standard awaitable that a helper resumes.
struct Held {
    std::coroutine_handle<> handle;
    bool is_over = false;
    [[nodiscard]] bool await_ready() const noexcept { return is_over; }
    void await_suspend(std::coroutine_handle<> by) noexcept { handle = by; }
    void await_resume() const noexcept {}
};
Future<void> awaits_a_standard_awaitable(Stage& stage) {
    Held& held = stage.make<Held>();
    stage.helper([&held]() -> Future<void> {
        co_await sleep(1ms);
        held.is_over = true;
        if (held.handle != nullptr) held.handle.resume();
    });
    co_await held;
    co_await timeout(held, 1ms);
}

Future<void> shares(Stage& stage) {
    const Runners runners(stage);
    auto shared = share(runners.give(1ms, 7));
    EXPECT_EQ(co_await shared, 7);
    const auto copy = shared;
    EXPECT_EQ(co_await shared, 7);
}

}  // namespace

std::vector<Program> combinator_rows() {
    return {
        {"awaits_all", {"all"}, awaits_all},
        {"awaits_all_that_fail", {"all"}, awaits_all_that_fail},
        {"awaits_both", {"Future"}, awaits_both},
        {"settles_all", {"all_settled"}, settles_all},
        {"races", {"race"}, races},
        {"takes_any", {"any"}, takes_any},
        {"selects", {"select"}, selects},
        {"wraps_a_receive", {"as_future", "map", "shield", "try_"}, wraps_a_receive},
        {"awaits_a_standard_awaitable", {"StandardAwait"}, awaits_a_standard_awaitable},
        {"is_in_time", {"timeout", "deadline"}, is_in_time},
        {"is_late", {"timeout"}, is_late},
        {"is_late_within_another", {"deadline", "CurrentDeadline"}, is_late_within_another},
        {"ticks", {"Interval"}, ticks},
        {"lets_a_loser_run_on", {"keep_running"}, lets_a_loser_run_on},
        {"shares", {"share"}, shares},
    };
}

}  // namespace gyre::task_cancel
