// SPDX-License-Identifier: Apache-2.0
// Cancelling without memory: whichever allocation fails, each task ends with a Cancelled, and the
// program goes on. The cancel itself asks for none, so that none of it can fail. Clause A34.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/fault/memory/failing_new.hpp"

namespace gyre::test {
namespace {

using namespace std::chrono_literals;

constexpr int sleeper_count = 3;

struct Ends {
    int cancelled_count = 0;
    bool was_refused = false;
};

// Tasks that sleep, then `end` with the n-th allocation refused.
template <class F>
Ends ends_after(long refused_number, F end) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor);
    std::vector<TaskHandle<void>> sleepers;
    for (int i = 0; i < sleeper_count; ++i) {
        sleepers.push_back(executor.root().spawn([]() -> Future<void> { co_await sleep(1h); }));
    }
    loop.turn(loop.now());
    refuse_allocation(refused_number);
    end(executor, loop);
    Ends ends;
    ends.was_refused = stop_refusing();
    static_cast<void>(loop.run());
    for (const auto& sleeper : sleepers) ends.cancelled_count += sleeper.was_cancelled() ? 1 : 0;
    return ends;
}

template <class F>
void expect_all_cancelled(F end) {
    set_log_sink([](LogLevel, std::string_view) {});
    int refusal_count = 0;
    for (long n = 1;; ++n) {
        const Ends ends = ends_after(n, end);
        EXPECT_EQ(ends.cancelled_count, sleeper_count) << "allocation " << n;
        if (!ends.was_refused) break;
        ++refusal_count;
    }
    EXPECT_GT(refusal_count, 1) << "some allocation must have been refused";
    set_log_sink(nullptr);
}

TEST(CancelWithoutMemory, of_a_scope_reaches_every_task) {
    // clause: A34
    expect_all_cancelled([](Executor& executor, Loop&) {
        executor.root().cancel(
            "for a reason that is much longer than what a reason holds without memory of the heap");
    });
}

TEST(CancelWithoutMemory, cuts_a_text_that_is_too_long_for_its_value) {
    // clause: A34
    constexpr std::string_view whole = "a text that no value of this size holds";
    using Text = CancelText<16>;
    refuse_allocations(Refused::every_new);
    const Text cut(whole);
    Text appended("fifteen letters");
    appended.append(" and more");
    refuse_allocations(Refused::none);
    EXPECT_EQ(cut, "a text that n...");
    EXPECT_EQ(appended, "fifteen lette...");
    EXPECT_EQ(Text(whole), whole);
}

constexpr int crowd_size = 1000;
constexpr const char* usual_reason = "for a reason that is not too short";

// Tasks that wait: those with an even number in a scope of their own, with a child.
struct Crowd {
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    Executor executor;
    Loop loop{platform, executor};
    std::vector<TaskHandle<void>> tasks;
    int waiting_count = 0;
    int cancelled_count = 0;
    int with_reason_count = 0;

    Crowd() {
        tasks.reserve(crowd_size);
        for (int i = 0; i < crowd_size; ++i) {
            tasks.push_back(i % 2 == 0 ? executor.root().spawn([this] { return with_child(); })
                                       : executor.root().spawn([this] { return wait(); }));
        }
        while (waiting_count < crowd_size) loop.turn(loop.now());
    }

    Future<void> wait() {
        try {
            ++waiting_count;
            co_await sleep(1h);
        } catch (const Cancelled& cancelled) {
            ++cancelled_count;
            if (cancelled.reason().why == usual_reason) ++with_reason_count;
            throw;
        }
    }
    Future<void> with_child() {
        auto body = [this](Scope& scope) -> Future<void> {
            scope.spawn([this] { return wait(); });
            co_await sleep(1h);
        };
        co_await with_scope(std::move(body));
    }

    // Ends the tasks by `cancel` with those allocations refused; how many were.
    template <class F>
    long refusals_of(Refused refused, F cancel) {
        refuse_allocations(refused);
        cancel();
        for (int turn = 0; turn < 10 && executor.task_count() > 0; ++turn) loop.turn(loop.now());
        refuse_allocations(Refused::none);
        EXPECT_EQ(executor.task_count(), 0u);
        for (const auto& task : tasks) EXPECT_TRUE(task.was_cancelled());
        EXPECT_EQ(cancelled_count, crowd_size);
        return refusal_count();
    }
};

TEST(CancelWithoutMemory, A34_of_a_thousand_tasks_and_their_scopes_asks_operator_new_for_nothing) {
    // clause: A34
    Crowd crowd;
    EXPECT_EQ(
        crowd.refusals_of(Refused::every_new, [&] { crowd.executor.root().cancel(usual_reason); }),
        0);
    EXPECT_EQ(crowd.with_reason_count, crowd_size);
}

TEST(CancelWithoutMemory, A34_of_each_of_a_thousand_tasks_asks_operator_new_for_nothing) {
    // clause: A34
    Crowd crowd;
    const auto cancel_each = [&] {
        for (auto& task : crowd.tasks) task.cancel(usual_reason);
    };
    EXPECT_EQ(crowd.refusals_of(Refused::every_new, cancel_each), 0);
    EXPECT_EQ(crowd.with_reason_count, crowd_size);
}

// Each exception is one of malloc, or of the reserve of the C++ runtime, which is smaller than a thousand.
TEST(CancelWithoutMemory, A34_of_a_thousand_tasks_needs_no_malloc_either) {
    // clause: A34
    Crowd by_scope;
    EXPECT_GT(by_scope.refusals_of(Refused::every_new_and_malloc,
                                   [&] { by_scope.executor.root().cancel(usual_reason); }),
              0)
        << "malloc is not replaced";
    Crowd each;
    const auto cancel_each = [&] {
        for (auto& task : each.tasks) task.cancel(usual_reason);
    };
    EXPECT_GT(each.refusals_of(Refused::every_new_and_malloc, cancel_each), 0);
    EXPECT_EQ(each.with_reason_count, 0) << "there was memory for the reason";
}

// A task that was cancelled before its first step.
TEST(CancelWithoutMemory, A34_of_tasks_that_have_not_begun_ends_them) {
    // clause: A34
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor);
    auto task = executor.root().spawn([]() -> Future<void> { co_await sleep(1h); });
    refuse_allocations(Refused::every_new_and_malloc);
    task.cancel(usual_reason);
    loop.turn(loop.now());
    refuse_allocations(Refused::none);
    EXPECT_TRUE(task.was_cancelled());
}

TEST(CancelWithoutMemory, by_a_task_that_fails_reaches_every_task) {
    // clause: A34
    expect_all_cancelled([](Executor& executor, Loop& loop) {
        // The spawn itself may be refused: then the test fails a task by hand.
        try {
            executor.root().spawn([]() -> Future<void> {
                throw std::runtime_error("a failure with a text that is not short");
                co_return;
            });
        } catch (const std::bad_alloc&) {
            executor.root().cancel("the task could not be spawned");
        }
        loop.turn(loop.now());
    });
}

}  // namespace
}  // namespace gyre::test
