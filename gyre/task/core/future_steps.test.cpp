// SPDX-License-Identifier: Apache-2.0
// The evaluation of a future, step by step: its states, and the calls of the executor.
#include <gtest/gtest.h>

#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {
namespace {

using Steps = std::vector<std::string>;

// Polls a future by hand from inside a task, and notes what it saw.
struct Polled {
    explicit Polled(Steps& into) : steps(into) {}
    void note(std::string step) { steps.push_back(std::move(step)); }
    // Start, then Await until it is woken, then Done or Error.
    Future<void> drive(Future<int> future) {
        note("start");
        const Waker waker = co_await this_waker();
        for (;;) {
            try {
                auto found = future.poll(waker);
                if (found.is_ready()) {
                    note("done " + std::to_string(found.value()));
                    co_return;
                }
            } catch (const std::exception& e) {
                note(std::string("error ") + e.what());
                co_return;
            }
            note("pending");
            co_await Woken();
            note("woken");
        }
    }
    Steps& steps;
};

TEST(FutureSteps, rule_1_a_future_starts_with_its_first_await) {
    // clause: A05
    CombinatorWorld world;
    Steps steps;
    Promise<int> promise;
    world.run([&]() -> Future<void> {
        Polled polled(steps);
        const auto body = [&]() -> Future<int> {
            polled.note("runs to its await");
            const int x = co_await promise.future();
            polled.note("goes on with " + std::to_string(x));
            co_return x;
        };
        auto future = body();
        polled.note("made");
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn(polled.drive(std::move(future)));
            co_await sleep(1ms);
            promise.resolve(4);
        });
    });
    EXPECT_EQ(steps, (Steps{"made", "start", "runs to its await", "pending", "woken",
                            "goes on with 4", "done 4"}));
}

TEST(FutureSteps, rule_2_an_await_of_what_is_ready_goes_on_in_the_same_poll) {
    // clause: A05
    CombinatorWorld world;
    Steps steps;
    world.run([&]() -> Future<void> {
        Polled polled(steps);
        const auto body = []() -> Future<int> {
            const int x = co_await ready(1);
            const int y = co_await ready(2);
            co_return x + y;
        };
        co_await polled.drive(body());
    });
    EXPECT_EQ(steps, (Steps{"start", "done 3"}));
}

TEST(FutureSteps, rule_2_holds_for_promises_tasks_and_children_too) {
    // clause: A05
    CombinatorWorld world;
    Steps steps;
    Promise<int> settled;
    settled.resolve(1);
    auto kept = settled.future();
    auto ended = world.spawn([]() -> Future<int> { co_return 3; });
    (void)world.loop.run();
    const auto child = []() -> Future<int> { co_return 4; };
    world.run([&]() -> Future<void> {
        Polled polled(steps);
        const auto body = [&]() -> Future<int> {
            const int a = co_await kept;
            const int b = co_await settled.future();
            const int c = co_await ended;
            const int d = co_await child();
            co_return a + b + c + d;
        };
        co_await polled.drive(body());
    });
    EXPECT_EQ(steps, (Steps{"start", "done 9"}));
}

TEST(FutureSteps, rule_3_an_await_of_what_is_pending_suspends_until_it_is_woken) {
    // clause: A05, A07
    CombinatorWorld world;
    Steps steps;
    Promise<int> first;
    Promise<int> second;
    const auto body = [&]() -> Future<int> {
        co_return co_await first.future() + co_await second.future();
    };
    auto task = world.spawn([&]() -> Future<void> {
        Polled polled(steps);
        co_await polled.drive(body());
    });
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_EQ(task.state(), TaskState::waiting);
        EXPECT_EQ(steps, (Steps{"start", "pending"}));
        first.resolve(1);
        co_await sleep(1ms);
        EXPECT_EQ(steps, (Steps{"start", "pending", "woken", "pending"}));
        second.resolve(2);
    });
    EXPECT_EQ(steps, (Steps{"start", "pending", "woken", "pending", "woken", "done 3"}));
}

TEST(FutureSteps, rule_4_a_future_that_is_done_gives_its_value_or_its_error) {
    // clause: A05
    CombinatorWorld world;
    Steps steps;
    world.run([&]() -> Future<void> {
        Polled polled(steps);
        co_await polled.drive(ready(7));
        co_await polled.drive(fail_after(1ms, "broken"));
    });
    EXPECT_EQ(steps, (Steps{"start", "done 7", "start", "pending", "woken", "error broken"}));
}

TEST(FutureSteps, rule_4_an_error_is_an_end_at_once_or_later) {
    // clause: A05
    CombinatorWorld world;
    Steps steps;
    const auto no_link_after = [](Duration delay) -> Future<int> {
        if (delay > 0s) co_await sleep(delay);
        co_await fail(Error(std::errc::no_link));
        co_return 0;
    };
    world.run([&]() -> Future<void> {
        Polled polled(steps);
        co_await polled.drive(no_link_after(0s));
        co_await polled.drive(no_link_after(1ms));
    });
    const std::string error =
        std::string("error ") + std::system_error(std::make_error_code(std::errc::no_link)).what();
    EXPECT_EQ(steps, (Steps{"start", error, "start", "pending", "woken", error}));
}

