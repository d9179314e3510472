// SPDX-License-Identifier: Apache-2.0
// Cancelling without memory: whichever allocation fails, each task ends with a Cancelled, and the
// program goes on. Clause A34.
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
    EXPECT_GT(refusal_count, 1) << "the reasons are texts: some allocation must have been refused";
    set_log_sink(nullptr);
}

TEST(CancelWithoutMemory, of_a_scope_reaches_every_task) {
    expect_all_cancelled([](Executor& executor, Loop&) {
        executor.root().cancel("for a reason that is too long for a short string");
    });
}

TEST(CancelWithoutMemory, by_a_task_that_fails_reaches_every_task) {
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
