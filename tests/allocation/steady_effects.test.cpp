// SPDX-License-Identifier: Apache-2.0
// A run that goes on for ever allocates nothing, whatever the style of its handlers.
#include <gtest/gtest.h>

#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/allocation/counting.hpp"

namespace gyre::allocation {
namespace {

using namespace std::chrono_literals;
using namespace effect;

constexpr ResumeOp<int(int)> plain{"steady", "plain"};
constexpr ResumeOp<int(int)> ready_async{"steady", "ready"};
constexpr ResumeOp<int(int)> waiting{"steady", "waiting"};
constexpr ResumeOp<int(int)> delayed{"steady", "delayed"};
constexpr ResumeOp<int(int)> replied{"steady", "replied"};

Effectful<int> for_ever(int n) {
    for (;;) {
        n = co_await perform(plain, n);
        n = co_await perform(ready_async, n);
        n = co_await perform(waiting, n);
        n = co_await perform(delayed, n);
        n = co_await perform(replied, n);
    }
}

TEST(SteadyEffects, of_every_style_allocate_nothing) {
    if (!has_pools) GTEST_SKIP() << "a sanitizer watches the memory";
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Scheduler scheduler(executor);
    Loop loop(platform, executor);
    Handlers handlers;
    handlers.on(plain, [](int n) { return resume(n + 1); });
    handlers.on(ready_async, [](int n) -> Future<Answer> { co_return resume(n); });
    handlers.on(waiting, [](int n) -> Future<Answer> {
        co_await sleep(1us);
        co_return resume(n);
    });
    handlers.on(delayed, [](int n) { return resume(n).after(1us); });
    handlers.on(replied, [](Reply reply, int n) { reply.answer(resume(n)); });
    CoroutineGuest guest;
    guest.add("main", for_ever);
    for (int i = 0; i < 10; ++i) {
        static_cast<void>(scheduler.start(guest, handlers, "main", {0}));
    }
    const auto turn_until = [&](std::uint64_t steps) {
        while (scheduler.counts().steps < steps) loop.turn();
    };
    turn_until(1'000);
    const Since since;
    turn_until(100'000);
    EXPECT_EQ(since.count(), 0u);
    loop.close();
}

}  // namespace
}  // namespace gyre::allocation