TEST(FutureSteps, a_task_is_ready_then_waiting_then_completed) {
    // clause: A05
    CombinatorWorld world;
    auto task = world.spawn(give_after, 1ms, 5);
    EXPECT_EQ(task.state(), TaskState::ready);
    world.loop.turn();
    EXPECT_EQ(task.state(), TaskState::waiting);
    (void)world.loop.run();
    EXPECT_EQ(task.state(), TaskState::completed);
    EXPECT_EQ(task.outcome().take(), 5);
}

TEST(FutureSteps, a_task_that_fails_is_completed_with_its_error) {
    // clause: A05
    CombinatorWorld world;
    auto task = world.spawn(fail_after, 1ms, "broken");
    world.loop.turn();
    EXPECT_EQ(task.state(), TaskState::waiting);
    EXPECT_FALSE(task.outcome().is_settled());
    (void)world.loop.run();
    EXPECT_EQ(task.state(), TaskState::completed);
    EXPECT_THROW(task.outcome().take(), std::runtime_error);
}

// The events of timers as words: a submitted timer is a future that begins to wait, a completed
// timer is its waker. Other events are left out.
class TimerTrace final : public Observer {
public:
    explicit TimerTrace(Steps& into) noexcept : steps_(into) {}
    void on_submit(const Op& op, const Machine& /*by*/) noexcept override {
        if (op.code() == OpCode::timer) steps_.emplace_back("suspend");
    }
    void on_complete(const Op& op, const Machine& /*by*/) noexcept override {
        if (op.code() == OpCode::timer) steps_.emplace_back("wake");
    }

private:
    Steps& steps_;
};

TEST(FutureSteps, two_awaits_one_after_another_take_the_six_steps) {
    // clause: A06
    Steps steps;
    TimerTrace trace(steps);
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor, {.observer = &trace});

    std::vector<int> numbers = {10, 5};
    const auto fetch_number = [&](int number) -> Future<int> {
        steps.push_back("fetch " + std::to_string(number));
        co_await sleep(1ms);
        co_return number;
    };
    const auto example = [&]() -> Future<int> {
        steps.emplace_back("start");
        const int x = co_await fetch_number(numbers[0]);
        steps.push_back("x = " + std::to_string(x));
        const int y = co_await fetch_number(numbers[1]);
        steps.push_back("y = " + std::to_string(y));
        co_return x + y;
    };
    const auto other = [&]() -> Future<void> {
        steps.emplace_back("another task");
        co_return;
    };
    auto task = executor.root().spawn(example);
    executor.root().spawn(other);
    task.on_complete([&] { steps.push_back("done " + std::to_string(task.outcome().value())); });
    (void)loop.run();
    EXPECT_EQ(steps, (Steps{"start", "fetch 10",            // 1
                            "suspend", "another task",      // 2
                            "wake", "x = 10", "fetch 5",    // 3
                            "suspend",                      // 4
                            "wake", "y = 5", "done 15"}));  // 5
    EXPECT_EQ(task.outcome().take(), 15);                   // 6
    loop.close();
}

// All events of tasks and their timers that an observer gets.
class TaskTrace final : public Observer {
public:
    explicit TaskTrace(Steps& into) noexcept : steps_(into) {}
    void on_submit(const Op& op, const Machine& /*by*/) noexcept override {
        if (op.code() == OpCode::timer) steps_.emplace_back("a future is pending");
    }
    void on_complete(const Op& op, const Machine& /*by*/) noexcept override {
        if (op.code() == OpCode::timer) steps_.emplace_back("its waker wakes");
    }
    void on_task(TaskEvent event, std::uint64_t id, std::string_view /*name*/) noexcept override {
        static constexpr const char* words[] = {"named", "started", "suspended", "resumed",
                                                "ended"};
        steps_.push_back(std::to_string(id) + " " + words[static_cast<int>(event)]);
    }

private:
    Steps& steps_;
};

TEST(FutureSteps, the_six_steps_are_seen_in_a_trace) {
    // clause: A06
    Steps steps;
    TaskTrace trace(steps);
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor, {.observer = &trace});
    auto example = executor.root().spawn([]() -> Future<int> {
        const int x = co_await give_after(1ms, 10);
        const int y = co_await give_after(1ms, 5);
        co_return x + y;
    });
    executor.root().spawn([]() -> Future<void> { co_return; });
    (void)loop.run();
    EXPECT_EQ(steps, (Steps{"1 started",                                   // 1
                            "a future is pending", "1 suspended",          // 2
                            "2 started", "2 ended",                        // another task
                            "its waker wakes", "1 resumed",                // 3
                            "a future is pending", "1 suspended",          // 4
                            "its waker wakes", "1 resumed", "1 ended"}));  // 5
    EXPECT_EQ(example.outcome().take(), 15);                               // 6
    loop.close();
}

}  // namespace
}  // namespace gyre
